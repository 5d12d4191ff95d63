"""Hidden units against sums over their own states, and the Gaussian ones against couplings."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.integrate import quad
from scipy.special import logsumexp

from microcolumn.energy import BERNOULLI, GAUSSIAN, HIDDEN_UNITS, hidden_mean, log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import mpf, negative_log_likelihood, pseudolikelihood
from microcolumn.objectives.data_moments import DataMoments
from microcolumn.objectives.sparse_words import SparseWords
from microcolumn.parameters import Parameters
from microcolumn.partition import exact_expectations, exact_samples, gibbs_samples, log_partition
from microcolumn.words import Words


def _random(seed, n_units=4, n_hidden=3, scale=0.8, coupled=True):
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(scale=scale, size=(n_units, n_units)), 1)
    return Parameters(
        b=rng.normal(size=n_units),
        J=J + J.T if coupled else None,
        W=rng.normal(scale=scale, size=(n_units, n_hidden)),
        c=rng.normal(size=n_hidden),
        hidden="gaussian",
    )


def _all_words(n):
    return ((np.arange(1 << n)[:, None] >> np.arange(n)) & 1).astype(np.uint8)


MODELS = st.builds(
    _random,
    st.integers(0, 1000),
    st.integers(1, 6),
    st.integers(1, 5),
    st.sampled_from([0.1, 0.8]),
    st.booleans(),
)


def test_a_gate_is_the_log_of_the_sum_over_the_states_of_the_unit():
    for z in (-30.0, -1.2, 0.0, 0.7, 4.0):
        states = np.array([0.0, 1.0])
        expected = logsumexp(states * z)
        np.testing.assert_allclose(BERNOULLI.log_gate(np.array([z])), expected, atol=1e-14)
    for z in (-2.0, 0.0, 1.3):
        density, _ = quad(lambda h, z=z: np.exp(h * z - h**2 / 2) / np.sqrt(2 * np.pi), -20, 20)
        np.testing.assert_allclose(GAUSSIAN.log_gate(np.array([z])), np.log(density), atol=1e-8)


@pytest.mark.parametrize("unit", HIDDEN_UNITS.values(), ids=lambda unit: unit.name)
def test_the_mean_is_the_slope_of_the_gate(unit):
    z = np.array([-3.0, -0.4, 0.0, 0.9, 2.5])
    step = 1e-5
    slope = (unit.log_gate(z + step) - unit.log_gate(z - step)) / (2 * step)
    np.testing.assert_allclose(unit.mean(z), slope, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(MODELS)
def test_gaussian_hidden_units_are_couplings_of_low_rank(theta):
    X = _all_words(theta.n_visible)
    z = theta.c + X @ theta.W
    J = 0.0 if theta.J is None else theta.J
    written_out = X @ theta.b + ((X @ (J + np.zeros((len(theta.b),) * 2))) * X).sum(axis=1)
    written_out = written_out + 0.5 * (z**2).sum(axis=1)
    np.testing.assert_allclose(log_weight(theta, X), written_out, atol=1e-12)
    pairs, log_factor = theta.as_pairs()
    assert pairs.kind == "ising"
    np.testing.assert_allclose(log_weight(pairs, X) + log_factor, written_out, atol=1e-12)
    np.testing.assert_array_equal(hidden_mean(theta, X), z)
    kept, constant = theta.canonical_sign()
    assert not kept.c.any()
    assert (kept.W.sum(axis=0) >= 0.0).all()
    np.testing.assert_allclose(log_weight(kept, X) + constant, written_out, atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(MODELS, st.sampled_from([mpf, pseudolikelihood, negative_log_likelihood]))
def test_gradients_by_gaussian_weights_are_finite_differences(theta, objective):
    rng = np.random.default_rng(3)
    words = (rng.random((40, theta.n_visible)) < 0.4).astype(np.uint8)
    _, gradient = objective(theta, words)
    for name in ("W", "c", "b"):
        array = getattr(theta, name)
        for place in np.ndindex(array.shape):
            step = np.zeros_like(array)
            step[place] = 1e-5
            ends = []
            for sign in (1.0, -1.0):
                parts = {part: getattr(theta, part) for part in ("b", "J", "W", "c")}
                moved = Parameters(**parts | {name: array + sign * step}, hidden="gaussian")
                ends.append(objective(moved, words)[0])
            slope = (ends[0] - ends[1]) / 2e-5
            assert getattr(gradient, name)[place] == pytest.approx(slope, rel=1e-5, abs=1e-7)


@settings(max_examples=20, deadline=None)
@given(MODELS)
def test_moments_over_words_and_states_are_the_written_out_sums(theta):
    X = _all_words(theta.n_visible)
    log_p = log_weight(theta, X)
    log_z = logsumexp(log_p)
    p, z = np.exp(log_p - log_z), theta.c + X @ theta.W
    found_log_z, found = exact_expectations(theta)
    assert found_log_z == pytest.approx(log_z, abs=1e-10)
    np.testing.assert_allclose(found.W, X.T @ (p[:, None] * z), atol=1e-10)
    np.testing.assert_allclose(found.c, p @ z, atol=1e-10)
    weights = np.random.default_rng(0).random(len(X))
    sparse = SparseWords.of(X)
    np.testing.assert_allclose(sparse.log_weights(theta), log_p, atol=1e-10)
    _, moments = sparse.sums(theta, weights)
    np.testing.assert_allclose(moments.W, X.T @ (weights[:, None] * z), atol=1e-10)
    np.testing.assert_allclose(moments.c, weights @ z, atol=1e-10)
    mean, of_data = DataMoments(Words.from_array(X, sample_weight=weights))(theta)
    shares = weights / weights.sum()
    assert mean == pytest.approx(float(shares @ log_p), abs=1e-10)
    np.testing.assert_allclose(of_data.W, X.T @ (shares[:, None] * z), atol=1e-10)


def test_a_layout_has_no_biases_of_gaussian_units():
    theta = _random(0, coupled=True)
    layout = Layout.of(theta)
    assert layout.size == 6 + 4 + 12
    kept, _ = theta.canonical_sign()
    again = layout.unpack(layout.pack(kept))
    assert again.hidden is GAUSSIAN
    for name in ("b", "J", "W", "c"):
        np.testing.assert_array_equal(getattr(again, name), getattr(kept, name))


def test_log_z_and_samples_are_those_of_the_distribution():
    theta = _random(5, n_units=5, scale=0.6)
    X = _all_words(5)
    log_p = log_weight(theta, X)
    log_z = float(logsumexp(log_p))
    assert log_partition(theta).value == pytest.approx(log_z, abs=1e-10)
    annealed = log_partition(theta, method="ais", n_steps=200, random_state=0)
    assert annealed.value == pytest.approx(log_z, abs=0.03)
    rates = np.exp(log_p - log_z) @ X
    exact = exact_samples(theta, 20_000, np.random.default_rng(0))
    chains = gibbs_samples(theta, 20_000, n_sweeps=50, n_chains=2000, random_state=0)
    for drawn in (exact, chains):
        np.testing.assert_allclose(drawn.mean(axis=0), rates, atol=0.02)
