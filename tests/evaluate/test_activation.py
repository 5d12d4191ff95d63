import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.evaluate.activation import hidden_activation
from microcolumn.models import RBM
from microcolumn.parameters import Parameters
from microcolumn.words import Words


def brute_force(model, words):
    """Mean and variance of each hidden unit, bin by bin in plain Python."""
    bins = words.expand().tolist()
    weights = [1.0] * len(bins) if words.weights is None else words.weights.tolist()
    means, variances = [], []
    for k in range(model.W_.shape[1]):
        weight, bias = model.W_[:, k], model.c_[k]
        inputs = [bias + sum(w * x for w, x in zip(weight, b, strict=True)) for b in bins]
        values = [1.0 / (1.0 + math.exp(-z)) for z in inputs]
        mean = math.fsum(w * v for w, v in zip(weights, values, strict=True)) / math.fsum(weights)
        square = math.fsum(w * (v - mean) ** 2 for w, v in zip(weights, values, strict=True))
        means.append(mean)
        variances.append(square / math.fsum(weights))
    return means, variances


@given(
    seed=st.integers(0, 10_000),
    n_units=st.integers(1, 6),
    n_hidden=st.integers(1, 4),
    n_bins=st.integers(1, 40),
    chunk=st.sampled_from([1, 7, 1 << 20]),
    weighted=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_mean_and_variance_are_those_over_all_bins(
    seed, n_units, n_hidden, n_bins, chunk, weighted
):
    rng = np.random.default_rng(seed)
    theta = Parameters(
        b=np.zeros(n_units),
        W=rng.normal(scale=2.0, size=(n_units, n_hidden)),
        c=rng.normal(scale=2.0, size=n_hidden),
    )
    weights = rng.random(n_bins) + 0.1 if weighted else None
    words = Words.from_array(rng.integers(0, 2, (n_bins, n_units)), sample_weight=weights)
    model = RBM.from_parameters(theta)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("microcolumn.validation._MOST_ELEMENTS", chunk)
        found = hidden_activation(model, words)
    mean, variance = brute_force(model, words)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.variance, variance, rtol=1e-9, atol=1e-15)


def test_a_semi_restricted_model_has_the_activation_of_its_hidden_units(random_model):
    model = random_model("srbm", seed=3)
    words = Words.from_array(np.random.default_rng(0).integers(0, 2, (50, 4)))
    mean, variance = brute_force(model, words)
    found = hidden_activation(model, words)
    np.testing.assert_allclose(found.mean, mean)
    np.testing.assert_allclose(found.variance, variance)


def test_a_unit_that_is_nearly_always_on_keeps_its_tiny_variance():
    model = RBM.from_parameters(Parameters(b=[0.0], W=[[-1.0]], c=[30.0]))
    words = Words.from_array([[0], [1]])
    off, on = 1.0 / (1.0 + math.exp(30.0)), 1.0 / (1.0 + math.exp(29.0))
    variance = ((on - off) / 2.0) ** 2
    assert hidden_activation(model, words).variance[0] == pytest.approx(variance, rel=1e-2)


@pytest.mark.parametrize("kind", ["independent", "ising"])
def test_a_model_without_hidden_units_has_no_activation(random_model, kind):
    found = hidden_activation(random_model(kind), Words.from_array([[0, 1, 0, 1]]))
    assert found.mean.shape == found.variance.shape == found.order.shape == (0,)


def test_dead_units_are_not_in_the_order_and_ties_go_by_position():
    W = [[1.0, 0.0, 3.0, 1.0]]
    model = RBM.from_parameters(Parameters(b=[0.0], W=W, c=np.zeros(4)))
    found = hidden_activation(model, Words.from_array([[0], [1]]))
    assert found.order.tolist() == [2, 0, 3]
    assert found.mean[1] == 0.5
    assert found.variance[1] == 0.0
