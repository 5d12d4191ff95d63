"""Sums under a potential of the number of active units, against sums written out."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from microcolumn.kernels.cpu.counted import (
    LOW_UNITS,
    counted_fold_chunks,
    counted_moment_chunks,
)

N_CHUNKS = 3


def bits(n_units):
    return ((np.arange(1 << n_units)[:, None] >> np.arange(n_units)) & 1).astype(float)


def _problem(n_a, n_b, scale, n_free=0):
    """Arguments of the kernels, of which the last ``n_free`` inner units do not count."""
    rng = np.random.default_rng(n_a + n_b)
    fields = rng.normal(0.0, scale, (1 << n_a, n_b))
    counts = tuple(
        bits(n)[:, : n - free].sum(axis=1).astype(np.int64) for n, free in ((n_a, 0), (n_b, n_free))
    )
    arguments = (
        rng.normal(0.0, scale, 1 << n_a),
        rng.normal(0.0, scale, 1 << n_b),
        rng.normal(0.0, scale, (N_CHUNKS, n_a)),
        rng.normal(0.0, scale, (N_CHUNKS, n_b)),
        np.exp(fields[:, :LOW_UNITS] @ bits(LOW_UNITS).T),
        np.exp(fields[:, LOW_UNITS:] @ bits(n_b - LOW_UNITS).T),
        counts,
        np.array([0, 1, 2]),
        rng.normal(0.0, 3.0 * scale, n_a + n_b - n_free + 3),
    )
    return arguments, fields


def _weights(arguments, fields, chunk, log):
    """Weight of every outer state (rows) with every inner one, and their active units."""
    log_outer, log_inner, outer_fields, inner_fields, _, _, counts, fixed, v = arguments
    n_a, n_b = outer_fields.shape[1], inner_fields.shape[1]
    log_a = log_outer + bits(n_a) @ outer_fields[chunk]
    log_b = log_inner + bits(n_b) @ inner_fields[chunk]
    n_active = fixed[chunk] + counts[0][:, None] + counts[1]
    pairs = fields @ bits(n_b).T
    return np.exp(log_a[:, None] + log_b + pairs + v[n_active] - log), n_active


SIZES = pytest.mark.parametrize(("n_a", "n_b", "n_free"), [(4, 8, 5), (6, 8, 0), (5, 10, 2)])


@SIZES
@pytest.mark.parametrize("scale", [0.1, 5.0])
def test_all_moments_are_the_sums_over_states(n_a, n_b, n_free, scale):
    arguments, fields = _problem(n_a, n_b, scale, n_free)
    outer, logs = np.empty((N_CHUNKS, 1 + n_a, 1 + n_b)), np.empty(N_CHUNKS)
    outer_pairs, inner_pairs = (np.empty((N_CHUNKS, n, n)) for n in (n_a, n_b))
    by_count = np.full((N_CHUNKS, arguments[-1].size), np.nan)
    counted_moment_chunks(*arguments, outer, outer_pairs, inner_pairs, by_count, logs)
    A, B = bits(n_a), bits(n_b)
    with_one_a, with_one_b = (np.column_stack([np.ones(len(X)), X]) for X in (A, B))
    for chunk in range(N_CHUNKS):
        weights, n_active = _weights(arguments, fields, chunk, logs[chunk])
        close = {"rtol": 1e-12, "atol": 1e-13 * weights.sum()}
        np.testing.assert_allclose(outer[chunk], with_one_a.T @ weights @ with_one_b, **close)
        by_a, by_b = weights.sum(axis=1), weights.sum(axis=0)
        np.testing.assert_allclose(outer_pairs[chunk], A.T @ (by_a[:, None] * A), **close)
        np.testing.assert_allclose(inner_pairs[chunk], B.T @ (by_b[:, None] * B), **close)
        expected = np.bincount(n_active.ravel(), weights.ravel(), minlength=by_count.shape[1])
        np.testing.assert_allclose(by_count[chunk], expected, **close)


@SIZES
def test_folded_weights_are_the_sums_over_inner_states(n_a, n_b, n_free):
    arguments, fields = _problem(n_a, n_b, 1.0, n_free)
    totals, logs = np.empty((N_CHUNKS, 1 << n_a)), np.empty(N_CHUNKS)
    counted_fold_chunks(*arguments, totals, logs)
    for chunk in range(N_CHUNKS):
        weights, _ = _weights(arguments, fields, chunk, logs[chunk])
        np.testing.assert_allclose(totals[chunk], weights.sum(axis=1), rtol=1e-12)


def test_sums_are_the_same_for_any_number_of_threads():
    arguments, _ = _problem(6, 8, 1.0)
    found = []
    for n_threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(n_threads)
        totals, logs = np.empty((N_CHUNKS, 64)), np.empty(N_CHUNKS)
        counted_fold_chunks(*arguments, totals, logs)
        found.append((totals, logs))
    numba.set_num_threads(1)
    assert all(np.array_equal(*pair) for pair in zip(*found, strict=True))
