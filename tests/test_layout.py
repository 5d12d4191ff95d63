import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.parameters import Parameters
from microcolumn.solvers._layout import Layout

KINDS = ("independent", "ising", "rbm", "srbm")


def _held(n_units, seed):
    return np.random.default_rng(seed).random(n_units) < 0.4


def _same(one, other):
    return all(
        (getattr(one, name) is None and getattr(other, name) is None)
        or np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("J", "b", "W", "c")
    )


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=20)
@given(n_units=st.integers(1, 6), n_hidden=st.integers(1, 4), seed=st.integers(0, 99))
def test_packing_and_unpacking_are_inverse(random_parameters, kind, n_units, n_hidden, seed):
    theta = random_parameters(kind, n_units, n_hidden, seed=seed)
    layout = Layout.of(theta)
    vector = layout.pack(theta)
    n_pairs = n_units * (n_units - 1) // 2 if theta.J is not None else 0
    assert vector.size == n_pairs + n_units + theta.n_hidden * (n_units + 1)
    assert _same(layout.unpack(vector, theta.b), theta)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=20)
@given(n_units=st.integers(1, 6), seed=st.integers(0, 99))
def test_held_units_keep_their_bias_and_have_neither_couplings_nor_weights(
    random_parameters, kind, n_units, seed
):
    theta, held = random_parameters(kind, n_units, seed=seed), _held(n_units, seed)
    layout = Layout.of(theta, held)
    vector = np.random.default_rng(seed).normal(size=layout.pack(theta).size)
    biases = np.arange(n_units, dtype=float)
    moved = layout.unpack(vector, biases)
    assert moved.kind == theta.kind
    assert np.array_equal(moved.b[held], biases[held])
    if moved.J is not None:
        assert not moved.J[held].any()
    if moved.W is not None:
        assert not moved.W[held].any()
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
    held = _held(n_units, seed)
    layout = Layout.of(slopes, held)
    direction = np.random.default_rng(seed + 1).normal(size=layout.pack(slopes).size)
    step = layout.unpack(direction, np.zeros(n_units))
    change = sum(
        float((getattr(slopes, name) * getattr(step, name)).sum())
        for name in ("J", "b", "W", "c")
        if getattr(slopes, name) is not None
    )
    assert layout.pack_gradient(slopes) @ direction == pytest.approx(change, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_penalty_counts_every_entry_of_couplings_and_weights_and_no_bias(
    random_parameters, kind
):
    theta = random_parameters(kind, 5, 3)
    layout = Layout.of(theta)
    expected = 0.25 * sum(np.abs(part).sum() for part in (theta.J, theta.W) if part is not None)
    assert layout.penalties(0.25) @ np.abs(layout.pack(theta)) == pytest.approx(expected, rel=1e-14)
    biases_alone = Parameters(
        b=theta.b,
        J=None if theta.J is None else 0.0 * theta.J,
        W=None if theta.W is None else 0.0 * theta.W,
        c=theta.c,
    )
    assert layout.penalties(0.25) @ np.abs(layout.pack(biases_alone)) == 0.0


def test_pairs_kept_apart_are_no_coordinates_and_have_their_coupling(random_parameters):
    theta = random_parameters("srbm", 4, 2)
    apart = np.zeros((4, 4), dtype=bool)
    apart[[0, 2, 1, 3], [2, 0, 3, 1]] = True
    layout = Layout.of(theta, np.array([False, False, False, True]), apart)
    vector = layout.pack(theta)
    assert vector.size == 2 + 3 + 3 * 2 + 2
    moved = layout.unpack(vector, theta.b)
    assert moved.J[0, 2] == moved.J[2, 0] == -20.0
    assert moved.J[1, 3] == 0.0, "a held unit has no couplings at all"
    assert moved.J[0, 1] == theta.J[0, 1]
    assert np.array_equal(layout.pack(moved), vector)
    assert layout.penalties(1.0).size == layout.pack_gradient(theta).size == vector.size


def test_with_all_units_held_only_hidden_biases_are_left(random_parameters):
    held = np.ones(3, dtype=bool)
    assert (
        Layout.of(random_parameters("ising", 3), held).pack(random_parameters("ising", 3)).size == 0
    )
    theta = random_parameters("srbm", 3, 2)
    assert np.array_equal(Layout.of(theta, held).pack(theta), theta.c)
