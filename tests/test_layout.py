from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.energy import log_weight
from microcolumn.layout import NEVER_COACTIVE, Layout
from microcolumn.objectives import MinimumProbabilityFlow, NegativeLogLikelihood, PseudoLikelihood
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1
from microcolumn.words import Words

KINDS = ("independent", "ising", "kpairwise", "rbm", "srbm")


def _fixed(n_units, seed):
    return np.random.default_rng(seed).random(n_units) < 0.4


def _map(function, theta):
    parts = {name: getattr(theta, name) for name in ("J", "b", "W", "c", "v")}
    return Parameters(**{k: None if v is None else function(v) for k, v in parts.items()})


def _inner(one, other):
    """Sum of products of the entries of two parameters of one kind."""
    pairs = [(getattr(one, name), getattr(other, name)) for name in ("J", "b", "W", "c", "v")]
    return sum(float((a * b).sum()) for a, b in pairs if a is not None)


def _same(one, other):
    return all(
        (getattr(one, name) is None and getattr(other, name) is None)
        or np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("J", "b", "W", "c", "v")
    )


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=20)
@given(n_units=st.integers(1, 6), n_hidden=st.integers(1, 4), seed=st.integers(0, 99))
def test_packing_and_unpacking_are_inverse(random_parameters, kind, n_units, n_hidden, seed):
    theta = random_parameters(kind, n_units, n_hidden, seed=seed)
    layout = Layout.of(theta)
    vector = layout.pack(theta)
    n_pairs = n_units * (n_units - 1) // 2 if theta.J is not None else 0
    n_potential = n_units - 1 if theta.v is not None else 0
    assert vector.size == n_pairs + n_units + theta.n_hidden * (n_units + 1) + n_potential
    assert _same(layout.unpack(vector), theta)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=20)
@given(n_units=st.integers(1, 6), seed=st.integers(0, 99))
def test_fixed_units_keep_their_bias_and_have_neither_couplings_nor_weights(
    random_parameters, kind, n_units, seed
):
    theta, fixed = random_parameters(kind, n_units, seed=seed), _fixed(n_units, seed)
    layout = Layout.of(theta, fixed)
    vector = np.random.default_rng(seed).normal(size=layout.size)
    moved = layout.unpack(vector)
    assert moved.kind == theta.kind
    assert np.array_equal(moved.b[fixed], theta.b[fixed])
    if moved.J is not None:
        assert not moved.J[fixed].any()
    if moved.W is not None:
        assert not moved.W[fixed].any()
    assert np.array_equal(layout.pack(moved), vector)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=20)
@given(n_units=st.integers(1, 6), seed=st.integers(0, 99))
def test_a_packed_gradient_is_the_slope_along_the_packed_coordinates(
    random_parameters, kind, n_units, seed
):
    # sum(dK/dJ * dJ) is the change of K for a symmetric step dJ, so for K linear in J, b, W, c
    # with these slopes the change along any direction of the coordinates is known.
    slopes = random_parameters(kind, n_units, seed=seed)
    fixed = _fixed(n_units, seed)
    layout = Layout.of(_map(np.zeros_like, slopes), fixed)
    direction = np.random.default_rng(seed + 1).normal(size=layout.size)
    change = _inner(slopes, layout.unpack(direction))
    assert layout.pack_gradient(slopes) @ direction == pytest.approx(change, rel=1e-12, abs=1e-12)


def test_pairs_that_are_never_coactive_are_no_coordinates_and_have_their_coupling(
    random_parameters,
):
    theta = random_parameters("srbm", 4, 2)
    never = np.zeros((4, 4), dtype=bool)
    never[[0, 2, 1, 3], [2, 0, 3, 1]] = True
    layout = Layout.of(theta, np.array([False, False, False, True]), never)
    vector = layout.pack(theta)
    assert vector.size == 2 + 3 + 3 * 2 + 2
    moved = layout.unpack(vector)
    assert moved.J[0, 2] == moved.J[2, 0] == -20.0
    assert moved.J[1, 3] == 0.0, "a fixed unit has no couplings at all"
    assert moved.J[0, 1] == theta.J[0, 1]
    assert np.array_equal(layout.pack(moved), vector)
    assert layout.multiplicity.tolist() == [2.0] * 2 + [1.0] * (3 + 3 * 2 + 2)


def test_a_basis_of_the_potential_changes_coordinates_and_slopes(random_parameters):
    theta = random_parameters("kpairwise", 5, seed=1)
    plain = Layout.of(theta)
    basis = np.random.default_rng(0).normal(size=(4, 4))
    turned = replace(plain, basis=basis)
    x = turned.pack(theta)
    np.testing.assert_allclose(basis @ x[turned.potential], theta.v[2:], atol=1e-12)
    np.testing.assert_allclose(turned.unpack(x).v, theta.v, atol=1e-12)
    assert np.array_equal(x[: turned.offsets[-1]], plain.pack(theta)[: plain.offsets[-1]])
    # The slope along a step is the same in both.
    gradient, step = (
        random_parameters("kpairwise", 5, seed=2),
        np.random.default_rng(1).normal(size=4),
    )
    slopes = turned.pack_gradient(gradient)[turned.potential]
    assert slopes @ step == pytest.approx(gradient.v[2:] @ (basis @ step))


