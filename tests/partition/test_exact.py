"""Exact sums against enumeration and against each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import logsumexp

from microcolumn.kernels import ExactSums
from microcolumn.parameters import Parameters
from microcolumn.partition import exact_expectations
from microcolumn.partition.cost import operations
from microcolumn.partition.exact import exact_log_partition

KINDS = ("independent", "ising", "kpairwise", "rbm", "srbm")


@settings(deadline=None, max_examples=40)
@given(
    kind=st.sampled_from(KINDS),
    n_units=st.integers(1, 11),
    n_hidden=st.integers(1, 40),
    scale=st.sampled_from([1e-3, 0.3, 2.0, 7.0, 20.0]),
    seed=st.integers(0, 2**31),
)
def test_any_model_matches_enumeration(
    kind, n_units, n_hidden, scale, seed, random_model, enumerate_words
):
    theta = random_model(kind, n_units, n_hidden, scale, seed)
    log_z = exact_log_partition(theta, side="visible")
    assert log_z.value == pytest.approx(enumerate_words(theta)[1], rel=0, abs=1e-10)
    assert (log_z.side, log_z.stderr, log_z.converged) == ("visible", 0.0, True)


@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0, 20.0])
@pytest.mark.parametrize("n_hidden", [1, 5, 13])
def test_both_sides_of_an_rbm_agree(scale, n_hidden, random_model):
    theta = random_model("rbm", 15, n_hidden, scale, seed=n_hidden)
    visible, hidden = (exact_log_partition(theta, side=side) for side in ("visible", "hidden"))
    assert visible.value == pytest.approx(hidden.value, rel=0, abs=1e-10)
    assert (visible.side, hidden.side) == ("visible", "hidden")


def test_the_hidden_side_sums_an_rbm_with_hundreds_of_units(random_model):
    theta = random_model("rbm", 300, n_hidden=4, scale=2.0, seed=1)
    states = np.array([[k >> i & 1 for i in range(4)] for k in range(16)], dtype=float)
    by_hand = logsumexp(
        states @ theta.c + np.logaddexp(0.0, theta.b + states @ theta.W.T).sum(axis=1)
    )
    log_z = exact_log_partition(theta)
    assert log_z.side == "hidden"
    assert log_z.value == pytest.approx(by_hand, rel=0, abs=1e-10)


def test_dead_hidden_units_only_add_a_constant(random_model):
    theta = random_model("srbm", 6, n_hidden=4, seed=5)
    W = theta.W.copy()
    W[:, [0, 2]] = 0.0
    with_dead = Parameters(b=theta.b, J=theta.J, W=W, c=theta.c)
    without = Parameters(b=theta.b, J=theta.J, W=W[:, [1, 3]], c=theta.c[[1, 3]])
    constant = np.logaddexp(0.0, theta.c[[0, 2]]).sum()
    difference = exact_log_partition(with_dead).value - exact_log_partition(without).value
    assert difference == pytest.approx(constant, rel=0, abs=1e-12)
    assert operations(with_dead) == operations(without)


def test_an_independent_model_of_any_size_is_a_closed_form():
    b = np.linspace(-5.0, 5.0, 2000)
    theta = Parameters(b=b, J=np.zeros((2000, 2000)))
    value = exact_log_partition(theta).value
    assert value == pytest.approx(np.log1p(np.exp(b)).sum(), rel=1e-14)


def test_the_cheaper_side_is_picked(random_model):
    assert exact_log_partition(random_model("rbm", 6, 9)).side == "visible"
    assert exact_log_partition(random_model("rbm", 9, 6)).side == "hidden"
    assert exact_log_partition(random_model("srbm", 9, 6)).side == "visible"


@pytest.mark.parametrize(
    ("summed", "work", "length"),
    [
        (exact_log_partition, "exact_log_z", "29 minutes"),
        (exact_expectations, "exact_moments", "4 hours"),
    ],
)
def test_a_sum_that_takes_long_does_not_begin_without_a_word(monkeypatch, summed, work, length):
    J = np.full((46, 46), 0.1) - 0.1 * np.eye(46)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setitem(summed.__globals__, work, interrupted)
    with (
        pytest.warns(UserWarning, match=f"roughly {length}; interrupt"),
        pytest.raises(KeyboardInterrupt),
    ):
        summed(Parameters(b=np.zeros(46), J=J))


def assert_matches(theta, enumerated, log_z_by_hand, tolerance=1e-11):
    log_z, gradient = exact_expectations(theta)
    assert log_z == pytest.approx(log_z_by_hand, rel=0, abs=1e-10)
    assert gradient.kind == theta.kind
    for name, expected in zip("bJWcv", enumerated, strict=True):
        if getattr(theta, name) is not None:
            np.testing.assert_allclose(getattr(gradient, name), expected, rtol=0, atol=tolerance)


@settings(deadline=None, max_examples=30)
@given(
    kind=st.sampled_from(KINDS),
    n_units=st.integers(1, 11),
    n_hidden=st.integers(1, 30),
    scale=st.sampled_from([1e-3, 0.5, 5.0, 20.0]),
    silenced=st.floats(0.0, 1.0),
    seed=st.integers(0, 2**31),
)
def test_any_sparse_model_matches_enumeration(
    kind,
    n_units,
    n_hidden,
    scale,
    silenced,
    seed,
    random_model,
    enumerate_words,
    enumerated_expectations,
):
    theta = random_model(kind, n_units, n_hidden, scale, seed)
    if theta.W is not None:  # dead hidden units, and live ones that see few units
        keep = np.random.default_rng(seed).random(theta.W.shape) >= silenced
        theta = Parameters(b=theta.b, J=theta.J, W=theta.W * keep, c=theta.c)
    assert_matches(theta, enumerated_expectations(theta), enumerate_words(theta)[1])


def test_three_hundred_hidden_units_match_enumeration(
    random_model, enumerate_words, enumerated_expectations
):
    theta = random_model("srbm", 11, n_hidden=300, scale=1.0)
    assert_matches(theta, enumerated_expectations(theta), enumerate_words(theta)[1])


def test_zero_couplings_still_have_pair_expectations(random_model, enumerated_expectations):
    """An sRBM that starts from an RBM: J is zero, but the fit needs its gradient."""
    rbm = random_model("rbm", 8, n_hidden=2)
    theta = Parameters(b=rbm.b, J=np.zeros((8, 8)), W=rbm.W, c=rbm.c)
    _, gradient = exact_expectations(theta)
    np.testing.assert_allclose(gradient.J, enumerated_expectations(theta)[1], atol=1e-13)


def test_units_that_are_never_or_always_active_have_rates_zero_and_one():
    _, gradient = exact_expectations(Parameters(b=[-800.0, 800.0], J=np.zeros((2, 2))))
    np.testing.assert_allclose(gradient.b, [0.0, 1.0], atol=1e-15)


def test_what_is_kept_between_evaluations_changes_nothing(random_model, enumerated_expectations):
    """Hidden units die and revive, and other sides are summed, with the same handle."""
    sums = ExactSums()
    for kind, n_units, n_hidden, dead in (
        ("srbm", 7, 4, []),
        ("srbm", 7, 4, [1, 3]),
        ("rbm", 7, 3, []),
        ("rbm", 7, 9, []),
        ("rbm", 7, 9, [*range(9)]),
        ("ising", 7, 0, []),
        ("srbm", 7, 4, []),
    ):
        theta = random_model(kind, n_units, n_hidden)
        if dead:
            W = theta.W.copy()
            W[:, dead] = 0.0
            theta = Parameters(b=theta.b, J=theta.J, W=W, c=theta.c)
        _, gradient = exact_expectations(theta, sums)
        for name, expected in zip("bJWc", enumerated_expectations(theta)[:4], strict=True):
            if getattr(theta, name) is not None:
                np.testing.assert_allclose(getattr(gradient, name), expected, rtol=0, atol=1e-12)
