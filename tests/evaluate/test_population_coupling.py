"""Population coupling against its definition, and what is expected against a fitted model."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.evaluate import population_coupling
from microcolumn.models import KPairwise


@pytest.fixture(scope="module")
def X():
    """Two units that follow a shared drive, and four that do so less and less."""
    rng = np.random.default_rng(0)
    drive = rng.random((4000, 1)) < 0.3
    return rng.random((4000, 6)) < np.where(drive, [0.8, 0.7, 0.5, 0.3, 0.2, 0.1], 0.1)


def test_it_is_the_spike_triggered_population_rate(X):
    result = population_coupling(mc.Words.from_array(X))
    for k in range(6):
        others = np.delete(X, k, axis=1).sum(axis=1)
        own = others[X[:, k]].mean() - others.mean()
        assert result.coupling[k] == pytest.approx(own, abs=1e-12)
    assert result.to_rows()[2]["unit"] == "2"
    assert result.to_rows()[2]["coupling"] == result.coupling[2]


def test_errors_are_those_of_repeated_recordings():
    found = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        drive = rng.random((1000, 1)) < 0.3
        found.append(population_coupling(rng.random((1000, 3)) < np.where(drive, 0.5, 0.1)))
    spread = np.std([each.coupling for each in found], axis=0)
    stated = np.sqrt(np.mean([each.stderr**2 for each in found], axis=0))
    np.testing.assert_allclose(stated, spread, rtol=0.35)


def test_expected_is_that_of_a_model_of_rates_and_numbers_alone(X):
    """K-pairwise without couplings, by its exact sums over all words."""
    words = mc.Words.from_array(X)
    model = KPairwise(l1=1e3, smoothing=0.0, tol=1e-9).fit(words)
    assert model.n_couplings_ == 0
    states = np.indices((2,) * 6).reshape(6, -1).T
    p = np.exp(model.score_samples(states))
    others = states.sum(axis=1, keepdims=True) - states
    expected = (p @ (states * others)) / (p @ states) - p @ others
    np.testing.assert_allclose(population_coupling(words).expected, expected, rtol=1e-4)


def test_independent_units_of_one_rate_couple_as_expected():
    X = np.random.default_rng(0).random((20_000, 10)) < 0.2
    result = population_coupling(X)
    assert np.abs(result.coupling / result.stderr).max() < 4.5
    assert np.abs(result.coupling - result.expected).max() < 0.1


def test_units_that_never_change_have_none_and_do_not_count(X):
    silent = np.column_stack([X, np.zeros(4000), np.ones(4000)])
    result, without = population_coupling(silent), population_coupling(X)
    np.testing.assert_allclose(result.coupling[:6], without.coupling)
    np.testing.assert_allclose(result.expected[:6], without.expected)
    assert np.isnan(result.coupling[6:]).all()
    assert np.isnan(result.expected[6:]).all()
    assert np.isnan(population_coupling(silent[:, 6:]).coupling).all()


def test_always_as_many_active_units_is_no_problem():
    X = np.eye(4, dtype=int)[np.random.default_rng(0).choice(4, 500, p=[0.4, 0.3, 0.2, 0.1])]
    result = population_coupling(X)
    np.testing.assert_allclose(result.expected, result.coupling, atol=1e-6)
    both = population_coupling([[0, 0], [1, 1]] * 10)
    np.testing.assert_allclose([both.coupling, both.expected], 0.5)


def test_windows_are_refused(X):
    with pytest.raises(ValueError, match="span 2 bins"):
        population_coupling(mc.Words.from_array(X).embed(2))
