"""Driven models against enumeration, logistic regression, plain models and planted couplings."""

from itertools import product

import numpy as np
import pytest
from planted_drive import planted
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import microcolumn as mc
from microcolumn.energy import log_weight
from microcolumn.models import Driven, from_bytes, to_bytes
from microcolumn.words import Words

#: All 16 words of 4 units, one for each of so many further repeats.
EVERY = np.array(list(product([0, 1], repeat=4)), dtype=np.uint8)
PAIRS = ((0, 1, 0.7), (2, 3, -0.7))
MODELS = {
    "independent": mc.Independent(),
    "ising": mc.Ising(l1=1e-3, objective="pseudolikelihood"),
    "rbm": mc.RBM(2, l1=3e-4, objective="pseudolikelihood", tol=1e-6),
    "srbm": mc.SemiRBM(2, l1=3e-4, objective="mpf", tol=1e-6),
}


@pytest.fixture(scope="module")
def data():
    """Training words and their repeats, and words in which each further repeat is one word."""
    words, repeats = planted(4, 20, 30, couplings=PAIRS)
    bits = np.concatenate([words.expand(), np.repeat(EVERY, 30, axis=0)])
    longer = mc.Repeats(np.arange(36) * repeats.duration_s, repeats.duration_s)
    everything = Words.from_array(bits)
    return everything._take(np.arange(600)), everything._take(np.arange(600, 1080)), longer


@pytest.fixture(scope="module")
def fits(data):
    train, _, repeats = data
    drive = mc.StimulusDrive.from_words(train, repeats)
    return {name: Driven(model, drive).fit(train) for name, model in MODELS.items()}


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_of_all_words_add_up_to_1_at_every_moment(data, fits, name):
    _, every, _ = data
    p = np.exp(fits[name].log_probability(every)).reshape(16, 30)
    np.testing.assert_allclose(p.sum(axis=0), 1.0, rtol=1e-12)
    assert np.ptp(p, axis=1).max() > 0.05  # they do depend on the moment


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_are_those_of_the_formula(data, fits, name):
    train, _, _ = data
    model = fits[name]
    table, row = model.drive.offsets(train)
    found = model.log_probability(train)
    for k in (0, 31, 599):
        log_p = log_weight(model.parameters_, EVERY) + EVERY @ (model.scale_ * table[row[k]])
        at = np.flatnonzero((train.expand()[k] == EVERY).all(axis=1))[0]
        assert found[k] == pytest.approx(log_p[at] - np.logaddexp.reduce(log_p), rel=1e-12)
    assert model.score(train) == pytest.approx(found.mean())


def test_driven_independent_units_are_logistic_regressions_on_their_drive(data, fits):
    train, _, _ = data
    model = fits["independent"]
    table, row = model.drive.offsets(train)
    for n in range(4):
        peer = LogisticRegression(C=np.inf, tol=1e-10).fit(table[row][:, [n]], train.expand()[:, n])
        assert model.scale_[n] == pytest.approx(peer.coef_[0, 0], abs=1e-4)
        assert model.parameters_.b[n] == pytest.approx(peer.intercept_[0], abs=1e-4)


def test_models_that_contain_others_fit_no_worse(fits):
    objective = {name: fit.model_.objective_ for name, fit in fits.items() if name != "srbm"}
    assert max(objective["ising"], objective["rbm"]) <= objective["independent"]
    for fit in fits.values():
        assert fit.certificate_.converged


@pytest.mark.parametrize("name", ["independent", "ising", "srbm"])
def test_without_a_drive_it_is_the_plain_model(data, name):
    train, every, repeats = data
    flat = mc.StimulusDrive.from_words(train, repeats, [np.inf])
    model = clone(MODELS[name])
    if name != "independent":
        model.set_params(tol=1e-8)  # both searches come so close to the optimum, each its own way
    driven, plain = Driven(model, flat).fit(train), clone(model).fit(train)
    assert not driven.scale_.any()
    expected = plain.score_samples(every)
    np.testing.assert_allclose(driven.log_probability(every), expected, atol=2e-4)


