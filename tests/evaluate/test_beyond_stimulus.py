"""What the stimulus explains and what is left, against words whose truth is known."""

import math

import numpy as np
import pytest
from planted_drive import planted
from sklearn.exceptions import ConvergenceWarning
from wave_errors import wave_stderr

import microcolumn as mc
from microcolumn.evaluate import beyond_stimulus

ISING = {"Ising": mc.Ising(l1=1e-3, objective="pseudolikelihood")}
PAIRS = ((0, 1, 0.6), (2, 3, 0.6))


def scored(models=ISING, **truth):
    words, repeats = planted(5, 60, 100, **truth)
    parts = repeats.split(words, random_state=0)
    return beyond_stimulus(models, *parts, repeats), parts, repeats


@pytest.fixture(scope="module")
def driven_alike():
    return scored(drive=1.0)


def test_units_that_a_stimulus_drives_alike_have_nothing_left_beyond_it(driven_alike):
    found, (train, test), _ = driven_alike
    plain = mc.Ising(l1=1e-3, objective="pseudolikelihood").fit(train)
    fooled = mc.score(plain, test)
    assert fooled.bits_per_second > 3 * fooled.stderr
    assert plain.n_couplings_ == 10
    [ising] = found.models
    assert not ising.is_clear
    assert abs(ising.net.value) < 2 * ising.net.stderr
    assert ising.gain.value < 0.05 * fooled.bits_per_second
    assert ising.n_couplings < 10
    assert found.stimulus.value > 5 * found.stimulus.stderr
    assert found.n_locked == 5


def test_gains_are_means_over_bins_with_errors_over_time_or_the_stimulus(driven_alike):
    found, (train, test), repeats = driven_alike
    drive = mc.StimulusDrive.from_words(train, repeats)
    base = mc.models.Driven(mc.Independent(), drive).fit(train).log_probability(test)
    ising = mc.models.Driven(ISING["Ising"], drive).fit(train).log_probability(test)
    rates = mc.Independent().fit(train).score_samples(test)
    per_nat = 1.0 / (math.log(2.0) * 0.020)
    assert found.stimulus.value == pytest.approx((base - rates).mean() * per_nat)
    assert found.stimulus.stderr == pytest.approx(wave_stderr(base - rates) * per_nat)
    [model] = found.models
    assert model.gain.value == pytest.approx((ising - base).mean() * per_nat)
    # Moments of the stimulus, with all repeats of each together.
    by_moment = np.argsort(repeats.locate(test)[1], kind="stable")
    either = [wave_stderr(each) for each in (ising - base, (ising - base)[by_moment])]
    assert model.gain.stderr == pytest.approx(max(either) * per_nat)
    difference = model.gain.value - model.control.value
    assert model.net.value == pytest.approx(difference)


def test_couplings_are_still_found_beyond_the_stimulus():
    found, _, _ = scored(drive=1.0, couplings=PAIRS)
    [ising] = found.models
    assert ising.is_clear
    assert found.stimulus.value > 5 * found.stimulus.stderr
    assert "More is left for Ising." in str(found)


def test_without_a_drive_the_gain_is_that_of_the_plain_model():
    found, (train, test), _ = scored(drive=0.0, couplings=PAIRS)
    plain = mc.score(ISING["Ising"].fit(train), test)
    [ising] = found.models
    assert ising.gain.value == pytest.approx(plain.bits_per_second, abs=plain.stderr / 3)
    assert ising.is_clear
    assert abs(found.stimulus.value) < 2 * found.stimulus.stderr
    assert found.n_locked == 0


def test_a_fit_that_has_not_converged_is_no_gain():
    words, repeats = planted(4, 12, 50, couplings=PAIRS)
    hasty = mc.Ising(l1=1e-3, objective="pseudolikelihood", max_iter=1)
    with pytest.warns(ConvergenceWarning):
        found = beyond_stimulus({"hasty": hasty}, *repeats.split(words, random_state=0), repeats)
    [model] = found.models
    assert not model.is_clear
    assert "fit not converged" in str(found)


def test_parts_that_share_a_repeat_are_refused(driven_alike):
    _, (train, _), repeats = driven_alike
    with pytest.raises(ValueError, match=r"repeat .* lies in both parts; split with"):
        beyond_stimulus(ISING, train, train, repeats)
