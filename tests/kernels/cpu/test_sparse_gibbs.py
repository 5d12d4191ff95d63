"""Chains one by one against chains side by side, which are pinned to the definition."""

import numpy as np
import pytest

from microcolumn.energy import log_weight
from microcolumn.kernels.cpu.gibbs import REFRESH
from microcolumn.kernels.cpu.sparse_gibbs import advance_sparse
from microcolumn.parameters import Parameters
from microcolumn.partition import _gibbs
from microcolumn.partition._gibbs_tables import single_chains, suits_single_chains


def model(n_units, share, n_hidden=0, seed=0):
    """A model of which so many couplings are not zero; the last units have no weights."""
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(scale=0.3, size=(n_units, n_units)), 1)
    J *= rng.random(J.shape) < share
    W = rng.normal(scale=0.7, size=(n_units, n_hidden))
    W[n_units // 2 :] = 0.0
    c = rng.normal(size=n_hidden) - 1.0
    return Parameters(b=rng.normal(size=n_units) - 2.0, J=J + J.T, W=W, c=c)


def run(theta, monkeypatch, one_by_one, betas, increments, backwards):
    monkeypatch.setattr(_gibbs, "suits_single_chains", lambda _: one_by_one)
    rng = np.random.default_rng(3)
    logits, start = rng.normal(size=theta.n_visible), rng.random((19, theta.n_visible)) < 0.2
    sampler = _gibbs.Sampler(theta, 19, seed=0x123456789ABC, base_logits=logits, initial=start)
    return sampler.run(betas, increments, backwards=backwards), logits


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    ("n_units", "share", "n_hidden"), [(5, 1.0, 0), (70, 0.1, 0), (37, 1.0, 9), (70, 0.1, 3)]
)
def test_chains_are_those_of_the_definition(monkeypatch, n_units, share, n_hidden, backwards):
    theta = model(n_units, share, n_hidden)
    betas, increments = np.linspace(0.0, 1.0, REFRESH + 4), np.full(REFRESH + 4, 0.01)
    path = betas, increments, backwards
    side_by_side, _ = run(theta, monkeypatch, False, *path)
    one_by_one, _ = run(theta, monkeypatch, True, *path)
    np.testing.assert_array_equal(one_by_one.words, side_by_side.words)
    assert 0.02 < one_by_one.words.mean() < 0.6
    weights = one_by_one.log_weights, side_by_side.log_weights
    np.testing.assert_allclose(*weights, rtol=1e-11, atol=1e-11)


def test_weights_grow_by_log_p_over_the_base(monkeypatch):
    theta = model(37, 1.0, 9)
    sampler, logits = run(theta, monkeypatch, True, [0.4], [1.0], False)
    expected = log_weight(theta, sampler.words) - sampler.words @ logits
    np.testing.assert_allclose(sampler.log_weights, expected, rtol=1e-12)


def test_a_run_in_parts_is_one_run():
    theta = model(40, 1.0, 2)
    start = np.zeros((3, 40))
    path = np.array([[0.5, 0.1], [1.0, 0.1], [1.0, 0.1]])
    found = []
    for parts in ([path], [path[:1], path[1:]]):
        tables, chains = single_chains(theta, np.zeros(40), start)
        first = 0
        for part in parts:
            advance_sparse(chains, tables, part, False, np.uint64(7), first)
            first += len(part)
        found.append(chains)
    np.testing.assert_array_equal(found[0].x, found[1].x)
    np.testing.assert_allclose(found[0].log_weights, found[1].log_weights, rtol=1e-13)


def test_chains_go_one_by_one_where_that_is_faster():
    assert suits_single_chains(model(64, 1.0))
    assert not suits_single_chains(model(63, 1.0))
    assert not suits_single_chains(Parameters(b=np.zeros(300), W=np.ones((300, 4))))
    assert suits_single_chains(model(256, 0.1, 4))
    assert not suits_single_chains(model(128, 0.1, 4))
    assert not suits_single_chains(model(256, 0.1, 40))
