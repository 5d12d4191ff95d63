"""What all models share, against definitions over every word."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from flips import log_odds
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.energy import log_weight
from microcolumn.models import _base
from microcolumn.models._words_estimator import floored_rates
from microcolumn.parameters import Parameters

CLASSES = {"independent": mc.Independent, "ising": mc.Ising, "rbm": mc.RBM, "srbm": mc.SemiRBM}


@pytest.fixture(params=CLASSES)
def model(request, random_parameters):
    """A ready model of every kind, with five units."""
    theta = random_parameters(request.param, 5, 3, seed=1)
    return CLASSES[request.param].from_parameters(theta)


def test_scores_are_normalised_log_weights(model, every_word):
    X = every_word(5)
    log_p = log_weight(model.parameters_, X)
    np.testing.assert_allclose(model.energy(X), -log_p, atol=1e-13)
    np.testing.assert_allclose(model.score_samples(X), log_p - logsumexp(log_p), atol=1e-12)
    assert model.score(X) == pytest.approx((log_p - logsumexp(log_p)).mean(), abs=1e-12)


def test_log_odds_of_all_units_are_those_of_the_energy_in_one_pass(model, every_word, monkeypatch):
    X, passes = every_word(5), []
    changes = _base.flip_changes
    monkeypatch.setattr(_base, "flip_changes", lambda *given: passes.append(1) or changes(*given))
    found = model.log_odds(X, [3, 0, 4])
    expected = [log_odds(model.parameters_, X, unit) for unit in (3, 0, 4)]
    np.testing.assert_allclose(found, np.column_stack(expected), rtol=1e-12, atol=1e-13)
    assert len(passes) == 1


def test_a_spike_that_is_all_but_impossible_has_a_probability_without_overflow():
    model = mc.Ising.from_parameters(mc.Parameters(b=[-900.0, 900.0], J=np.zeros((2, 2))))
    assert model.conditional([[0, 0]], 0).tolist() == [0.0]
    assert model.conditional([[0, 0]], 1).tolist() == [1.0]


def test_log_partition_is_found_once_and_again_after_a_new_fit(model, draw):
    first = model.log_partition()
    assert model.log_partition() is first
    assert model.log_partition("exact").value == pytest.approx(first.value, abs=1e-12)
    model.fit(draw(model.parameters_, 100))
    assert model.log_partition() is not first
    assert model.log_partition().frequent_words is not None


def test_a_log_partition_found_before_is_taken_as_given(model, every_word, monkeypatch):
    X, found = every_word(5), model.log_partition("exact")
    given = replace(found, value=found.value + 1.0)

    def refuse(*_, **__):
        raise AssertionError("log Z was computed again")

    with monkeypatch.context() as patch:
        patch.setattr("microcolumn.models._base.log_partition", refuse)
        copy = model.with_log_partition(given)
        assert type(copy) is type(model)
        assert copy.log_partition() is given
        np.testing.assert_allclose(np.exp(copy.score_samples(X)).sum(), np.exp(-1.0), rtol=1e-12)
    # The model itself, other methods and the next fit know nothing of it.
    assert model.log_partition().value == pytest.approx(found.value, abs=1e-12)
    assert copy.log_partition("exact").value == pytest.approx(found.value, abs=1e-12)
    assert copy.fit(X).log_partition() is not given


def test_a_log_z_that_frequent_words_contradict_is_not_converged_and_warned_of(draw, monkeypatch):
    theta = Parameters(b=[-2.0, -1.0, -2.0], J=np.zeros((3, 3)))
    ising = mc.Ising(l1=0.0).fit(draw(theta, 3000))
    wrong = replace(ising.log_partition("ais"), value=ising.log_partition("exact").value - 2.0)
    monkeypatch.setattr("microcolumn.models._base.log_partition", lambda *_, **__: wrong)
    with pytest.warns(ConvergenceWarning, match=r"most frequent words 7\.\d times their observed"):
        found = ising.log_partition("ais")
    assert wrong.converged
    assert not found.converged


def test_rare_bursts_of_the_training_words_are_no_spurious_mode():
    rng = np.random.default_rng(0)
    X = (rng.random((20_000, 12)) < 0.03).astype(np.uint8)
    bursts = rng.choice(len(X), 40, replace=False)
    X[bursts] = rng.random((40, 12)) < 0.95
    kept = mc.Ising(l1=1e-3).fit(X)._kept_words
    assert len(kept) == 600
    assert kept.sum(axis=1).max() == X.sum(axis=1).max() == 12


def test_mass_on_words_far_busier_than_any_seen_is_false_though_chains_come_and_go(
    draw, every_word
):
    J = np.full((12, 12), 0.22) - 0.22 * np.eye(12)
    theta = Parameters(b=np.full(12, -0.22 * 11), J=J)
    X = draw(theta, 4000)
    ising = mc.Ising(l1=0.01).fit(X[X.sum(axis=1) <= 4])
    assert ising.log_partition().spurious_mass < 0.01
    ising.parameters_ = theta  # as if the fit had grown the other half
    words = every_word(12)
    p = np.exp(log_weight(theta, words) - logsumexp(log_weight(theta, words)))
    for method in ("exact", "ais"):
        found = ising.log_partition(method)
        busy = [mode for mode in found.modes if not mode.seen]
        truth = p[words.sum(axis=1) > 6].sum()
        assert 0.3 < truth < 0.7
        assert abs(found.spurious_mass - truth) < 4 * np.sqrt(sum(mode.stderr**2 for mode in busy))


def test_a_fitted_model_remembers_the_lags_of_its_words(model, random_parameters):
    assert not hasattr(model, "window_")
    assert not hasattr(model, "n_words_")
    X = np.random.default_rng(0).random((80, 3)) < 0.3
    words = mc.Words.from_array(X)
    assert model.fit(words).window_ == 1
    assert model.fit(words.embed(2)).window_ == 2
    assert model.fit(X).window_ == 1
    assert model.n_words_ == 80
    if hasattr(model, "fit_path"):
        assert [fit.window_ for fit in model.fit_path(words.embed(3), [0.01, 0.02])] == [3, 3]


def test_parameters_with_more_than_a_model_has_are_refused_with_the_class_to_use(
    model, random_parameters
):
    parts = {"independent": "", "ising": "J", "rbm": "W", "srbm": "JW"}
    for kind, cls in CLASSES.items():
        theta = random_parameters(kind, 4)
        if set(parts[kind]) <= set(parts[model._kind]):
            held = type(model).from_parameters(theta)
            X = np.eye(4, dtype=np.uint8)
            turned, _ = theta.canonical_sign()
            np.testing.assert_array_equal(held.energy(X), -log_weight(turned, X))
        else:
            with pytest.raises(ValueError, match=f"use {cls.__name__}.from_parameters"):
                type(model).from_parameters(theta)


def test_writing_to_an_array_of_a_model_does_not_change_the_model(model):
    X = np.eye(model.n_features_in_, dtype=np.uint8)
    before = model.score_samples(X)
    for array in (model.J_, model.b_, model.W_, model.c_):
        array[...] = 9.0
    np.testing.assert_array_equal(model.score_samples(X), before)


def test_rates_of_silent_and_always_active_units_stay_half_a_count_away():
    words = mc.Words.from_array([[0, 1, 0], [0, 1, 1], [0, 1, 1]])
    np.testing.assert_allclose(floored_rates(words), [0.125, 0.875, 2 / 3])


def test_whole_weights_floor_rates_as_repetition_does_and_relative_ones_as_rows_do():
    rows = [[0, 1], [0, 0]]
    repeated = floored_rates(mc.Words.from_array([rows[0]] * 5 + [rows[1]] * 2))
    weighted = mc.Words.from_array(rows, sample_weight=[5, 2])
    assert np.array_equal(floored_rates(weighted), repeated)
    relative = mc.Words.from_array(rows * 50, sample_weight=[0.01] * 100)
    assert floored_rates(relative)[0] == pytest.approx(0.5 / 101)


def test_the_objective_of_the_independent_model_is_its_likelihood():
    X = [[0, 1, 0], [1, 1, 0], [0, 0, 0], [0, 1, 0]]  # the last unit is silent
    model = mc.Independent().fit(X)
    loss, _ = mc.objectives.negative_log_likelihood(model.parameters_, X)
    assert model.objective_ == pytest.approx(loss, rel=1e-14)
    assert (model.optimality_, model.n_iter_) == (0.0, 1)


@pytest.fixture(scope="module")
def recording():
    return mc.simulate.microcolumn(n_units=6, minutes=1, seed=0)


@pytest.mark.parametrize("kind", CLASSES)
def test_a_fitted_model_knows_its_units_bins_and_span(recording, kind):
    words = recording.restrict([[10.0, 50.0]]).bin(0.020)
    model = CLASSES[kind]().fit(words)
    assert model.unit_ids_ == recording.units.ids
    assert model.units_.layer == recording.units.layer
    assert (model.bin_width_, model.window_) == (0.020, 1)
    assert (model.words_info_.start_s, model.words_info_.stop_s) == (10.0, pytest.approx(50.0))
    assert pickle.loads(pickle.dumps(model)).unit_ids_ == model.unit_ids_
    assert not hasattr(clone(model), "bin_width_")
    model.fit(words.expand())
    assert model.bin_width_ is model.unit_ids_ is model.units_ is model.words_info_ is None
