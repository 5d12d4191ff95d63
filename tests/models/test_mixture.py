"""A mixture of independent populations: probabilities, expectation maximisation, files."""

import warnings

import numba
import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

import microcolumn as mc
from microcolumn.models import BernoulliMixture, to_bytes
from microcolumn.models._files import from_bytes
from microcolumn.models._modes_fit import Mixture, MixtureExpectation
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


def test_conditionals_are_ratios_of_enumerated_probabilities(every_word):
    model, X = random_mixture(seed=1), every_word(5)
    p = by_hand(model, X).sum(axis=1).reshape((2,) * 5)
    for unit in range(5):
        active = np.take(p, [1], axis=unit) / p.sum(axis=unit, keepdims=True)
        wanted = np.broadcast_to(active, p.shape).ravel()
        np.testing.assert_allclose(model.conditional(X, unit), wanted, rtol=1e-11)
    odds = model.log_odds(X, [3, 0])
    np.testing.assert_allclose(odds[:, 1], logit(model.conditional(X, 0)), rtol=1e-9, atol=1e-11)


def test_conditionals_of_extreme_modes_do_not_overflow():
    modes = np.full((2, 900), 1e-7)
    modes[1] = 1.0 - 1e-7
    model = BernoulliMixture.from_parameters(modes, [0.5, 0.5])
    X = np.zeros((3, 900), dtype=np.uint8)
    X[1], X[2, 0] = 1, 1
    odds = model.log_odds(X, [0])[:, 0]
    np.testing.assert_allclose(odds, logit(1e-7) * np.array([1.0, -1.0, 1.0]), rtol=1e-8)


def test_the_past_is_summed_out_as_enumeration_does(every_word):
    """Windows of two bins of two units: p(newest | past) from all words."""
    model = random_mixture(n_bits=4, seed=2)
    in_time = np.random.default_rng(0).integers(0, 2, (60, 2))
    windows = mc.Words.from_array(in_time).embed(2)
    p = by_hand(model, every_word(4)).sum(axis=1).reshape(2, 2, 2, 2)
    odds, past = model.log_odds_given_past(windows)
    for word, row in zip(windows.X, odds[past], strict=True):
        newest = p[word[0], word[1]]
        np.testing.assert_allclose(row[0], np.log(newest[1].sum() / newest[0].sum()), rtol=1e-10)
        np.testing.assert_allclose(
            row[1], np.log(newest[:, 1].sum() / newest[:, 0].sum()), rtol=1e-10
        )
    single, past = random_mixture(n_bits=2).log_odds_given_past(mc.Words.from_array(in_time))
    marginal = random_mixture(n_bits=2).weights_ @ random_mixture(n_bits=2).modes_
    np.testing.assert_allclose(single[past[0]], logit(marginal))


def test_synchrony_is_that_of_all_words(every_word):
    model, X = random_mixture(seed=3), every_word(5)
    p = by_hand(model, X).sum(axis=1)
    wanted = np.bincount(X.sum(axis=1), weights=p)
    np.testing.assert_allclose(model._active_distribution(), wanted, rtol=1e-12)
    np.testing.assert_allclose(mc.synchrony(model).probability, wanted, rtol=1e-12)


def test_samples_have_the_enumerated_probabilities(every_word):
    model = random_mixture(n_bits=3, seed=4)
    X = model.sample(20_000, random_state=0)
    p = by_hand(model, every_word(3)).sum(axis=1)
    observed = np.bincount(X @ [4, 2, 1], minlength=8)
    chi_square = ((observed - 20_000 * p) ** 2 / (20_000 * p)).sum()
    assert chi_square < 24.3  # 99.9 % of chi squared with 7 degrees of freedom
    assert np.array_equal(X, model.sample(20_000, random_state=0))


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
    expectation = MixtureExpectation(words, smoothing=7.0)
    theta, found = Mixture(logit(modes), np.log(weights)), []
    for _ in range(12):
        result = expectation(theta)
        found.append(result.objective)
        theta = result.following
    np.testing.assert_allclose(found, objectives, rtol=1e-12)
    assert (np.diff(found) > 0.0).all(), "every pass raises the objective"
    np.testing.assert_allclose(expit(theta.logits), wanted, rtol=1e-9)
    np.testing.assert_allclose(np.exp(theta.log_weights), wanted_weights, rtol=1e-9)


def test_the_violation_is_the_largest_slope_of_the_objective(words):
    expectation = MixtureExpectation(words, smoothing=5.0)
    theta = Mixture(np.random.default_rng(3).normal(-2.0, 1.0, (2, 6)), np.log([0.3, 0.7]))
    slopes, h = [], 1e-5
    for k in np.ndindex(2, 6):
        step = np.zeros((2, 6))
        step[k] = h
        up, down = (expectation(theta._replace(logits=theta.logits + s)) for s in (step, -step))
        slopes.append((up.objective - down.objective) / (2.0 * h))
    for step in ([h, 0.0], [0.0, h]):  # log weights stay normalised
        up, down = (theta.log_weights + s for s in (np.array(step), -np.array(step)))
        up, down = (each - np.log(np.exp(each).sum()) for each in (up, down))
        rise = expectation(theta._replace(log_weights=up)).objective
        slopes.append((rise - expectation(theta._replace(log_weights=down)).objective) / (2.0 * h))
    assert expectation(theta).violation == pytest.approx(np.abs(slopes).max(), rel=1e-6)


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


def test_one_component_is_the_independent_model(words):
    one = BernoulliMixture(n_components=1).fit(words)
    np.testing.assert_allclose(one.modes_[0], one.rates_, rtol=1e-12)
    assert mc.excess_log_likelihood(one, words).bits_per_second == pytest.approx(0.0, abs=1e-9)
    assert one.size_ == "1 component"


