"""Exact likelihood against enumeration, finite differences and closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.special import logsumexp

import microcolumn as mc
from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import _maximum_likelihood, negative_log_likelihood
from microcolumn.objectives._maximum_likelihood import FisherInformation
from microcolumn.parameters import Parameters
from microcolumn.words import Words

KINDS = ("independent", "ising", "kpairwise", "rbm", "srbm")


@pytest.fixture(scope="module")
def enumerated(every_word):
    """Minus the mean log likelihood by listing all words."""

    def value(theta, X):
        return (
            logsumexp(log_weight(theta, every_word(theta.n_visible))) - log_weight(theta, X).mean()
        )

    return value


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=8)
@given(
    n_units=st.integers(1, 7),
    n_hidden=st.integers(1, 9),
    seed=st.integers(0, 999),
    scale=st.sampled_from([0.3, 1.0, 3.0]),
)
def test_value_and_gradient_are_those_of_enumeration(
    random_parameters, enumerated, kind, n_units, n_hidden, seed, scale
):
    X = np.random.default_rng(seed).integers(0, 2, size=(20, n_units), dtype=np.uint8)
    theta = random_parameters(kind, n_units, n_hidden, scale, seed)
    value, gradient = negative_log_likelihood(theta, X)
    assert value == pytest.approx(enumerated(theta, X), rel=1e-11, abs=1e-11)
    assert gradient.kind == theta.kind
    layout, step = Layout.of(theta), 1e-5
    x = layout.pack(theta)
    slopes = [
        (enumerated(layout.unpack(x + e), X) - enumerated(layout.unpack(x - e), X)) / (2 * step)
        for e in step * np.eye(x.size)
    ]
    np.testing.assert_allclose(layout.pack_gradient(gradient), slopes, atol=2e-8)


@pytest.mark.parametrize("kind", ["rbm", "srbm"])
def test_dead_hidden_units_keep_their_gradient(random_parameters, enumerated, kind):
    theta = random_parameters(kind, 4, 3, seed=1)
    theta = Parameters(b=theta.b, J=theta.J, W=theta.W * [1.0, 0.0, 1.0], c=theta.c)
    X = np.random.default_rng(0).integers(0, 2, size=(30, 4), dtype=np.uint8)
    value, gradient = negative_log_likelihood(theta, X)
    assert value == pytest.approx(enumerated(theta, X), rel=1e-12)

    def shifted(step):
        W = theta.W.copy()
        W[2, 1] += step
        return enumerated(Parameters(b=theta.b, J=theta.J, W=W, c=theta.c), X)

    assert gradient.W[2, 1] == pytest.approx((shifted(1e-5) - shifted(-1e-5)) / 2e-5, abs=1e-9)
    assert gradient.c[1] == pytest.approx(0.0, abs=1e-14)


def test_words_count_by_their_weights():
    rows = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 0]])
    theta = Parameters(b=[0.1, -0.2, 0.3], W=[[1.0], [0.5], [-2.0]], c=[0.4])
    repeated = negative_log_likelihood(theta, rows[[0, 0, 1, 2, 2, 2]])
    weighted = mc.Words.from_array(rows, sample_weight=[2, 1, 3])
    value, gradient = negative_log_likelihood(theta, weighted)
    assert value == repeated[0]
    assert np.array_equal(gradient.W, repeated[1].W)


def test_many_words_are_handled_in_parts_with_the_same_result(monkeypatch, random_parameters):
    X = np.random.default_rng(0).integers(0, 2, size=(200, 6), dtype=np.uint8)
    theta = random_parameters("srbm", 6, seed=2)
    value, gradient = negative_log_likelihood(theta, X)
    monkeypatch.setattr("microcolumn.validation._MOST_ELEMENTS", 7 * 6)
    in_parts = negative_log_likelihood(theta, X)
    assert in_parts[0] == pytest.approx(value, rel=1e-13)
    for name in ("J", "b", "W", "c"):
        np.testing.assert_allclose(
            getattr(in_parts[1], name), getattr(gradient, name), rtol=1e-12, atol=1e-14
        )


def test_words_of_many_units_go_by_their_active_bits_with_the_same_result(
    monkeypatch, random_parameters
):
    X = (np.random.default_rng(0).random((200, 64)) < 0.1).astype(np.uint8)
    theta = random_parameters("rbm", 64, 5, 0.5, 2)
    value, gradient = negative_log_likelihood(theta, X)
    monkeypatch.setattr("microcolumn.objectives.data_moments._MANY_UNITS", 65)
    expected, dense = negative_log_likelihood(theta, X)
    assert value == pytest.approx(expected, rel=1e-13)
    for name in ("b", "W", "c"):
        np.testing.assert_allclose(getattr(gradient, name), getattr(dense, name), atol=1e-14)


@pytest.mark.parametrize("n_units", [3, 6, 9])
def test_moments_of_an_unpenalised_ising_model_are_those_of_the_data(
    random_parameters, draw, every_word, n_units
):
    X = draw(random_parameters("ising", n_units, scale=0.4, seed=n_units), 2000).astype(float)
    model = mc.Ising(l1=0.0, tol=1e-10).fit(X)
    words = every_word(n_units).astype(float)
    log_p = log_weight(model.parameters_, words)
    p = np.exp(log_p - logsumexp(log_p))
    np.testing.assert_allclose(p @ words, X.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose((words.T * p) @ words, X.T @ X / X.shape[0], atol=1e-6)
    assert model.optimality_ <= 1e-10


@pytest.mark.parametrize("kind", ["Ising", "RBM", "SemiRBM"])
def test_the_likelihood_of_a_penalised_fit_beats_that_of_the_flow(random_parameters, draw, kind):
    X = draw(random_parameters("srbm", 5, seed=11), 400)

    def penalised_likelihood(model):
        value = negative_log_likelihood(model.parameters_, X)[0]
        return value + 5e-3 * (np.abs(model.J_).sum() + np.abs(model.W_).sum())

    settings = {"l1": 5e-3} if kind == "Ising" else {"l1": 5e-3, "n_hidden": 2}
    by_flow = getattr(mc, kind)(**settings, objective="mpf").fit(X)
    # Started from the flow's answer, so that no other local minimum can win against it.
    exact = getattr(mc, kind)(**settings).fit(X, start=by_flow.parameters_)
    assert penalised_likelihood(exact) <= penalised_likelihood(by_flow) + 1e-9
    assert exact.objective_ == pytest.approx(penalised_likelihood(exact), rel=1e-12)


def test_a_certain_word_has_likelihood_one_in_the_limit():
    theta = Parameters(b=[-800.0, 800.0], J=np.zeros((2, 2)))
    value, gradient = negative_log_likelihood(theta, [[0, 1]])
    assert value == 0.0
    assert not gradient.b.any()


def _by_differences(x, layout, words):
    """Covariance over the words of the derivatives of log p~ along each coordinate."""
    step = 1e-5
    slopes = [
        (
            log_weight(layout.unpack(x + step * unit), words.X)
            - log_weight(layout.unpack(x - step * unit), words.X)
        )
        / (2.0 * step)
        for unit in np.eye(layout.size)
    ]
    return np.cov(np.array(slopes), fweights=words.counts.astype(int), bias=True)


@pytest.mark.parametrize("kind", ["ising", "rbm", "srbm"])
@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10_000))
def test_it_is_the_covariance_of_the_slopes_of_log_p(random_parameters, kind, seed):
    theta = random_parameters(kind, 5, 3, seed=seed)
    layout = Layout.of(theta)
    words = Words.from_array(np.random.default_rng(seed).random((60, 5)) < 0.4)
    x, every = layout.pack(theta), np.arange(layout.size)
    expected = _by_differences(x, layout, words)
    np.testing.assert_allclose(FisherInformation(words)(x, layout, every), expected, atol=1e-8)
    some = every[:: 1 + seed % 3]
    found = FisherInformation(words)(x, layout, some)
    np.testing.assert_allclose(found, expected[np.ix_(some, some)], atol=1e-8)


def test_draws_stand_for_very_many_words(random_parameters):
    X = np.random.default_rng(0).random((60_000, 20)) < 0.4
    words = Words.from_array(X)
    assert len(words) > _maximum_likelihood._MOST_WORDS
    theta = random_parameters("rbm", 20, 2, seed=0)
    layout = Layout.of(theta)
    x, units = layout.pack(theta), np.arange(20)
    found = FisherInformation(words)(x, layout, units)
    np.testing.assert_allclose(found, np.cov(X.T, bias=True), atol=0.02)
