"""Log weights and moments of sparse words against their definitions on dense words."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import expit

from microcolumn.energy import log_weight
from microcolumn.kernels.cpu.sparse_words import log_weights, moments
from microcolumn.kernels.simd.lanes import WIDTH

N_CHUNKS = 3
#: Input of a hidden unit that pads a row.
OFF = -1e4


def listed(X):
    """Where the active bits of each word begin, and which they are."""
    offsets = np.concatenate([[0], np.cumsum(X.sum(axis=1, dtype=np.intp))])
    return offsets, np.nonzero(X)[1].astype(np.int32)


def padded(theta):
    """Weights and biases of hidden units in whole rows of lanes."""
    n_padded = -(-theta.n_hidden // WIDTH) * WIDTH
    W, c = np.zeros((theta.n_visible, n_padded)), np.full(n_padded, OFF)
    if theta.n_hidden:
        W[:, : theta.n_hidden], c[: theta.n_hidden] = theta.W, theta.c
    return W, c


def computed_log_weights(theta, X):
    J = np.zeros((0, 0)) if theta.J is None else theta.J
    out = np.full(len(X), np.nan)
    log_weights(*listed(X), theta.b, J, *padded(theta), out)
    return out


def computed_moments(theta, X, weights):
    """Rates or pairs, weights' and hidden biases' moments of each chunk, padding included."""
    W, c = padded(theta)
    n_rows = 1 if theta.J is None else theta.n_visible
    pairs = np.zeros((N_CHUNKS, n_rows, theta.n_visible))
    crossed, hidden = np.zeros((N_CHUNKS, *W.shape)), np.zeros((N_CHUNKS, c.size))
    first = np.linspace(0, len(X), N_CHUNKS + 1).astype(np.intp)
    moments(*listed(X), weights, W, c, first, pairs, crossed, hidden)
    return pairs, crossed, hidden


@st.composite
def models_and_words(draw, random_parameters):
    kind = draw(st.sampled_from(["independent", "ising", "rbm", "srbm"]))
    n_units, n_hidden = draw(st.integers(1, 70)), draw(st.integers(1, 2 * WIDTH + 1))
    seed = draw(st.integers(0, 999))
    theta = random_parameters(kind, n_units, n_hidden, draw(st.sampled_from([0.1, 1.0, 5.0])), seed)
    rng = np.random.default_rng(seed)
    density = draw(st.sampled_from([0.0, 0.05, 0.5, 1.0]))
    X = (rng.random((draw(st.integers(0, 12)), n_units)) < density).astype(np.uint8)
    return theta, X, rng.random(len(X)) * rng.integers(0, 2, len(X))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_log_weights_are_those_of_the_energy(random_parameters, data):
    theta, X, _ = data.draw(models_and_words(random_parameters))
    wanted = log_weight(theta, X)
    scale = 1.0 + np.abs(wanted).max(initial=0.0)
    np.testing.assert_allclose(
        computed_log_weights(theta, X), wanted, rtol=1e-12, atol=1e-13 * scale
    )


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_moments_are_dense_products(random_parameters, data):
    theta, X, weights = data.draw(models_and_words(random_parameters))
    pairs, crossed, hidden = (part.sum(axis=0) for part in computed_moments(theta, X, weights))
    x = X.astype(float)
    if theta.J is None:
        np.testing.assert_allclose(pairs[0], weights @ x, rtol=1e-12, atol=1e-15)
    else:
        wanted = np.tril(x.T @ (weights[:, None] * x))
        np.testing.assert_allclose(pairs, wanted, rtol=1e-12, atol=1e-15)
    n_hidden = theta.n_hidden
    if n_hidden:
        on = weights[:, None] * expit(theta.c + x @ theta.W)
        np.testing.assert_allclose(hidden[:n_hidden], on.sum(axis=0), rtol=1e-11, atol=1e-14)
        np.testing.assert_allclose(crossed[:, :n_hidden], x.T @ on, rtol=1e-11, atol=1e-14)
    # Hidden units that pad a row are never on.
    assert not crossed[:, n_hidden:].any()
    assert not hidden[n_hidden:].any()


def test_the_silent_word_weighs_what_its_hidden_units_may_be(random_parameters):
    silent = np.zeros((1, 5), dtype=np.uint8)
    theta = random_parameters("srbm", 5, 3, seed=1)
    [found] = computed_log_weights(theta, silent)
    assert found == pytest.approx(np.logaddexp(0.0, theta.c).sum(), rel=1e-13)
    [found] = computed_log_weights(random_parameters("ising", 5, seed=1), silent)
    assert found == 0.0


def test_chunks_hold_their_own_words_alone(random_parameters):
    theta = random_parameters("srbm", 4, 2, seed=3)
    X = np.array([[1, 1, 0, 0], [0, 1, 0, 1], [1, 1, 1, 1]], dtype=np.uint8)
    pairs, _, hidden = computed_moments(theta, X, np.array([1.0, 2.0, 4.0]))
    for chunk, weight in enumerate((1.0, 2.0, 4.0)):
        x = X[chunk].astype(float)
        assert np.array_equal(pairs[chunk], np.tril(weight * np.outer(x, x)))
        np.testing.assert_allclose(hidden[chunk, :2], weight * expit(theta.c + x @ theta.W))


def test_any_number_of_threads_gives_the_same_bits(random_parameters):
    theta = random_parameters("srbm", 40, 2 * WIDTH + 3, seed=2)
    rng = np.random.default_rng(0)
    X = (rng.random((500, 40)) < 0.2).astype(np.uint8)
    weights, before = rng.random(500), numba.get_num_threads()
    found = []
    for n_threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(n_threads)
        try:
            found.append([computed_log_weights(theta, X), *computed_moments(theta, X, weights)])
        finally:
            numba.set_num_threads(before)
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)
