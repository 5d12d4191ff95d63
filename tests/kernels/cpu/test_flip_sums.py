"""Sums over flips on flat coordinates, some entries of the model fixed, against brute force."""

import numpy as np
import pytest
from flips import brute_force, flow, random_model, random_words
from hypothesis import given, settings, strategies as st

from microcolumn.kernels import FlipSums


def logistic(change):
    return np.logaddexp(0.0, change), 1.0 / (1.0 + np.exp(-change))


@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from([("flow", flow), ("pseudolikelihood", logistic)]),
    st.sampled_from(["independent", "ising", "rbm", "srbm"]),
    st.integers(2, 9),
    st.integers(0, 999),
)
def test_value_and_gradient_are_those_of_every_neighbour(objective, model, n_units, seed):
    kind, link = objective
    rng = np.random.default_rng(seed)
    theta, words = random_model(rng, model, n_units, 5, 0.5), random_words(rng, 40, n_units)
    free = np.flatnonzero(rng.random(n_units) < 0.7)
    n_hidden = theta.n_hidden
    if theta.W is not None:
        theta.W[np.setdiff1d(np.arange(n_units), free)] = 0.0  # units that are not free have none
        theta.W[:, 0] = 0.0  # a dead hidden unit
    pairs = free[np.array(np.triu_indices(free.size if theta.J is not None else 0, 1))]
    pairs = tuple(pairs[:, rng.random(pairs.shape[1]) < 0.8])

    def flat(parts, pair_factor):
        """The coordinates of parts of a model, or of derivatives."""
        pieces = [pair_factor * parts["J"][pairs]] if theta.J is not None else []
        hidden = [parts["W"][free].ravel(), parts["c"]] if n_hidden else []
        return np.concatenate([*pieces, parts["b"][free], *hidden])

    sums = FlipSums(words.X, words.counts / words.counts.sum(), kind)
    sums.lay_out(theta.b.copy(), None if theta.J is None else theta.J.copy(), n_hidden, free, pairs)
    x = flat(theta.arrays._asdict(), 1.0)
    gradient = np.full(x.size, np.nan)
    value = sums.value_and_gradient(x, gradient)
    expected, slopes = brute_force(theta, words, link)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(gradient, flat(slopes, 2.0), rtol=1e-10, atol=1e-12)


def test_what_is_beyond_the_range_of_numbers_is_an_error():
    sums = FlipSums(np.zeros((1, 2), np.uint8), np.ones(1), "flow")
    none = np.zeros(0, dtype=np.intp)
    sums.lay_out(np.zeros(2), None, 1, np.arange(2), (none, none))
    gradient = np.empty(5)
    with pytest.raises(OverflowError, match="the flow K or its gradient is larger"):
        sums.value_and_gradient(np.array([3000.0, 0.0, 1.0, 1.0, 0.0]), gradient)
    with pytest.raises(OverflowError, match="a hidden weight is 101"):
        sums.value_and_gradient(np.array([0.0, 0.0, 101.0, 1.0, 0.0]), gradient)
