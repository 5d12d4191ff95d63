"""The moments kernel against sums written out state by state."""

import numpy as np
import pytest
from scipy.special import expit

from microcolumn.kernels.cpu.moments import LANE_UNITS, moment_chunks
from microcolumn.kernels.simd.lanes import WIDTH


def bits(n_units):
    return ((np.arange(1 << n_units)[:, None] >> np.arange(n_units)) & 1).astype(float)


def padded(size):
    return -(-size // WIDTH) * WIDTH


def random_tables(n_a, n_b, n_hidden, n_inner_hidden, n_chunks=2, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "log_outer": rng.normal(size=1 << n_a),
        "log_inner": rng.normal(size=1 << n_b),
        "outer_fields": rng.normal(size=(n_chunks, n_a)),
        "inner_fields": rng.normal(size=(n_chunks, n_b)),
        "fields": rng.normal(size=(1 << n_a, n_b)),
        "outer_z": rng.normal(size=(1 << n_a, n_hidden)),
        "chunk_z": rng.normal(size=(n_chunks, n_hidden)),
        "inner_z": rng.normal(size=(1 << n_b, n_inner_hidden)),
    }


def run(t):
    n_chunks, n_a = t["outer_fields"].shape
    n_b, n_hidden = t["inner_fields"].shape[1], t["chunk_z"].shape[1]
    centres = 0.5 * t["inner_z"].sum(axis=1)
    missing = ((0, 0), (0, padded(n_hidden) - n_hidden))
    n_rows = (1 << n_b) // WIDTH
    gains = np.exp(t["inner_z"]).reshape(n_rows, WIDTH, -1).transpose(0, 2, 1)
    outer = np.empty((n_chunks, 1 + n_a, padded(1 + n_b + n_hidden)))
    outer_pairs, inner_pairs = np.empty((n_chunks, n_a, n_a)), np.empty((n_chunks, n_b, n_b))
    inner_hidden, logs = np.empty((n_chunks, n_b, n_hidden)), np.empty(n_chunks)
    moment_chunks(
        t["log_outer"],
        t["log_inner"] + centres,
        centres,
        t["outer_fields"],
        t["inner_fields"],
        np.exp(t["fields"][:, :LANE_UNITS] @ bits(LANE_UNITS).T),
        np.exp(t["fields"][:, LANE_UNITS:] @ bits(n_b - LANE_UNITS).T),
        np.pad(t["outer_z"], missing),
        np.pad(t["chunk_z"], missing, constant_values=-1e4),
        np.ascontiguousarray(gains),
        outer,
        outer_pairs,
        inner_pairs,
        inner_hidden,
        logs,
    )
    return outer, outer_pairs, inner_pairs, inner_hidden, logs


def by_hand(t, chunk):
    """Weights and sigmoids of all pairs (a, b): shapes (n_a, n_b), (n_a, n_b, n_hidden)."""
    A, B = bits(t["outer_fields"].shape[1]), bits(t["inner_fields"].shape[1])
    log_a = t["log_outer"] + A @ t["outer_fields"][chunk]
    log_b = t["log_inner"] + B @ t["inner_fields"][chunk]
    z = np.repeat((t["outer_z"] + t["chunk_z"][chunk])[:, None, :], B.shape[0], axis=1)
    z[:, :, : t["inner_z"].shape[1]] += t["inner_z"]
    log_pairs = log_a[:, None] + log_b + t["fields"] @ B.T + np.logaddexp(0.0, z).sum(axis=2)
    return A, B, np.exp(log_pairs), expit(z)


@pytest.mark.parametrize(("n_a", "n_b"), [(4, 4), (5, 6), (4, 8), (6, 5)])
@pytest.mark.parametrize(("n_hidden", "n_inner_hidden"), [(0, 0), (3, 3), (9, 4), (2, 0)])
def test_all_moments_are_the_sums_over_states(n_a, n_b, n_hidden, n_inner_hidden):
    t = random_tables(n_a, n_b, n_hidden, n_inner_hidden, seed=n_a)
    outer, outer_pairs, inner_pairs, inner_hidden, logs = run(t)
    for chunk in range(logs.size):
        A, B, weights, sigmoids = by_hand(t, chunk)
        scale = np.exp(logs[chunk])
        with_one = np.column_stack([np.ones(A.shape[0]), A])
        features = np.column_stack(
            [weights.sum(axis=1), weights @ B, np.einsum("ab,abi->ai", weights, sigmoids)]
        )
        n_features = features.shape[1]
        close = {"rtol": 1e-12, "atol": 1e-12 * weights.sum()}
        np.testing.assert_allclose(
            outer[chunk, :, :n_features] * scale, with_one.T @ features, **close
        )
        by_a, by_b = weights.sum(axis=1), weights.sum(axis=0)
        np.testing.assert_allclose(outer_pairs[chunk] * scale, A.T @ (by_a[:, None] * A), **close)
        np.testing.assert_allclose(inner_pairs[chunk] * scale, B.T @ (by_b[:, None] * B), **close)
        np.testing.assert_allclose(
            inner_hidden[chunk] * scale,
            np.einsum("ab,bn,abi->ni", weights, B, sigmoids),
            **close,
        )
