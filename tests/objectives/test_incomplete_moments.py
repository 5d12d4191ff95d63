"""The likelihood of words with missing cells, against sums over all words."""

import numpy as np
import pytest
from scipy.special import logsumexp

import microcolumn as mc
from microcolumn.energy import GAUSSIAN, log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import NegativeLogLikelihood
from microcolumn.objectives.incomplete_moments import IncompleteMoments, PairMoments

N = 5
EVERY = ((np.arange(1 << N)[:, None] >> np.arange(N)) & 1).astype(np.uint8)


def _words(seed=0, n_bins=50):
    rng = np.random.default_rng(seed)
    X = (rng.random((n_bins, N)) < 0.4).astype(float)
    X[rng.random(X.shape) < 0.3] = np.nan
    weights = rng.integers(1, 4, n_bins).astype(float)
    return mc.IncompleteWords.from_array(X, sample_weight=weights)


def _theta(kind, rng):
    b, J = rng.normal(-0.5, 0.5, N), np.triu(rng.normal(0.0, 0.5, (N, N)), 1)
    W, c = rng.normal(0.0, 1.0, (N, 2)), rng.normal(-0.5, 0.5, 2)
    return {
        "independent": lambda: mc.Parameters(b=b),
        "ising": lambda: mc.Parameters(b=b, J=J + J.T),
        "rbm": lambda: mc.Parameters(b=b, W=W, c=c),
        "srbm": lambda: mc.Parameters(b=b, J=J + J.T, W=W, c=c),
        "gaussian": lambda: mc.Parameters(b=b, W=0.3 * W, hidden=GAUSSIAN),
    }[kind]()


def _by_enumeration(theta, words):
    """Minus the mean log probability of the observed cells, by a sum over all words."""
    log_p = log_weight(theta, EVERY)
    log_p = log_p - logsumexp(log_p)
    seen = [
        logsumexp(log_p[(np.isnan(word) | (word == EVERY)).all(axis=1)]) for word in words.expand()
    ]
    return -np.average(seen, weights=words.weights)


@pytest.mark.parametrize("kind", ["independent", "ising", "rbm", "srbm", "gaussian"])
def test_value_and_slopes_are_those_of_the_marginal_likelihood(kind):
    words, theta = _words(), _theta(kind, np.random.default_rng(1))
    completions = words.completions()
    objective = NegativeLogLikelihood(completions.words, data=IncompleteMoments(words, completions))
    value, gradient = objective(theta)
    assert value == pytest.approx(_by_enumeration(theta, words), rel=1e-12)
    layout = Layout.of(theta)
    x, slopes = layout.pack(theta), layout.pack_gradient(gradient)
    for k in range(x.size):
        step = 1e-5 * (np.arange(x.size) == k)
        above, below = (_by_enumeration(layout.unpack(x + s), words) for s in (step, -step))
        assert slopes[k] == pytest.approx((above - below) / 2e-5, abs=1e-8)


def test_pair_rates_say_all_that_an_ising_model_knows_of_words():
    X = (np.random.default_rng(2).random((40, N)) < 0.4).astype(np.uint8)
    words, theta = mc.Words.from_array(X), _theta("ising", np.random.default_rng(3))
    pairs = X.T @ X / 40.0
    value, gradient = PairMoments(words, X.mean(axis=0), pairs)(theta)
    assert value == pytest.approx(log_weight(theta, X).mean(), rel=1e-12)
    np.testing.assert_allclose(gradient.b, X.mean(axis=0))
    np.testing.assert_allclose(gradient.J, pairs - np.diag(np.diag(pairs)))
