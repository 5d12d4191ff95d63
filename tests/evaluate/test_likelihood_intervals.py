"""Intervals of hidden weights against exact likelihoods, their derivatives and planted weights."""

import numpy as np
import pytest
from scipy.special import logit

import microcolumn as mc
from microcolumn.evaluate.likelihood_intervals import likelihood_estimates
from microcolumn.evaluate.time_errors import cell_table
from microcolumn.objectives import negative_log_likelihood
from microcolumn.parameters import Parameters
from microcolumn.partition import exact_samples
from microcolumn.words import Words


def _drawn(theta, n, seed=0):
    return exact_samples(theta, n, np.random.default_rng(seed))


def _assemblies():
    W = np.zeros((8, 2))
    W[:4, 0], W[4:, 1] = 3.0, 2.5
    return Parameters(b=np.full(8, -2.5), W=W, c=[-2.5, -2.0])


def _kept(theta):
    """The same model, but nothing in W is 0, so that all of it is estimated."""
    return Parameters(b=theta.b, W=np.where(theta.W == 0, 0.01, theta.W), c=theta.c)


def _likelihood(theta, X, n_cells=50, halves=()):
    words = Words.from_array(X)
    n = words.n_dims
    cells = np.arange(words.n_bins) * n_cells // words.n_bins
    every, none = np.ones(n, dtype=bool), np.zeros(n, dtype=bool)
    by_cell = cell_table(words.index, cells, len(words))
    return likelihood_estimates(theta, words, every, none, by_cell, halves)


def test_independent_units_have_the_binomial_error_of_their_log_odds():
    X = (np.random.default_rng(1).random((4000, 3)) < [0.1, 0.3, 0.5]).astype(int)
    found = _likelihood(Parameters(b=np.zeros(3)), X)
    p = X.mean(axis=0)
    np.testing.assert_allclose(found.estimate.b, logit(p), rtol=0.01, atol=0.001)
    binomial = 1 / np.sqrt(4000 * p * (1 - p))
    assert np.all(found.stderr.b >= 0.99 * binomial)
    assert np.all(found.stderr.b < 1.5 * binomial)


def test_hidden_weights_are_at_the_maximum_of_the_exact_likelihood():
    truth = _assemblies()
    X = _drawn(truth, 10_000)
    start = Parameters(b=truth.b, W=0.8 * truth.W, c=truth.c)
    found = _likelihood(_kept(start), X)
    assert found.notes == ()
    _, gradient = negative_log_likelihood(found.estimate, X)
    # The rest of the gradient is the weak prior's, and less than a fiftieth of an error.
    assert np.abs(gradient.W * 10_000 * found.stderr.W).max() < 0.4
    assert np.abs(gradient.b * 10_000 * found.stderr.b).max() < 0.1
    held = np.abs(found.estimate.W - truth.W) < 2.0 * found.stderr.W
    assert held.sum() >= 13


def test_errors_of_hidden_weights_are_those_of_exact_second_derivatives():
    truth = _assemblies()
    X = _drawn(truth, 10_000, seed=3)
    found = _likelihood(_kept(truth), X)
    best = found.estimate

    def slope(x):
        theta = Parameters(b=x[:8], W=x[8:24].reshape(8, 2), c=x[24:])
        _, gradient = negative_log_likelihood(theta, X)
        return np.concatenate([gradient.b, gradient.W.ravel(), gradient.c])

    at = np.concatenate([best.b, best.W.ravel(), best.c])
    steps = 1e-4 * np.eye(26)
    hessian = np.array([(slope(at + s) - slope(at - s)) / 2e-4 for s in steps])
    hessian[8:, 8:] += np.eye(18) / (25.0 * 10_000)
    exact = np.sqrt(np.diagonal(np.linalg.inv(hessian)) / 10_000)
    stderr = np.concatenate([found.stderr.b, found.stderr.W.ravel(), found.stderr.c])
    assert np.all(stderr > 0.93 * exact)
    assert np.median(stderr / exact) < 1.15


def test_what_the_penalty_set_to_zero_stays_zero_and_has_no_interval():
    truth = _assemblies()
    X = _drawn(truth, 5000)
    found = mc.evaluate.intervals(mc.RBM.from_parameters(truth), X)
    np.testing.assert_array_equal(np.isnan(found.weights.low), truth.W == 0)
    np.testing.assert_array_equal(np.isnan(found.weights.estimate), truth.W == 0)
    assert "without intervals: 8 weights;" in found.notes[0]
    # The others are the estimates of two separate groups: all their words tell of them.
    alone = mc.RBM.from_parameters(Parameters(b=truth.b[:4], W=truth.W[:4, :1], c=truth.c[:1]))
    expected = mc.evaluate.intervals(alone, X[:, :4]).weights
    np.testing.assert_allclose(found.weights.estimate[:4, 0], expected.estimate[:, 0], atol=0.02)


