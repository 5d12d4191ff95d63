"""A mixture of independent populations: probabilities, expectation maximisation, files."""

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.mixture import GaussianMixture

import microcolumn as mc
from microcolumn.models import BernoulliMixture
from microcolumn.models._modes_fit import MixturePasses
from microcolumn.models._words_estimator import floored_rates


def random_mixture(n_components=3, n_bits=5, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(n_components))
    return BernoulliMixture.from_parameters(rng.random((n_components, n_bits)), weights)


def by_hand(model, X):
    """Probability of each word and component as the formula says, shape (n_words, n_components)."""
    return np.array(
        [
            [
                w * np.prod([p if bit else 1.0 - p for p, bit in zip(mode, x, strict=True)])
                for mode, w in zip(model.modes_, model.weights_, strict=True)
            ]
            for x in X
        ]
    )


@pytest.fixture(scope="module")
def words():
    """Words of three overlapping modes with depth, layers and names."""
    rng = np.random.default_rng(1)
    modes = np.array(
        [[0.02] * 6, [0.5, 0.6, 0.4, 0.05, 0.05, 0.05], [0.1, 0.1, 0.3, 0.5, 0.6, 0.5]]
    )
    chosen = rng.choice(3, size=4000, p=[0.7, 0.2, 0.1])
    X = rng.random((4000, 6)) < modes[chosen]
    return mc.Words.from_array(X, units=mc.Units([f"u{k}" for k in range(6)]))


@pytest.fixture(scope="module")
def fitted(words):
    return BernoulliMixture(n_components=3).fit(words)


def test_words_have_the_probability_of_the_formula_and_all_of_them_add_up_to_one(every_word):
    model, X = random_mixture(), every_word(5)
    joint = by_hand(model, X)
    np.testing.assert_allclose(model.score_samples(X), np.log(joint.sum(axis=1)), rtol=1e-12)
    assert np.exp(model.score_samples(X)).sum() == pytest.approx(1.0, abs=1e-13)
    np.testing.assert_allclose(
        model.responsibilities(X), joint / joint.sum(axis=1, keepdims=True), rtol=1e-11
    )
    assert model.log_partition().value == 0.0


def test_conditionals_of_extreme_modes_do_not_overflow():
    modes = np.full((2, 900), 1e-7)
    modes[1] = 1.0 - 1e-7
    model = BernoulliMixture.from_parameters(modes, [0.5, 0.5])
    X = np.zeros((3, 900), dtype=np.uint8)
    X[1], X[2, 0] = 1, 1
    odds = model.log_odds(X, [0])[:, 0]
    np.testing.assert_allclose(odds, logit(1e-7) * np.array([1.0, -1.0, 1.0]), rtol=1e-8)


def plain_em(words, modes, weights, smoothing, n_steps):
    """Expectation maximisation in NumPy on all bins, with its objective at each step."""
    X, n, rates = words.expand().astype(float), words.n_bins, floored_rates(words)
    floor, objectives = 0.5 / (n + 1), []
    for _ in range(n_steps):
        joint = weights * np.exp(X @ np.log(modes).T + (1.0 - X) @ np.log(1.0 - modes).T)
        prior = smoothing * (rates * np.log(modes) + (1 - rates) * np.log(1 - modes)).sum()
        prior += smoothing * np.log(weights).mean()
        objectives.append((np.log(joint.sum(axis=1)).sum() + prior) / n)
        r = joint / joint.sum(axis=1, keepdims=True)
        modes = (r.T @ X + smoothing * rates) / (r.sum(axis=0)[:, None] + smoothing)
        modes = np.clip(modes, floor, 1.0 - floor)
        weights = (r.sum(axis=0) + smoothing / weights.size) / (n + smoothing)
    return modes, weights, objectives


def test_passes_are_those_of_plain_expectation_maximisation(words):
    modes = np.random.default_rng(0).uniform(0.05, 0.6, (4, 6))
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    wanted, wanted_weights, objectives = plain_em(words, modes, weights, 7.0, 12)
    passes = MixturePasses(words, smoothing=7.0)
    theta, found = (logit(modes), np.log(weights)), []
    for _ in range(12):
        result = passes(theta)
        found.append(result.objective)
        theta = result.following
    np.testing.assert_allclose(found, objectives, rtol=1e-12)
    assert (np.diff(found) > 0.0).all(), "every pass raises the objective"
    np.testing.assert_allclose(expit(theta[0]), wanted, rtol=1e-9)
    np.testing.assert_allclose(np.exp(theta[1]), wanted_weights, rtol=1e-9)


