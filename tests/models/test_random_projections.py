"""Random projections: exact sums, matched moments, the truth from its own samples, edges."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

import microcolumn as mc
from microcolumn.models import from_bytes, to_bytes

ALL = {n: np.array(list(product([0, 1], repeat=n)), dtype=np.uint8) for n in (1, 3, 4, 5, 6)}


def _words(n_units=5, n_words=3000, seed=0):
    """Units that come on together now and then, or fire alone."""
    rng = np.random.default_rng(seed)
    together = rng.random((n_words, 1)) < 0.15
    return (rng.random((n_words, n_units)) < np.where(together, 0.6, 0.08)).astype(np.uint8)


@pytest.fixture(scope="module")
def fitted():
    return mc.models.RandomProjections(40, l1=1e-3, n_inputs=3).fit(_words())


def _features(model, words):
    """1[a.x > theta] by the definition, one projection after the other."""
    each = zip(model.inputs_, model.weights_, model.thresholds_, strict=True)
    above = [words[:, inputs] @ a > threshold for inputs, a, threshold in each]
    return np.array(above, dtype=float).T.reshape(len(words), -1)


def test_probabilities_follow_the_definition_and_add_up_to_one(fitted):
    words = ALL[5]
    weights = np.exp(words @ fitted.b_ + _features(fitted, words) @ fitted.strengths_)
    p = np.exp(fitted.score_samples(words))
    np.testing.assert_allclose(p, weights / weights.sum(), rtol=1e-10)
    np.testing.assert_allclose(fitted.log_partition().value, np.log(weights.sum()), rtol=1e-12)
    assert fitted.log_partition().method == "exact"
    assert fitted.log_partition().converged


def test_rates_match_and_features_are_off_by_the_penalty_at_most(fitted):
    X, p = _words(), np.exp(fitted.score_samples(ALL[5]))
    np.testing.assert_allclose(p @ ALL[5], X.mean(axis=0), atol=2e-6)
    # The prior word moves a mean by 1 / n at most.
    gap = p @ _features(fitted, ALL[5]) - _features(fitted, X).mean(axis=0)
    live = fitted.strengths_ != 0.0
    assert 0 < live.sum() < live.size
    np.testing.assert_allclose(gap[live], -1e-3 * np.sign(fitted.strengths_[live]), atol=4e-4)
    assert (np.abs(gap) < 1e-3 + 4e-4).all()


def test_the_optimum_is_the_one_another_solver_finds(fitted):
    """Split into positive parts, the penalised problem is smooth with bounds."""
    X, words = _words(), ALL[5]
    n = len(X)
    design = np.hstack([words, _features(fitted, words)])
    prior = np.prod(np.where(words, X.mean(axis=0), 1.0 - X.mean(axis=0)), axis=1)
    data = np.hstack([X, _features(fitted, X)]).mean(axis=0)
    means = (n * data + prior @ design) / (n + 1)

    def objective(z):
        x = np.concatenate([z[:5], z[5:45] - z[45:]])
        energies = design @ x
        log_z = np.logaddexp.reduce(energies)
        gradient = np.exp(energies - log_z) @ design - means
        return (
            log_z - means @ x + 1e-3 * z[5:].sum(),
            np.concatenate([gradient, -gradient[5:]]) + np.r_[np.zeros(5), np.full(80, 1e-3)],
        )

    bounds = [(None, None)] * 5 + [(0, None)] * 80
    options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-14, "gtol": 1e-9}
    best = minimize(objective, np.zeros(85), jac=True, bounds=bounds, options=options)
    np.testing.assert_allclose(fitted.objective_, best.fun, atol=1e-7)


def test_it_recovers_the_distribution_of_its_own_samples(fitted):
    sampled = fitted.sample(60_000, random_state=1)
    again = mc.models.RandomProjections(40, n_inputs=3, l1=1e-5).fit(sampled)
    p = np.exp(fitted.score_samples(ALL[5]))
    divergence = p @ (fitted.score_samples(ALL[5]) - again.score_samples(ALL[5]))
    # What fitting the noise of as many parameters costs: half a nat per parameter and word.
    assert 0.0 <= divergence < 3 * again.n_parameters_ / 2 / 60_000
    np.testing.assert_allclose(sampled.mean(axis=0), p @ ALL[5], atol=0.01)


def test_features_are_seen_in_ten_words_or_more_and_in_half_at_most():
    X = _words(n_units=8)
    model = mc.models.RandomProjections(100).fit(X)
    seen = _features(model, X).sum(axis=0)
    assert model.inputs_.shape == (100, 5)
    assert seen.min() >= 10
    assert seen.max() <= len(X) / 2
    assert np.median(seen) < 0.2 * len(X), "rare features are as welcome as frequent ones"
    assert not _features(model, np.zeros((1, 8), dtype=np.uint8)).any()


@pytest.fixture(scope="module")
def sampled():
    """A fit of few units by sampling, as of many, and the exact one."""
    X = _words(6, 5000, seed=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("microcolumn.partition.cost.MOST_UNITS", 3)
        drawn = mc.models.RandomProjections(12, n_inputs=3, l1=1e-3).fit(X)
    return drawn, mc.models.RandomProjections(12, n_inputs=3, l1=1e-3).fit(X)


def test_sampling_reaches_the_exact_optimum_within_its_noise(sampled):
    drawn, exact = sampled
    assert np.array_equal(drawn.weights_, exact.weights_)
    assert drawn.certificate_.converged
    assert drawn.certificate_.mean_square_z < 3.0
    # Half a nat per parameter over the words of a round, a few times.
    assert (
        drawn.objective_ < exact.objective_ + 3 * 18 / 2 / 32768 + 3 * drawn.log_partition().stderr
    )
    p = np.exp(exact.score_samples(ALL[6]))
    divergence = p @ (exact.score_samples(ALL[6]) - drawn.score_samples(ALL[6]))
    assert abs(divergence) < 1e-3 + 3 * drawn.log_partition().stderr


def test_annealing_gives_the_sum_over_all_words(sampled):
    drawn, _ = sampled
    words = ALL[6]
    weights = words @ drawn.b_ + _features(drawn, words) @ drawn.strengths_
    log_z = drawn.log_partition()
    assert log_z.method == "ais"
    assert log_z.converged
    assert abs(log_z.value - np.logaddexp.reduce(weights)) < 4.0 * log_z.stderr


def test_files_keep_what_annealing_said(sampled):
    drawn, _ = sampled
    read = from_bytes(to_bytes(drawn))
    assert np.array_equal(read.score_samples(ALL[6]), drawn.score_samples(ALL[6]))
    for name in ("value", "stderr", "converged", "reverse", "n_steps", "lower_bound", "method"):
        assert getattr(read.log_partition(), name) == getattr(drawn.log_partition(), name)
    assert read.certificate_ == drawn.certificate_


def test_more_units_than_sums_allow_draw_words_with_their_rates(sampled):
    drawn, _ = sampled
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("microcolumn.partition.cost.MOST_UNITS", 3)
        words = drawn.sample(4_000, random_state=0)
        assert drawn._active_distribution() is None
    np.testing.assert_allclose(words.mean(axis=0), _words(6, 5000, seed=2).mean(axis=0), atol=0.03)
