"""Gains of models of spike trains."""

import numpy as np
import pytest
from scipy import stats
from wave_errors import wave_stderr

import microcolumn as mc
from microcolumn.models import HiddenMarkovModes


@pytest.fixture(scope="module")
def parts():
    truth = HiddenMarkovModes.from_parameters(
        [[0.03] * 4, [0.4, 0.5, 0.4, 0.3]], [[0.97, 0.03], [0.1, 0.9]]
    )
    X, _ = truth.sample_sequence(6000, random_state=0)
    return mc.Words.from_array(X, bin_width=0.010).split(0.5, by="blocks", random_state=0)


@pytest.fixture(scope="module")
def model(parts):
    return HiddenMarkovModes(n_modes=2).fit(parts[0])


def test_the_gain_is_the_mean_log_ratio_per_second(parts, model):
    _, held = parts
    rates = model.rates_
    X = held.expand()
    alone = (X * np.log(rates) + (1 - X) * np.log(1 - rates)).sum(axis=1)
    score = mc.evaluate.sequence_gain(model, held)
    gains = (model.score_sequence(held) - alone) / np.log(2) / 0.010
    assert score.bits_per_second == pytest.approx(gains.mean(), rel=1e-10)
    assert score.stderr == pytest.approx(wave_stderr(gains), rel=1e-9)
    assert score.nats_per_word == pytest.approx(model.score_sequence(held).mean())
    assert score.n_words == held.n_bins
    assert score.spikes_per_second == pytest.approx(X.sum() / held.duration_s)


def test_the_past_is_worth_more_than_single_words(parts, model):
    _, held = parts
    score, single = mc.evaluate.sequence_gain(model, held), mc.score(model, held)
    assert score.bits_per_second > single.bits_per_second > 3.0 * single.stderr
    nats = model.score_sequence(held) - model.score_samples(held)
    assert nats.mean() / wave_stderr(nats) > stats.t(10).isf(0.001)


def test_bins_that_are_apart_gain_what_single_words_gain(parts, model):
    _, held = parts
    apart = mc.Words.from_array(held.expand(), 0.010, epoch_starts=np.arange(held.n_bins))
    at_rest = HiddenMarkovModes.from_parameters(model.modes_, model.transitions_)
    gain = mc.evaluate.sequence_gain(at_rest, apart, baseline=model.rates_)
    single = mc.score(at_rest, apart, baseline=model.rates_)
    assert gain.bits_per_second == pytest.approx(single.bits_per_second, rel=1e-9)
    assert gain.stderr == pytest.approx(single.stderr, rel=1e-9)


def test_modes_are_chosen_by_trains(parts):
    train, held = parts
    choice = mc.evaluate.choose(HiddenMarkovModes(), train, held, [{"n_modes": 1}, {"n_modes": 2}])
    assert choice.best.n_modes == 2
    assert (
        choice.scores[1].bits_per_second
        == mc.evaluate.sequence_gain(choice.fits[1], held).bits_per_second
    )
