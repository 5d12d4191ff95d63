"""Recursions of hidden Markov chains against sums over all paths."""

from itertools import pairwise, product

import numba
import numpy as np
import pytest

from microcolumn.kernels.loops.markov import backward, forward, most_likely_path

N_MODES, N_WORDS, N_UNITS = 3, 4, 5
RUNS = np.array([0, 4, 5, 9])


def problem(seed=0, n_modes=N_MODES, runs=RUNS):
    """Probabilities, the words of the bins, and the bits of the words."""
    rng = np.random.default_rng(seed)
    return (
        rng.random((N_WORDS, n_modes)),
        rng.dirichlet(np.ones(n_modes)),
        rng.dirichlet(np.ones(n_modes), size=n_modes),
        rng.integers(0, N_WORDS, runs[-1]).astype(np.int32),
        (rng.random((N_WORDS, N_UNITS)) < 0.4).astype(np.uint8),
    )


def computed(emissions, start, transitions, index, X, runs=RUNS, first=(0, 2, 3)):
    """Filtered modes, scales, modes given whole runs, and sums over all parts."""
    first = np.array(first)
    n, n_bins, n_parts = start.size, index.size, first.size - 1
    filtered, scale = np.empty((n_bins, n)), np.empty(n_bins)
    forward(index, runs, first, emissions, start, transitions, filtered, scale)
    modes = filtered.copy()
    sums = [np.zeros((n_parts, *shape, n)) for shape in [(N_UNITS,), (), (), (n,)]]
    offsets = np.concatenate([[0], np.cumsum(X.sum(axis=1, dtype=np.intp))])
    active = np.nonzero(X)[1].astype(np.int32)
    transposed = np.ascontiguousarray(transitions.T)
    backward(index, runs, first, emissions, transposed, scale, offsets, active, modes, *sums)
    spikes, shares, starts, pairs = (each.sum(axis=0) for each in sums)
    return filtered, scale, modes, spikes, shares, starts, pairs * transitions


def paths_of(emissions, start, transitions, index):
    """All paths through one run and their joint probability with its bins."""
    paths = list(product(range(start.size), repeat=index.size))
    p = []
    for path in paths:
        value = start[path[0]]
        for before, after in pairwise(path):
            value *= transitions[before, after]
        p.append(value * np.prod([emissions[w, k] for w, k in zip(index, path, strict=True)]))
    return np.array(paths), np.array(p)


@pytest.mark.parametrize("seed", range(3))
def test_recursions_are_sums_over_all_paths(seed):
    emissions, start, transitions, index, X = parts = problem(seed)
    filtered, scale, modes, spikes, shares, starts, pairs = computed(*parts)
    wanted = dict.fromkeys(("spikes", "starts", "pairs"), 0.0)
    for begin, end in pairwise(RUNS):
        run = index[begin:end]
        for t in range(1, end - begin + 1):
            upto, p = paths_of(emissions, start, transitions, run[:t])
            now = np.bincount(upto[:, -1], weights=p, minlength=N_MODES)
            np.testing.assert_allclose(filtered[begin + t - 1], now / now.sum(), rtol=1e-12)
            likelihood = np.prod(scale[begin : begin + t])
            np.testing.assert_allclose(likelihood, p.sum(), rtol=1e-12)
        paths, p = paths_of(emissions, start, transitions, run)
        p /= p.sum()
        is_in = np.eye(N_MODES)[paths]  # path, bin, mode
        posterior = np.einsum("p,ptk->tk", p, is_in)
        np.testing.assert_allclose(modes[begin:end], posterior, rtol=1e-11)
        wanted["starts"] += posterior[0]
        wanted["spikes"] += X[run].T.astype(float) @ posterior
        wanted["pairs"] += np.einsum("p,pti,ptj->ij", p, is_in[:, :-1], is_in[:, 1:])
    np.testing.assert_allclose(starts, wanted["starts"], rtol=1e-11)
    np.testing.assert_allclose(spikes, wanted["spikes"], rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(pairs, wanted["pairs"], rtol=1e-11)
    np.testing.assert_allclose(shares, modes.sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_most_likely_path_is_the_best_of_all(seed):
    emissions, start, transitions, index, _ = problem(seed)
    path = np.empty(index.size, dtype=np.intp)
    logs = (np.log(each) for each in (emissions, start, transitions))
    most_likely_path(index, RUNS, np.array([0, 1, 3]), *logs, path)
    for begin, end in pairwise(RUNS):
        paths, p = paths_of(emissions, start, transitions, index[begin:end])
        assert path[begin:end].tolist() == paths[p.argmax()].tolist()


def test_parts_and_threads_change_no_bit_of_a_run():
    runs = np.array([0, 100, 101, 250, 400])
    parts = problem(4, n_modes=11, runs=runs)
    before, found = numba.get_num_threads(), []
    for n_threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(n_threads)
        try:
            found.append(computed(*parts, runs=runs, first=(0, 1, 3, 4)))
        finally:
            numba.set_num_threads(before)
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)
    whole = computed(*parts, runs=runs, first=(0, 4))
    for one, other in zip(found[0][:3], whole[:3], strict=True):
        assert np.array_equal(one, other)
