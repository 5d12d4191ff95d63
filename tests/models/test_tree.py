"""Trees against all spanning trees, sums over all words and the exact Ising model."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import microcolumn as mc
from microcolumn.models import Tree, TwoTree

N_UNITS = 5


def words_of(n_words=400, n_units=N_UNITS, seed=0):
    """Words with strong pairs, among them one that is never active together."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_words, n_units)) < rng.uniform(0.1, 0.6, n_units)).astype(np.uint8)
    for unit in range(1, n_units):
        other = rng.integers(unit)
        X[:, unit] = np.where(rng.random(n_words) < 0.4, X[:, other], X[:, unit])
    if n_units > 2:
        X[:, 2] &= 1 - X[:, 0]
    return X


def mutual_information(x, y):
    total = 0.0
    for a, b in itertools.product((0, 1), repeat=2):
        p = np.mean((x == a) & (y == b))
        if p > 0.0:
            total += p * math.log(p / (np.mean(x == a) * np.mean(y == b)))
    return total


def is_forest(edges, n_units):
    root = list(range(n_units))

    def find(unit):
        return unit if root[unit] == unit else find(root[unit])

    for first, second in edges:
        if find(first) == find(second):
            return False
        root[find(first)] = find(second)
    return True


@pytest.mark.parametrize("n_units", [4, 5])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_forest_of_so_many_edges_has_more_information(n_units, seed):
    X = words_of(n_units=n_units, seed=seed)
    between = {
        pair: mutual_information(*X.T[list(pair)])
        for pair in itertools.combinations(range(n_units), 2)
    }
    n_trees = 0
    for n_edges in range(n_units):
        forests = [
            edges for edges in itertools.combinations(between, n_edges) if is_forest(edges, n_units)
        ]
        n_trees = len(forests)
        most = max(sum(between[pair] for pair in edges) for edges in forests)
        model = Tree(n_edges).fit(X)
        assert model.information_.sum() == pytest.approx(most, abs=1e-12)
        assert is_forest(model.edges_.tolist(), n_units)
        for (one, other), found in zip(model.edges_, model.information_, strict=True):
            assert found == pytest.approx(between[min(one, other), max(one, other)], abs=1e-12)
    assert n_trees == n_units ** (n_units - 2)  # Cayley: all spanning trees were compared


def test_couplings_are_log_odds_ratios_with_half_a_word_in_each_cell(every_word):
    X = words_of()
    model = Tree().fit(X)
    theta, states = model.as_parameters(), every_word(N_UNITS)
    p = np.exp(model.score_samples(states))
    for one, other in model.edges_:
        cells = [
            np.sum((X[:, one] == a) & (X[:, other] == b)) + 0.5 for a in (1, 0) for b in (1, 0)
        ]
        ratio = math.log(cells[0] * cells[3] / (cells[1] * cells[2]))
        assert 2.0 * theta.J[one, other] == pytest.approx(ratio, rel=1e-12)
        # The same ratio in the table of the two units under the model.
        inside = [
            p[(states[:, one] == a) & (states[:, other] == b)].sum() for a in (1, 0) for b in (1, 0)
        ]
        found = math.log(inside[0] * inside[3] / (inside[1] * inside[2]))
        assert found == pytest.approx(ratio, rel=1e-9)
    assert np.count_nonzero(theta.J) == 2 * len(model.edges_) == 2 * (N_UNITS - 1)


def test_without_edges_it_is_the_independent_model(every_word):
    train, X = words_of(), every_word(N_UNITS)
    independent = mc.Independent().fit(train)
    model = Tree(0).fit(train)
    np.testing.assert_allclose(model.score_samples(X), independent.score_samples(X), rtol=1e-12)
    assert (model.n_couplings_, model.size_, model.n_parameters_) == (0, "0 edges", N_UNITS)


def test_a_tree_is_found_again_from_its_own_words():
    rng = np.random.default_rng(2)
    n_units, parents = 12, [0, 0, 1, 1, 2, 0, 5, 6, 6, 3, 9]
    J = np.zeros((n_units, n_units))
    for unit, parent in enumerate(parents, start=1):
        J[unit, parent] = J[parent, unit] = rng.uniform(0.6, 1.2)
    truth = mc.Ising.from_parameters(mc.Parameters(b=np.full(n_units, -2.0), J=J))
    model = Tree().fit(truth.sample(40_000, random_state=0, method="exact"))
    edges = {tuple(sorted(edge)) for edge in model.edges_.tolist()}
    assert edges == {tuple(sorted(edge)) for edge in enumerate(parents, start=1)}
    found = model.as_parameters()
    assert np.abs(found.J - J).max() < 0.1
    assert np.abs(found.b - truth.b_).max() < 0.15


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 999), n_units=st.integers(1, 6), n_words=st.integers(1, 20))
def test_few_words_silent_and_constant_units_leave_it_proper(every_word, seed, n_units, n_words):
    rng = np.random.default_rng(seed)
    X = (rng.random((n_words, n_units)) < rng.choice([0.0, 0.1, 0.5, 1.0], n_units)).astype(int)
    states = every_word(n_units)
    for cls, n_edges in ((Tree, None), (Tree, min(2, n_units - 1)), (TwoTree, None)):
        model = cls(n_edges).fit(X)
        log_p = model.score_samples(states)
        assert np.isfinite(log_p).all()
        assert np.exp(log_p).sum() == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_allclose(np.exp(log_p) @ states, model.rates_, atol=1e-12)
        assert model.entropy_ == pytest.approx(-(np.exp(log_p) @ log_p), abs=1e-10)