@pytest.mark.parametrize("objective", ["mpf", "pseudolikelihood"])
def test_planted_couplings_are_found_under_a_strong_common_drive(objective):
    words, repeats = planted(5, 100, 150, couplings=PAIRS, seed=3)
    drive = mc.StimulusDrive.from_words(words, repeats)
    ising = mc.Ising(l1=1e-4, objective=objective)
    J = Driven(ising, drive).fit(words).model_.J_
    truth = np.zeros((5, 5))
    for n, m, strength in PAIRS:
        truth[n, m] = truth[m, n] = strength
    np.testing.assert_allclose(J, truth, atol=0.16)
    undriven = clone(ising).fit(words).J_
    assert np.abs(undriven - truth).max() > 0.25  # what the stimulus does looks like couplings


@pytest.mark.parametrize("name", ["ising", "srbm"])
def test_conditionals_are_ratios_of_probabilities(data, fits, name):
    _, every, _ = data
    model = fits[name]
    log_p = model.log_probability(every).reshape(16, 30)
    odds = model.log_odds(every, [2, 0])
    for k, unit in enumerate([2, 0]):
        on = log_p[EVERY[:, unit] == 1] - log_p[EVERY[:, unit] == 0]  # words come in order
        found = odds[:, k].reshape(16, 30)
        for state in (0, 1):  # what the unit itself did does not matter
            np.testing.assert_allclose(found[EVERY[:, unit] == state], on, atol=1e-11)


def test_drawn_words_have_the_probabilities_of_their_moment(data, fits):
    _, every, _ = data
    model = fits["ising"]
    p = np.exp(model.log_probability(every)).reshape(16, 30)
    expected = EVERY.T @ p  # (unit, moment)
    drawn = np.stack([model.sample_at(every, seed, 10) for seed in range(40)])
    found = drawn.reshape(40 * 16, 30, 4).mean(axis=0).T
    z = (found - expected) / np.sqrt(expected * (1 - expected) / 640)
    assert np.abs(z).max() < 4.5
    assert 0.8 < z.std() < 1.2
    together = (drawn[..., 0] & drawn[..., 1]).mean()
    assert together == pytest.approx((EVERY[:, 0] & EVERY[:, 1]) @ p.mean(axis=1), abs=0.006)
    np.testing.assert_array_equal(model.sample_at(every, 0, 10), drawn[0])


def test_the_order_of_units_does_not_matter(data, fits):
    _, every, _ = data
    expected = fits["ising"].log_probability(every)
    turned = every.subset([3, 1, 0, 2])
    np.testing.assert_allclose(fits["ising"].log_probability(turned), expected, rtol=1e-12)


def test_a_silent_unit_keeps_its_floored_rate_and_gets_no_drive(data):
    train, _, repeats = data
    bits = train.expand().copy()
    bits[:, 2] = 0
    words = Words.from_array(bits)
    drive = mc.StimulusDrive.from_words(words, repeats)
    model = Driven(MODELS["ising"], drive).fit(words)
    assert model.scale_[2] == 0.0
    assert not model.model_.J_[2].any()
    assert np.isfinite(model.log_probability(train)).all()


@pytest.mark.parametrize("name", MODELS)
def test_files_keep_every_bit(data, fits, name, tmp_path):
    train, every, _ = data
    model = fits[name]
    model.save(tmp_path / "driven.safetensors")
    again = mc.load(tmp_path / "driven.safetensors")
    assert isinstance(again, Driven)
    for words in (train, every):
        np.testing.assert_array_equal(again.log_probability(words), model.log_probability(words))
    assert to_bytes(again) == to_bytes(model)
    assert (again.n_parameters_, again.unit_ids_) == (model.n_parameters_, model.unit_ids_)
    assert again.certificate_ == model.certificate_
    assert repr(again.drive) == repr(model.drive)


def test_a_file_with_a_changed_drive_is_refused(fits):
    content = bytearray(to_bytes(fits["ising"]))
    content[-1] ^= 1
    with pytest.raises(ValueError, match="changed or damaged"):
        from_bytes(bytes(content))


def test_importance_sampling_comes_close_to_exact_sums(data, fits):
    _, every, _ = data
    exact, sampled = (fits["ising"].scored(every, m) for m in ("exact", "importance"))
    assert sampled[1].method == "importance"
    assert sampled[1].converged
    difference = abs(exact[1].value - sampled[1].value)
    assert 0.0 < difference < 4 * sampled[1].stderr
    np.testing.assert_allclose(exact[0], sampled[0], atol=0.1)