def _tied(random_parameters, kind, n_bins, n_units, n_profiles, seed=0):
    """A tied layout, and parameters whose coordinates are random."""
    theta = random_parameters(kind, n_bins * n_units, n_bins * n_profiles, seed=seed)
    layout = Layout.of(theta, tied_bins=n_bins)
    x = np.random.default_rng(seed).normal(size=layout.size)
    if theta.W is not None:
        x[layout.hidden_biases] = -np.abs(x[layout.hidden_biases])
    return layout, x


TIED = given(
    n_bins=st.integers(2, 5),
    n_units=st.integers(1, 3),
    n_profiles=st.integers(1, 2),
    seed=st.integers(0, 99),
)


@pytest.mark.parametrize("kind", ["ising", "rbm", "srbm"])
@settings(deadline=None, max_examples=15)
@TIED
def test_tied_parameters_depend_on_the_lag_alone(
    random_parameters, kind, n_bins, n_units, n_profiles, seed
):
    layout, x = _tied(random_parameters, kind, n_bins, n_units, n_profiles, seed)
    theta = layout.unpack(x)
    assert np.array_equal(layout.pack(theta), x)
    pairs = n_units * (n_units - 1) // 2 + (n_bins - 1) * n_units**2
    weights = (2 * n_bins - 1) * n_units * n_profiles + n_profiles
    of_kind = pairs * (theta.J is not None) + weights * (theta.W is not None)
    assert layout.size == of_kind + n_bins * n_units
    for part, n_columns in ((theta.J, n_units), (theta.W, n_profiles)):
        if part is None:
            continue
        by_bin = part.reshape(n_bins, n_units, n_bins, n_columns)
        assert np.array_equal(by_bin[1:, :, 1:], by_bin[:-1, :, :-1])
    # The orientation: J of an older and a newer unit, and not the other way round.
    if theta.J is not None and n_units > 1:
        assert theta.J[0, n_units + 1] != theta.J[1, n_units]
    entries = sum(np.abs(part).sum() for part in (theta.J, theta.W) if part is not None)
    assert L1(0.1).value(x, layout) == pytest.approx(0.1 * entries)


@pytest.mark.parametrize("kind", ["ising", "rbm", "srbm"])
@pytest.mark.parametrize(
    "objective", [NegativeLogLikelihood, PseudoLikelihood, MinimumProbabilityFlow]
)
@settings(deadline=None, max_examples=5)
@TIED
def test_slopes_along_tied_coordinates_are_finite_differences(
    random_parameters, kind, objective, n_bins, n_units, n_profiles, seed
):
    layout, x = _tied(random_parameters, kind, n_bins, n_units, n_profiles, seed)
    rng = np.random.default_rng(seed)
    words = Words.from_array(rng.random((50, n_units)) < 0.3).embed(n_bins)
    function, gradient, ignored = objective(words), np.empty(x.size), np.empty(x.size)
    function.evaluate(x, layout, gradient)
    step = 1e-5 * rng.normal(size=x.size)
    ends = [function.evaluate(x + way * step, layout, ignored) for way in (1.0, -1.0)]
    assert 0.5 * (ends[0] - ends[1]) == pytest.approx(gradient @ step, rel=1e-5, abs=1e-9)
    some = np.flatnonzero(rng.random(x.size) < 0.5)
    design = layout.design(layout.unpack(x), words.X, some)
    moved = np.zeros(x.size)
    moved[some] = step[some]
    ends = [log_weight(layout.unpack(x + way * moved), words.X) for way in (1.0, -1.0)]
    np.testing.assert_allclose(0.5 * (ends[0] - ends[1]), design @ step[some], atol=1e-9)


def test_a_unit_or_pair_is_left_out_where_it_is_so_in_every_bin(random_parameters):
    theta, n = random_parameters("ising", 6), 2
    fixed = np.array([True, False] * 3)
    assert np.array_equal(Layout.of(theta, fixed, tied_bins=3).fixed, fixed)
    fixed[4] = False  # it fires in the newest bin
    assert not Layout.of(theta, fixed, tied_bins=3).fixed.any()
    never = np.zeros((6, 6), dtype=bool)
    never[0, 3] = never[3, 0] = never[2, 5] = never[5, 2] = True  # unit 0, then unit 1
    J = Layout.of(theta, None, never, tied_bins=3).unpack(np.zeros(20)).J
    assert J[0, n + 1] == J[n, 2 * n + 1] == NEVER_COACTIVE
    assert np.count_nonzero(J) == 4
    never[2, 5] = never[5, 2] = False
    assert not Layout.of(theta, None, never, tied_bins=3).never_coactive.any()