def test_hidden_units_that_a_half_does_not_have_again_have_none():
    truth = _assemblies()
    X = _drawn(truth, 8000)
    one = Parameters(b=truth.b, W=truth.W[:, 1:], c=truth.c[1:])
    halves = [(truth, Words.from_array(X[::2])), (one, Words.from_array(X[1::2]))]
    found = _likelihood(truth, X, halves=halves)
    assert np.isnan(found.stderr.W[:, 0]).all()
    assert np.isfinite(found.stderr.W[4:, 1]).all()
    assert np.isnan(found.stderr.b).all()
    assert found.notes[-2].endswith(
        "not found again in both halves of the words, without intervals: 1"
    )


def test_the_order_of_hidden_units_in_the_halves_does_not_matter():
    truth = _assemblies()
    X = _drawn(truth, 8000)
    turned = Parameters(b=truth.b, W=truth.W[:, ::-1], c=truth.c[::-1])
    first, second = Words.from_array(X[::2]), Words.from_array(X[1::2])
    found = _likelihood(truth, X, halves=[(truth, first), (truth, second)])
    again = _likelihood(truth, X, halves=[(turned, first), (turned, second)])
    np.testing.assert_allclose(again.stderr.W, found.stderr.W, rtol=0.02)


def test_errors_of_a_hidden_unit_grow_to_what_halves_differ_by_and_no_others():
    truth = _assemblies()
    W = truth.W.copy()
    W[:4, 0] -= 1.0
    weaker = Parameters(b=truth.b, W=W, c=truth.c)
    drawn = [_drawn(truth, 10_000, 1), _drawn(weaker, 10_000, 2)]
    halves = [(truth, Words.from_array(X)) for X in drawn]
    X = np.random.default_rng(0).permutation(np.concatenate(drawn))
    found, plain = _likelihood(truth, X, halves=halves), _likelihood(truth, X)
    ratio = found.stderr.W / plain.stderr.W
    # Half the difference, 0.5, is the least that the errors can be.
    assert np.sqrt(np.mean(found.stderr.W[:4, 0] ** 2)) > 0.4
    assert np.ptp(ratio[:4, 0]) < 1e-9
    assert 1.0 <= ratio[4, 1] < 2.0


def test_a_fitted_model_is_fitted_anew_and_holds_its_planted_weights():
    truth = _assemblies()
    X = _drawn(truth, 20_000, seed=5)
    model = mc.RBM(n_hidden=2, l1=1e-3, random_state=0).fit(X)
    found = mc.evaluate.intervals(model, X)
    assert not any("anew" in note for note in found.notes)
    order = np.argmax(np.abs(model.W_[:, found.hidden].T @ truth.W), axis=0)
    low, high = found.weights.low[:, order], found.weights.high[:, order]
    members = truth.W != 0
    assert ((low <= truth.W) & (high >= truth.W))[members].sum() >= 7
    made = mc.evaluate.intervals(mc.RBM.from_parameters(model.parameters_), X)
    assert any("not fitted anew" in note for note in made.notes)
    assert np.nanmin(found.weights.stderr / made.weights.stderr) >= 1.0


def test_a_silent_unit_has_no_weights_and_changes_no_others():
    truth = _assemblies()
    X = _drawn(truth, 5000)
    with_silent = Parameters(b=[*truth.b, -9.0], W=np.vstack([truth.W, [0.0, 0.5]]), c=truth.c)
    found = mc.evaluate.intervals(
        mc.RBM.from_parameters(with_silent), np.column_stack([X, np.zeros(5000, dtype=int)])
    )
    alone = mc.evaluate.intervals(mc.RBM.from_parameters(truth), X)
    assert np.isnan(found.weights.low[8]).all()
    np.testing.assert_array_equal(found.weights.low[:8], alone.weights.low)


def test_more_parameters_than_can_be_had_are_refused():
    theta = Parameters(b=np.zeros(100), W=np.ones((100, 9)))
    X = (np.random.default_rng(0).random((200, 100)) < 0.5).astype(int)
    with pytest.raises(ValueError, match="at most 800"):
        mc.evaluate.intervals(mc.RBM.from_parameters(theta), X)
