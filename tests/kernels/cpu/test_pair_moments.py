"""The kernel for pair moments against sums written out state by state."""

from __future__ import annotations

import numpy as np
import pytest

from microcolumn.kernels.cpu.pair_moments import LOW_UNITS, pair_moment_chunks


def bits(n_units):
    return ((np.arange(1 << n_units)[:, None] >> np.arange(n_units)) & 1).astype(float)


@pytest.mark.parametrize(("n_a", "n_b"), [(4, 8), (6, 8), (7, 9), (4, 10)])
@pytest.mark.parametrize("scale", [0.1, 5.0])
def test_all_moments_are_the_sums_over_states(n_a, n_b, scale):
    rng = np.random.default_rng(n_a)
    n_chunks = 3
    log_outer, log_inner = (rng.normal(0.0, scale, 1 << n) for n in (n_a, n_b))
    outer_fields, inner_fields = (rng.normal(0.0, scale, (n_chunks, n)) for n in (n_a, n_b))
    fields = rng.normal(0.0, scale, (1 << n_a, n_b))
    outer, logs = np.empty((n_chunks, 1 + n_a, 1 + n_b)), np.empty(n_chunks)
    outer_pairs, inner_pairs = np.empty((n_chunks, n_a, n_a)), np.empty((n_chunks, n_b, n_b))
    pair_moment_chunks(
        log_outer,
        log_inner,
        outer_fields,
        inner_fields,
        np.exp(fields[:, :LOW_UNITS] @ bits(LOW_UNITS).T),
        np.exp(fields[:, LOW_UNITS:] @ bits(n_b - LOW_UNITS).T),
        outer,
        outer_pairs,
        inner_pairs,
        logs,
    )
    A, B = bits(n_a), bits(n_b)
    with_one_a = np.column_stack([np.ones(1 << n_a), A])
    with_one_b = np.column_stack([np.ones(1 << n_b), B])
    for chunk in range(n_chunks):
        log_a = log_outer + A @ outer_fields[chunk]
        log_b = log_inner + B @ inner_fields[chunk]
        weights = np.exp(log_a[:, None] + log_b + fields @ B.T - logs[chunk])
        close = {"rtol": 1e-12, "atol": 1e-13 * weights.sum()}
        np.testing.assert_allclose(outer[chunk], with_one_a.T @ weights @ with_one_b, **close)
        by_a, by_b = weights.sum(axis=1), weights.sum(axis=0)
        np.testing.assert_allclose(outer_pairs[chunk], A.T @ (by_a[:, None] * A), **close)
        np.testing.assert_allclose(inner_pairs[chunk], B.T @ (by_b[:, None] * B), **close)
