"""Exact expectations against enumeration and against finite differences of log Z."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.kernels import ExactSums
from microcolumn.parameters import Parameters
from microcolumn.partition import exact_expectations

KINDS = ("independent", "ising", "kpairwise", "rbm", "srbm")


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
