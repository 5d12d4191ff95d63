"""Chains one by one against chains side by side, which are pinned to the definition."""

import numpy as np
import pytest

from microcolumn.kernels import GibbsChains
from microcolumn.kernels.cpu.gibbs import REFRESH, Chains
from microcolumn.kernels.cpu.sparse_gibbs import SparseChains
from microcolumn.parameters import Parameters


def model(n_units, share, n_hidden=0, seed=0, counted=False):
    """A model of which so many couplings are not zero; the last units have no weights."""
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(scale=0.3, size=(n_units, n_units)), 1)
    J *= rng.random(J.shape) < share
    W = rng.normal(scale=0.7, size=(n_units, n_hidden))
    W[n_units // 2 :] = 0.0
    c = rng.normal(size=n_hidden) - 1.0
    v = np.append([0.0, 0.0], rng.normal(size=n_units - 1)) if counted else None
    return Parameters(b=rng.normal(size=n_units) - 2.0, J=J + J.T, W=W, c=c, v=v)


def run(theta, one_by_one, betas, increments, backwards):
    rng = np.random.default_rng(3)
    logits, start = rng.normal(size=theta.n_visible), rng.random((19, theta.n_visible)) < 0.2
    chains = GibbsChains(theta.arrays, start, logits, 0x123456789ABC, one_by_one)
    chains.advance(np.column_stack([betas, increments]), backwards)
    return chains, logits


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    ("n_units", "share", "n_hidden", "counted"),
    [(5, 1.0, 0, False), (70, 0.1, 0, True), (37, 1.0, 9, False), (70, 0.1, 3, True)],
)
def test_chains_are_those_of_the_definition(n_units, share, n_hidden, counted, backwards):
    theta = model(n_units, share, n_hidden, counted=counted)
    betas, increments = np.linspace(0.0, 1.0, REFRESH + 4), np.full(REFRESH + 4, 0.01)
    path = betas, increments, backwards
    side_by_side, _ = run(theta, False, *path)
    one_by_one, _ = run(theta, True, *path)
    np.testing.assert_array_equal(one_by_one.words, side_by_side.words)
    assert 0.02 < one_by_one.words.mean() < 0.6
    weights = one_by_one.log_weights, side_by_side.log_weights
    np.testing.assert_allclose(*weights, rtol=1e-11, atol=1e-11)


def test_a_run_in_parts_is_one_run():
    theta = model(40, 1.0, 2)
    path = np.array([[0.5, 0.1], [1.0, 0.1], [1.0, 0.1]])
    found = []
    for parts in ([path], [path[:1], path[1:]]):
        chains = GibbsChains(theta.arrays, np.zeros((3, 40)), np.zeros(40), 7, one_by_one=True)
        for part in parts:
            chains.advance(part, False)
        found.append(chains)
    np.testing.assert_array_equal(found[0].words, found[1].words)
    np.testing.assert_allclose(found[0].log_weights, found[1].log_weights, rtol=1e-13)


@pytest.mark.parametrize(
    ("theta", "kind"),
    [
        (model(64, 1.0), SparseChains),
        (model(63, 1.0), Chains),
        (Parameters(b=np.zeros(300), W=np.ones((300, 4))), Chains),
        (model(256, 0.1, 4), SparseChains),
        (model(64, 1.0, counted=True), SparseChains),
        (model(128, 0.1, 4), Chains),
        (model(256, 0.1, 40), Chains),
    ],
)
def test_chains_go_one_by_one_where_that_is_faster(theta, kind):
    n_units = theta.n_visible
    chains = GibbsChains(theta.arrays, np.zeros((1, n_units)), np.zeros(n_units), 0)
    assert isinstance(chains.state, kind)
