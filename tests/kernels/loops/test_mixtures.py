"""Mixtures on sparse words against their definition on dense ones."""

import numba
import numpy as np
from hypothesis import given, settings, strategies as st
from scipy.special import logsumexp

from microcolumn.kernels.loops.mixtures import log_joint, log_mixture, responsibility_sums
from microcolumn.kernels.simd.lanes import WIDTH

N_CHUNKS = 3
#: Log weight of a component that pads a row.
NEVER = -1e30


def problem(seed, n_words, n_bits, n_components, density=0.3, scale=2.0):
    """Words, logits and log probability of silence, with components in whole rows."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_words, n_bits)) < density).astype(np.uint8)
    n_padded = -(-n_components // WIDTH) * WIDTH
    logits, silent = np.zeros((n_bits, n_padded)), np.full(n_padded, NEVER)
    logits[:, :n_components] = rng.normal(scale=scale, size=(n_bits, n_components))
    silent[:n_components] = rng.normal(scale=scale, size=n_components)
    return X, logits, silent, rng.random(n_words) * 5.0


def listed(X):
    offsets = np.concatenate([[0], np.cumsum(X.sum(axis=1, dtype=np.intp))])
    return offsets, np.nonzero(X)[1].astype(np.int32)


def chunked(n_words):
    return np.linspace(0, n_words, N_CHUNKS + 1).astype(np.intp)


def computed(X, logits, silent, counts):
    """Log probabilities, log joint, and the sums of each chunk."""
    first = chunked(len(X))
    out, joint = np.full(len(X), np.nan), np.full((len(X), silent.size), np.nan)
    log_mixture(*listed(X), logits, silent, first, out)
    log_joint(*listed(X), logits, silent, first, joint)
    sums = (
        np.zeros((N_CHUNKS, *logits.shape)),
        np.zeros((N_CHUNKS, silent.size)),
        np.zeros(N_CHUNKS),
    )
    responsibility_sums(*listed(X), counts, logits, silent, first, *sums)
    return out, joint, *sums


@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 999),
    st.integers(0, 12),
    st.integers(1, 40),
    st.integers(1, 2 * WIDTH + 1),
    st.sampled_from([0.0, 0.1, 1.0]),
    st.sampled_from([0.1, 2.0, 50.0]),
)
def test_everything_is_what_dense_products_give(seed, n_words, n_bits, n, density, scale):
    X, logits, silent, counts = problem(seed, n_words, n_bits, n, density, scale)
    out, joint, spikes, shares, nats = computed(X, logits, silent, counts)
    x = X.astype(float)
    wanted = silent[:n] + x @ logits[:, :n]
    close = {"rtol": 1e-12, "atol": 1e-12 * (1.0 + np.abs(wanted).max(initial=0.0))}
    np.testing.assert_allclose(joint[:, :n], wanted, **close)
    np.testing.assert_allclose(out, logsumexp(wanted, axis=1), **close)
    r = counts[:, None] * np.exp(wanted - logsumexp(wanted, axis=1, keepdims=True))
    np.testing.assert_allclose(shares.sum(axis=0)[:n], r.sum(axis=0), rtol=1e-9, atol=1e-25)
    np.testing.assert_allclose(spikes.sum(axis=0)[:, :n], x.T @ r, rtol=1e-9, atol=1e-25)
    np.testing.assert_allclose(nats.sum(), counts @ logsumexp(wanted, axis=1), **close)
    # Components that pad a row have no words.
    assert not shares[:, n:].any()
    assert not spikes[:, :, n:].any()


def test_chunks_hold_their_own_words_alone():
    X, logits, silent, counts = problem(1, N_CHUNKS, 5, 3)
    _, _, _, shares, nats = computed(X, logits, silent, counts)
    np.testing.assert_allclose(shares.sum(axis=1), counts)
    wanted = counts * logsumexp(silent[:3] + X @ logits[:, :3], axis=1)
    np.testing.assert_allclose(nats, wanted)


def test_any_number_of_threads_gives_the_same_bits():
    parts = problem(2, 400, 30, 2 * WIDTH + 3)
    before, found = numba.get_num_threads(), []
    for n_threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(n_threads)
        try:
            found.append(computed(*parts))
        finally:
            numba.set_num_threads(before)
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)
