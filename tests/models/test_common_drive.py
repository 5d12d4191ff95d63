"""One drive common to all units: probabilities, fits, what it finds where it is true."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logit
from scipy.stats import norm

import microcolumn as mc
from microcolumn.models import CommonDrive, _common_drive
from microcolumn.models._common_drive import DriveLikelihood, gaussian_drive


def truth_of(n_units=12, seed=0, gains=(-0.3, 0.9)):
    """Sparse units whose gains are lognormal with this mean and deviation of their logarithm."""
    rng = np.random.default_rng(seed)
    return CommonDrive.from_parameters(
        rng.normal(-2.5, 0.5, n_units), np.exp(rng.normal(*gains, n_units))
    )


def integral(model, x):
    """Probability of a word by adaptive quadrature of the normal drive."""

    def density(g):
        p = expit(model.b_ + model.w_ * g)
        return norm.pdf(g) * np.where(x, p, 1.0 - p).prod()

    return quad(density, -9.0, 9.0, epsabs=0.0, epsrel=1e-11, limit=500)[0]


def test_words_have_the_probability_of_the_integral_and_add_up_to_one(every_word):
    model, X = truth_of(6, gains=(0.0, 0.7)), every_word(6)
    assert np.exp(model.score_samples(X)).sum() == pytest.approx(1.0, abs=1e-13)
    expected = np.array([integral(model, x) for x in X])
    np.testing.assert_allclose(np.exp(model.score_samples(X)), expected, rtol=2e-6)


@pytest.mark.parametrize(
    ("n_units", "gain", "error"), [(100, 1.0, 1e-6), (400, 1.0, 1e-4), (100, 2.0, 3e-3)]
)
def test_nodes_resolve_the_drive_given_words_of_many_units(n_units, gain, error):
    b, w = np.full(n_units, -1.0), np.full(n_units, gain)
    model = CommonDrive.from_parameters(b, w)
    fine = np.linspace(-9.0, 9.0, 20_001)
    weights = norm.pdf(fine) / norm.pdf(fine).sum()
    exact = CommonDrive.from_parameters(b, w, fine, weights)
    X = (np.arange(n_units) < np.linspace(0, 0.9, 10)[:, None] * n_units).astype(np.uint8)
    np.testing.assert_allclose(model.score_samples(X), exact.score_samples(X), atol=error)


@pytest.mark.parametrize("free", [False, True])
def test_slopes_are_those_of_finite_differences_and_the_value_that_of_the_model(free, monkeypatch):
    words = mc.Words.from_array(truth_of(5).sample(500, 1))
    likelihood, rng = DriveLikelihood(words, ridge=3.0), np.random.default_rng(2)
    x = likelihood.start() + rng.normal(0.0, 0.2, 10)
    if free:
        x = np.concatenate(
            [x, np.log(likelihood.normal) + rng.normal(0.0, 0.5, likelihood.normal.size)]
        )
    value, slopes = likelihood.value_and_slopes(x)
    for k in range(x.size):
        step = 1e-5 * np.eye(x.size)[k]
        up, down = (likelihood.value_and_slopes(x + s * step)[0] for s in (1, -1))
        assert slopes[k] == pytest.approx((up - down) / 2e-5, abs=1e-8)
    b, w, log_weights = likelihood.parts(x)
    model = CommonDrive.from_parameters(b, w, likelihood.nodes, np.exp(log_weights))
    prior = 1.5 * w @ w - free * 10.0 * gaussian_drive(5)[1] @ log_weights
    assert value == pytest.approx(-model.score(words) + prior / 500, rel=1e-12)
    monkeypatch.setattr(_common_drive, "chunks", lambda n, m: [slice(0, n // 3), slice(n // 3, n)])
    assert likelihood.value_and_slopes(x)[0] == pytest.approx(value, rel=1e-13)


def test_gains_are_found_again_within_their_errors():
    truth = truth_of(15)
    model = CommonDrive().fit(truth.sample(60_000, 1))
    assert model.certificate_.converged
    assert model.certificate_.optimality <= model.tol
    slopes = model._slopes(truth.sample(60_000, 1))
    stderr = np.sqrt(np.diagonal(np.linalg.inv(slopes.T @ slopes)))
    z = (np.concatenate([model.b_ - truth.b_, model.w_ - truth.w_])) / stderr
    assert np.abs(z).max() < 4.0
    assert 0.6 < np.sqrt(np.mean(z**2)) < 1.4
    assert truth.w_.max() > 5 * truth.w_.min(), "gains are unequal"


def test_a_drive_that_is_not_normal_is_found_by_a_free_distribution_alone():
    """Two states, as of up and down: mostly silent, one word in ten active."""
    rng = np.random.default_rng(3)
    w = rng.uniform(0.3, 1.2, 12)
    truth = CommonDrive.from_parameters(np.full(12, -2.5), w, [-1 / 3, 3.0], [0.9, 0.1])
    train, test = (mc.Words.from_array(truth.sample(20_000, seed)) for seed in (1, 2))
    normal, free = (CommonDrive(name).fit(train) for name in ("gaussian", "free"))
    gain = mc.compare({"normal": normal, "free": free}, test).pair("free", "normal")
    assert gain.bits_per_second > 5 * gain.stderr
    assert free.score(test) == pytest.approx(truth.score(test), abs=0.002)
    assert free.weights_ @ free.drive_ == pytest.approx(0.0, abs=1e-12)
    assert free.weights_ @ free.drive_**2 == pytest.approx(1.0, abs=1e-12)
    assert np.corrcoef(free.w_, w)[0, 1] > 0.95
    assert mc.evaluate.choose(CommonDrive(), train, test).best.distribution == "free"


def test_it_beats_pairs_and_counts_where_one_drive_with_unequal_gains_is_the_truth():
    truth = truth_of(12, gains=(-0.3, 1.0))
    train, test = (mc.Words.from_array(truth.sample(n, s)) for n, s in ((20_000, 1), (60_000, 2)))
    names = ["Ising", "KPairwise", "PopulationTracking", "CommonDrive"]
    models = mc.tune(names, train).models
    found = mc.compare(models, test)
    for name in names[:3]:
        pair = found.pair("CommonDrive", name)
        assert pair.bits_per_second > 3 * pair.stderr, name


def test_it_is_independent_units_where_nothing_is_common():
    rng = np.random.default_rng(0)
    train, test = (rng.random((20_000, 10)) < np.linspace(0.02, 0.3, 10) for _ in range(2))
    model = CommonDrive().fit(train)
    # Ten gains that are noise cost half a nat each on as many words.
    lost = mc.Independent().fit(train).score(test) - model.score(test)
    assert abs(lost) < 20.0 / 20_000
    weak = model.w_ * np.sqrt(model.rates_ * (1.0 - model.rates_))
    implied = np.outer(weak, weak)[np.triu_indices(10, 1)]  # correlations
    assert np.abs(implied).max() < 4.0 / np.sqrt(20_000)


def test_units_that_never_or_always_spike_keep_their_rates_and_have_no_gain():
    X = truth_of(6).sample(3000, 0)
    X[:, 0], X[:, 1] = 0, 1
    model, independent = CommonDrive().fit(X), mc.Independent().fit(X)
    np.testing.assert_array_equal(model.w_[:2], 0.0)
    np.testing.assert_allclose(model.b_[:2], logit(independent.rates_[:2]), rtol=1e-12)
    rest = CommonDrive().fit(X[:, 2:])
    np.testing.assert_allclose(model.w_[2:], rest.w_, atol=2e-3)


def test_copies_of_a_unit_have_large_and_finite_gains_that_the_prior_rules():
    X = np.repeat(np.random.default_rng(0).random((2000, 1)) < 0.3, 3, axis=1)
    weak, strong = (CommonDrive(ridge=ridge).fit(X) for ridge in (0.01, 1.0))
    assert np.isfinite(weak.w_).all()
    assert weak.w_.min() > 1.5 * strong.w_.max()
    assert strong.w_.min() > 3.0
    assert np.isfinite(weak.score_samples([[0, 1, 0]])).all()
    assert weak.conditional([[1, 0, 1]], 1) > 0.9


@pytest.mark.parametrize("distribution", ["gaussian", "free"])
def test_gains_add_up_to_a_positive_number_whatever_their_signs(distribution):
    rng = np.random.default_rng(1)
    w = np.array([-1.5, -1.2, -0.8, 0.7, -1.0, 0.4])
    truth = CommonDrive.from_parameters(rng.normal(-1.0, 0.3, 6), w)
    model = CommonDrive(distribution).fit(truth.sample(20_000, 0))
    assert model.w_.sum() > 0
    assert np.corrcoef(model.w_, -w)[0, 1] > 0.97


def test_the_drive_given_words_is_that_of_bayes_rule():
    truth, rng = truth_of(40, gains=(0.0, 0.3)), np.random.default_rng(5)
    g = rng.normal(size=5000)
    X = rng.random((5000, 40)) < expit(truth.b_ + np.outer(g, truth.w_))
    r = truth.responsibilities(X)
    means = r @ truth.drive_
    variances = r @ truth.drive_**2 - means**2
    z = (g - means) / np.sqrt(variances)
    assert np.mean(z) == pytest.approx(0.0, abs=0.06)
    assert np.std(z) == pytest.approx(1.0, abs=0.05)


def test_a_fit_that_ends_early_says_so():
    with pytest.warns(UserWarning, match="Gaussian drive is not converged: after 2 iterations"):
        model = CommonDrive(max_iter=2).fit(truth_of().sample(2000, 0))
    assert not model.certificate_.converged
