"""Sums over flips and their gradients, of models with dead hidden units, against brute force."""

import numpy as np
import pytest
from flips import assert_same_slopes, brute_force, flow, logistic, random_model, random_words
from hypothesis import given, settings, strategies as st

from microcolumn.kernels import FlipSums


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
    if theta.W is not None:
        theta.W[:, rng.random(5) < 0.4] = 0.0  # dead hidden units
    sums = FlipSums(words.X, words.counts / words.counts.sum(), kind)
    value, gradient = sums.value_and_gradient(theta.arrays)
    expected, slopes = brute_force(theta, words, link)
    assert value == pytest.approx(expected, rel=1e-12)
    assert_same_slopes(gradient, slopes, 1e-10)
