"""Exact sums against enumeration and against each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import logsumexp

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