def test_correlated_units_gain_and_more_components_fit_better(words, fitted):
    more = BernoulliMixture(n_components=6).fit(words)
    assert more.score(words) > fitted.score(words) > mc.Independent().fit(words).score(words)
    assert fitted.n_parameters_ == 3 * 6 + 2


@pytest.mark.parametrize(
    "X",
    [
        [[0]],
        [[1]] * 3,
        [[0, 0]] * 5,
        [[1, 0]] * 5 + [[1, 1]] * 5,
        [[0, 1, 0]] * 2 + [[0, 0, 0]] * 300,
    ],
    ids=["one word", "always on", "silent", "always and sometimes on", "silent units"],
)
def test_edges_give_finite_probabilities_to_every_word(X, every_word):
    model = BernoulliMixture(n_components=4).fit(X)
    log_p = model.score_samples(every_word(len(X[0])))
    assert np.isfinite(log_p).all()
    assert np.exp(log_p).sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("smoothing", [1e-9, 1e9])
def test_extreme_smoothing_leaves_probabilities_finite(words, every_word, smoothing):
    model = BernoulliMixture(n_components=5, smoothing=smoothing).fit(words)
    log_p = model.score_samples(every_word(6))
    assert np.isfinite(log_p).all()
    if smoothing > 1.0:
        np.testing.assert_allclose(model.modes_, np.tile(model.rates_, (5, 1)), rtol=1e-4)


def test_whole_weights_are_repeated_rows(words):
    X, counts = words.X, np.arange(1.0, len(words.X) + 1.0)
    model = BernoulliMixture(n_components=2)
    weighted = model.fit(X, sample_weight=counts).modes_
    repeated = BernoulliMixture(n_components=2).fit(np.repeat(X, counts.astype(int), axis=0))
    np.testing.assert_allclose(weighted, repeated.modes_, rtol=1e-9)


def test_scores_do_not_depend_on_the_order_of_units(words, fitted):
    turned = words.subset([5, 3, 1, 0, 2, 4])
    by_word = dict(zip(map(bytes, words.X), fitted.score_samples(words), strict=True))
    other = fitted.score_samples(turned)
    for word, log_p in zip(turned.X, other, strict=True):
        assert log_p == pytest.approx(by_word[bytes(word[[3, 2, 4, 1, 5, 0]])], rel=1e-12)
    assert fitted.unit_ids_ == words.units.ids


def test_the_seed_decides_and_threads_do_not(words, fitted):
    before = numba.get_num_threads()
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    try:
        assert to_bytes(BernoulliMixture(n_components=3).fit(words)) == to_bytes(fitted)
    finally:
        numba.set_num_threads(before)
    other = BernoulliMixture(n_components=3, random_state=1, n_init=1).fit(words)
    assert not np.array_equal(other.modes_, fitted.modes_)


def test_files_hold_the_same_model(words, fitted):
    opened = from_bytes(to_bytes(fitted))
    assert to_bytes(opened) == to_bytes(fitted)
    assert np.array_equal(opened.score_samples(words), fitted.score_samples(words))
    assert opened.certificate_ == fitted.certificate_
    assert opened.n_iter_ == fitted.n_iter_


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("modes", np.full((3, 6), 1.5)),
        ("modes", np.full((3, 6), np.nan)),
        ("modes", np.full(6, 0.5)),
        ("weights", np.full(3, 0.5)),
        ("weights", np.ones(1)),
    ],
)
def test_files_with_impossible_numbers_are_refused(fitted, name, array):
    broken = from_bytes(to_bytes(fitted))
    setattr(broken, {"modes": "modes_", "weights": "_weights"}[name], array)
    with pytest.raises(ValueError, match="is not a microcolumn model"):
        from_bytes(to_bytes(broken))


def test_too_few_passes_are_reported(words):
    with pytest.warns(ConvergenceWarning, match=r"raise max_iter or tol"):
        model = BernoulliMixture(n_components=3, max_iter=3).fit(words)
    assert not model.certificate_.converged


@pytest.mark.parametrize(
    "settings",
    [{"n_components": 0}, {"smoothing": 0.0}, {"n_init": 0}, {"tol": -1.0}, {"max_iter": 0.5}],
)
def test_impossible_settings_are_refused(words, settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        BernoulliMixture(**settings).fit(words)


def test_validation_chooses_components_bounded_by_the_data(words):
    train, held = words.split(0.5, by="blocks", random_state=0)
    sizes = [each["n_components"] for each in BernoulliMixture().grid(train)]
    assert sizes == [n for n in (1, 2, 5, 10, 20, 40) if n <= len(train) / 5]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choice = mc.choose(BernoulliMixture(), train, held)
    scores = [mc.excess_log_likelihood(fit, held).bits_per_second for fit in choice.fits]
    assert choice.best is choice.fits[int(np.argmax(scores))]
    assert len(choice.best.modes_) > 1


def test_responsibilities_of_separate_modes_are_those_of_a_gaussian_mixture():
    """Where modes do not overlap, any mixture finds the same groups of words."""
    rng = np.random.default_rng(5)
    group = rng.integers(0, 2, 600)
    X = rng.random((600, 12)) < np.where(group[:, None] == np.arange(12) % 2, 0.9, 0.05)
    peer = GaussianMixture(2, covariance_type="diag", random_state=0).fit(X.astype(float))
    model = BernoulliMixture(n_components=2).fit(X)
    same = model.responsibilities(X).argmax(axis=1) == peer.predict(X.astype(float))
    assert max(same.mean(), 1.0 - same.mean()) > 0.99
