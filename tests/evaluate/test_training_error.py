"""The scatter of fits, against closed forms and against fits."""

from itertools import product

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.energy import log_weight
from microcolumn.evaluate._goodness import WordFeatures, WordSample
from microcolumn.evaluate._model_words import training_error


@pytest.fixture
def theta() -> mc.Parameters:
    rng = np.random.default_rng(0)
    J = np.triu(rng.normal(0.0, 0.5, (4, 4)), 1)
    J[0, 1] = 0.0
    W = rng.normal(0.0, 1.0, (4, 3))
    W[0, 0], W[:, 2] = 0.0, 0.0
    return mc.Parameters(b=rng.uniform(-2.0, 0.0, 4), J=J + J.T, W=W, c=np.full(3, -1.0))


def of_all_words(theta: mc.Parameters) -> tuple[np.ndarray, WordSample, WordFeatures, np.ndarray]:
    """All words, with their features, and the covariance matrix of the features."""
    X = np.array(list(product((0, 1), repeat=theta.b.size)), dtype=np.uint8)
    log_p = log_weight(theta, X)
    p = np.exp(log_p) / np.exp(log_p).sum()
    features = WordFeatures.of(p @ X)
    sample = WordSample(features.table(X, log_p), p, np.inf)
    residual = sample.table.toarray() - sample.means
    return X, sample, features, residual.T @ (p[:, None] * residual)


def scatter(theta: mc.Parameters, **options: int) -> np.ndarray:
    X, sample, _, _ = of_all_words(theta)
    model = mc.SemiRBM.from_parameters(theta)
    found = training_error(model, X, sample, np.random.default_rng(0), **options)
    return found.T @ found


def test_scores_are_slopes_of_the_log_weight(theta):
    X = of_all_words(theta)[0]
    step = 1e-6
    expected = []
    for name in ("b", "J", "W", "c"):
        value = getattr(theta, name)
        for place in np.ndindex(value.shape):
            free = name == "b" or (theta.live[place] if name == "c" else value[place] != 0.0)
            if not free or (name == "J" and place[0] > place[1]):
                continue
            ends = []
            for sign in (-1.0, 1.0):
                moved = {k: getattr(theta, k).copy() for k in ("b", "J", "W", "c")}
                moved[name][place] += sign * step
                if name == "J":
                    moved[name][place[::-1]] += sign * step
                ends.append(log_weight(mc.Parameters(**moved), X))
            expected.append((ends[1] - ends[0]) / (2.0 * step))
    model = mc.SemiRBM.from_parameters(theta)
    found = model._slopes(X)
    assert found.shape[1] == model.n_parameters_ == len(expected)
    # Up to order and scale: a coupling counts twice in the energy, once for each of its units.
    order = np.lexsort(np.round(found / np.abs(found).max(axis=0), 6))
    other = np.array(expected).T
    other_order = np.lexsort(np.round(other / np.abs(other).max(axis=0), 6))
    np.testing.assert_allclose(
        (found / np.abs(found).max(axis=0))[:, order],
        (other / np.abs(other).max(axis=0))[:, other_order],
        atol=1e-7,
    )


def test_independent_units_carry_the_error_of_their_rates_alone():
    theta = mc.Parameters(b=[-2.0, -1.0, 0.5])
    _, sample, features, _ = of_all_words(theta)
    rates = sample.means[:3]
    found = scatter(theta)
    np.testing.assert_allclose(found[:3, :3], np.diag(rates * (1.0 - rates)), atol=1e-12)
    moments = features.linearised(
        np.linalg.cholesky(found + 1e-12 * np.eye(len(found))).T, sample.means
    )
    assert np.abs(moments[:, features.columns["pairs"]]).max() < 1e-5


def test_a_pairwise_model_follows_rates_and_pairs_and_some_of_the_rest(theta):
    theta = mc.Parameters(b=theta.b, J=np.full((4, 4), 0.3) - 0.3 * np.eye(4))
    _, _, features, covariance = of_all_words(theta)
    found = scatter(theta)
    fitted = slice(0, features.columns["pairs"].stop)
    np.testing.assert_allclose(found[fitted, fitted], covariance[fitted, fitted], atol=1e-10)
    variance, whole = (np.diag(each)[features.columns["triplets"]] for each in (found, covariance))
    assert np.all((variance > 0.0) & (variance < whole))


def test_no_fit_scatters_more_than_the_words_and_too_many_parameters_as_much(theta):
    covariance = of_all_words(theta)[3]
    assert np.linalg.eigvalsh(covariance - scatter(theta)).min() > -1e-10
    np.testing.assert_allclose(scatter(theta, most_parameters=0), covariance, atol=1e-12)


def test_fits_scatter_like_that():
    truth = mc.Ising.from_parameters(mc.Parameters(b=[-1.0, -1.0, -1.0], J=0.4 * (1 - np.eye(3))))
    X = of_all_words(truth.parameters_)[0]
    fits = mc.Ising(l1=0.0)
    triplets = []
    for seed in range(50):
        p = np.exp(fits.fit(truth.sample(1000, seed)).score_samples(X))
        triplets.append(p @ X.prod(axis=1))
    expected = (scatter(truth.parameters_)[6, 6] / 1000) ** 0.5
    assert np.std(triplets) == pytest.approx(expected, rel=0.25)
