"""Log weights and moments of sparse words against their definitions on dense words."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import expit
from threads import on_one_and_all

from microcolumn.energy import log_weight
from microcolumn.kernels import SparseWords
from microcolumn.packing import active_bits
from microcolumn.parameters import Parameters


def listed(X):
    n_active, active = active_bits(X)
    return SparseWords(np.concatenate([[0], n_active]).cumsum(), active, X.shape[1])


@st.composite
def models_and_words(draw):
    """Any terms together; weights of words, some of them zero."""
    n_units, n_hidden = draw(st.integers(1, 70)), draw(st.integers(1, 20))
    scale, seed = draw(st.sampled_from([0.1, 1.0, 5.0])), draw(st.integers(0, 999))
    J, W, c, v = random_arrays(n_units, n_hidden, scale, seed)
    J, v = draw(st.sampled_from([J, None])), draw(st.sampled_from([v, None]))
    W, c = draw(st.sampled_from([(W, c), (None, None)]))
    rng = np.random.default_rng(seed)
    theta = Parameters.trusted(rng.normal(scale=scale, size=n_units), J, W, c, v)
    density = draw(st.sampled_from([0.0, 0.05, 0.5, 1.0]))
    X = (rng.random((draw(st.integers(0, 40)), n_units)) < density).astype(np.uint8)
    return theta, X, rng.random(len(X)) * rng.integers(0, 2, len(X))


def random_arrays(n_units, n_hidden, scale, seed):
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(scale=scale, size=(n_units, n_units)), 1)
    W, c = rng.normal(scale=scale, size=(n_units, n_hidden)), rng.normal(scale=scale, size=n_hidden)
    return J + J.T, W, c, rng.normal(scale=scale, size=n_units + 1)


@settings(deadline=None, max_examples=60)
@given(models_and_words())
def test_log_weights_are_those_of_the_energy(case):
    theta, X, _ = case
    expected = log_weight(theta, X)
    scale = 1.0 + np.abs(expected).max(initial=0.0)
    found = listed(X).log_weights(theta.arrays)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13 * scale)


@settings(deadline=None, max_examples=60)
@given(models_and_words())
def test_moments_are_dense_products(case):
    theta, X, weights = case
    (_, sums), x = listed(X).sums(theta.arrays, weights), X.astype(float)
    np.testing.assert_allclose(sums.b, weights @ x, rtol=1e-12, atol=1e-15)
    assert [part is None for part in sums] == [part is None for part in theta.arrays]
    if theta.J is not None:
        pairs = x.T @ (weights[:, None] * x)
        np.fill_diagonal(pairs, 0.0)
        np.testing.assert_allclose(sums.J, pairs, rtol=1e-12, atol=1e-15)
    if theta.W is not None:
        on = weights[:, None] * expit(theta.c + x @ theta.W)
        np.testing.assert_allclose(sums.c, on.sum(axis=0), rtol=1e-11, atol=1e-14)
        np.testing.assert_allclose(sums.W, x.T @ on, rtol=1e-11, atol=1e-14)
    if theta.v is not None:
        of_count = [weights[X.sum(axis=1) == k].sum() for k in range(theta.n_visible + 1)]
        np.testing.assert_allclose(sums.v, of_count, rtol=1e-12, atol=1e-15)


@settings(deadline=None, max_examples=60)
@given(models_and_words())
def test_log_weights_come_with_sums(case):
    theta, X, weights = case
    words = listed(X)
    found, _ = words.sums(theta.arrays, weights)
    np.testing.assert_allclose(found, words.log_weights(theta.arrays), rtol=1e-13, atol=1e-13)


@settings(deadline=None, max_examples=60)
@given(models_and_words())
def test_words_count_by_their_mass(case):
    theta, X, weights = case
    if not len(X):
        return
    words, log_measure = listed(X), np.log(weights + 1e-3)
    expected = log_measure + log_weight(theta, X)
    frequent = int(expected.argmax())
    masses, total, means = words.mass_moments(theta.arrays, log_measure, frequent)
    scale = 1.0 + np.abs(expected).max()
    np.testing.assert_allclose(masses, expected, rtol=1e-12, atol=1e-13 * scale)
    assert abs(total - np.logaddexp.reduce(expected)) < 1e-12 * scale
    _, sums = words.sums(theta.arrays, np.exp(masses - total))
    for mean, part in zip(means, sums, strict=True):
        assert (mean is None) == (part is None)
        if part is not None:
            np.testing.assert_allclose(mean, part, rtol=1e-10, atol=1e-14)


def test_hidden_units_without_weights_are_on_as_often_for_any_word(random_parameters):
    theta = random_parameters("srbm", 12, 5, seed=3)
    W, c = theta.W.copy(), theta.c.copy()
    W[:, [1, 4]] = 0.0
    theta = Parameters.trusted(theta.b, theta.J, W, c)
    rng = np.random.default_rng(0)
    X, weights = (rng.random((50, 12)) < 0.4).astype(np.uint8), rng.random(50)
    found, sums = listed(X).sums(theta.arrays, weights)
    np.testing.assert_allclose(found, log_weight(theta, X), rtol=1e-12)
    on = weights[:, None] * expit(c + X @ W)
    np.testing.assert_allclose(sums.W, X.T @ on, rtol=1e-12)
    np.testing.assert_allclose(sums.c, on.sum(axis=0), rtol=1e-12)


def test_a_mass_beyond_all_bounds_is_refused(random_parameters):
    theta = random_parameters("ising", 4, 0, seed=0)
    X = np.array([[0, 0, 0, 0], [1, 1, 0, 0]], dtype=np.uint8)
    with pytest.raises(OverflowError):
        listed(X).mass_moments(theta.arrays, np.array([0.0, 900.0]), 0)


def test_any_number_of_threads_gives_the_same_bits(random_parameters):
    arrays = random_parameters("srbm", 40, 19, seed=2).arrays
    rng = np.random.default_rng(0)
    words, weights = listed((rng.random((70_000, 40)) < 0.2).astype(np.uint8)), rng.random(70_000)
    log_measure = np.log(weights)

    def all_sums():
        by_weight = words.sums(arrays, weights)
        by_mass = words.mass_moments(arrays, log_measure, 0)
        return [
            words.log_weights(arrays),
            by_weight[0],
            *by_weight[1][:4],
            by_mass[0],
            *by_mass[2][:4],
        ]

    found = on_one_and_all(all_sums)
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)