def test_the_violation_is_the_largest_slope_of_the_objective(words):
    passes = MixturePasses(words, smoothing=5.0)
    logits, log_weights = np.random.default_rng(3).normal(-2.0, 1.0, (2, 6)), np.log([0.3, 0.7])
    slopes, h = [], 1e-5
    for k in np.ndindex(2, 6):
        step = np.zeros((2, 6))
        step[k] = h
        up, down = (passes((logits + s, log_weights)) for s in (step, -step))
        slopes.append((up.objective - down.objective) / (2.0 * h))
    for step in ([h, 0.0], [0.0, h]):  # log weights stay normalised
        up, down = (log_weights + s for s in (np.array(step), -np.array(step)))
        up, down = (each - np.log(np.exp(each).sum()) for each in (up, down))
        rise = passes((logits, up)).objective
        slopes.append((rise - passes((logits, down)).objective) / (2.0 * h))
    assert passes((logits, log_weights)).violation == pytest.approx(np.abs(slopes).max(), rel=1e-6)


def test_fits_reach_a_fixed_point_as_good_as_long_plain_passes(words, fitted):
    tight = BernoulliMixture(n_components=3, tol=1e-13, max_iter=20_000).fit(words)
    assert tight.certificate_.converged
    assert tight.certificate_.optimality < 1e-6
    _, _, objectives = plain_em(words, tight.modes_, tight.weights_, 10.0, 2)
    assert -tight.objective_ == pytest.approx(objectives[0], rel=1e-12)
    assert abs(objectives[1] - objectives[0]) < 1e-12
    _, _, objectives = plain_em(words, fitted.modes_, fitted.weights_, 10.0, 300)
    assert objectives[-1] - objectives[0] < 30 * fitted.tol, "tol is per pass, not per fit"
    assert -fitted.objective_ == pytest.approx(objectives[0], rel=1e-12)
    assert fitted.last_gain_ <= fitted.tol
    assert (np.diff(fitted.weights_) <= 0.0).all(), "the most frequent component comes first"


def test_a_known_mixture_is_recovered_from_its_samples():
    modes = np.array([[0.05] * 8, [0.7] * 4 + [0.05] * 4, [0.1] * 4 + [0.6] * 4])
    truth = BernoulliMixture.from_parameters(modes, [0.6, 0.25, 0.15])
    found = BernoulliMixture(n_components=3, smoothing=1.0).fit(truth.sample(20_000, 0))
    np.testing.assert_allclose(found.weights_, truth.weights_, atol=0.02)
    np.testing.assert_allclose(found.modes_, modes, atol=0.03)


@pytest.mark.parametrize("smoothing", [1e-9, 1e9])
def test_extreme_smoothing_leaves_probabilities_finite(words, every_word, smoothing):
    model = BernoulliMixture(n_components=5, smoothing=smoothing).fit(words)
    log_p = model.score_samples(every_word(6))
    assert np.isfinite(log_p).all()
    if smoothing > 1.0:
        np.testing.assert_allclose(model.modes_, np.tile(model.rates_, (5, 1)), rtol=1e-4)


def test_responsibilities_of_separate_modes_are_those_of_a_gaussian_mixture():
    """Where modes do not overlap, any mixture finds the same groups of words."""
    rng = np.random.default_rng(5)
    group = rng.integers(0, 2, 600)
    X = rng.random((600, 12)) < np.where(group[:, None] == np.arange(12) % 2, 0.9, 0.05)
    peer = GaussianMixture(2, covariance_type="diag", random_state=0).fit(X.astype(float))
    model = BernoulliMixture(n_components=2).fit(X)
    same = model.responsibilities(X).argmax(axis=1) == peer.predict(X.astype(float))
    assert max(same.mean(), 1.0 - same.mean()) > 0.99
