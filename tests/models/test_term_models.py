"""Reshaped projections, potentials of projections and a nonlinearity of a pairwise energy."""

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.base import clone

import microcolumn as mc
from microcolumn.energy import PairwiseResponse, log_weight
from microcolumn.parameters import Parameters

N = 6
EVERY = ((np.arange(1 << N)[:, None] >> np.arange(N)) & 1).astype(np.uint8)
MODELS = {
    "reshaped": mc.models.ReshapedProjections(12, 1e-3, 3),
    "potentials": mc.models.ProjectionPotentials(2, 1e-3),
    "semiparametric": mc.models.SemiparametricPairwise(1e-3),
}


def drawn(theta, n_words, seed=0):
    """Independent words of a model of ``N`` units, by its table of probabilities."""
    log_p = log_weight(theta, EVERY)
    p = np.exp(log_p - logsumexp(log_p))
    return EVERY[np.random.default_rng(seed).choice(len(EVERY), size=n_words, p=p)], p


def truth():
    """Couplings behind a V whose slope doubles and halves again."""
    rng, pairs = np.random.default_rng(1), np.stack(np.triu_indices(N, 1))
    strengths = np.concatenate([0.6 * rng.normal(size=pairs.shape[1]), [-1.0, 1.0, 0.0, -1.0]])
    knots, weights = np.array([-7.0, -4.0, -2.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0])
    term = PairwiseResponse(pairs, knots, weights, strengths)
    return Parameters(b=rng.normal(-1.5, 0.3, N), term=term)


@pytest.fixture(scope="module")
def X():
    return drawn(truth(), 20_000)[0]


@pytest.fixture(scope="module")
def fits(X):
    return {name: clone(model).fit(X) for name, model in MODELS.items()}


def divergence(p, model):
    return p @ (np.log(p) - model.score_samples(EVERY))


def test_a_nonlinearity_is_recovered_where_pairs_alone_are_wrong():
    words, p = drawn(truth(), 100_000)
    model = mc.models.SemiparametricPairwise(1e-5).fit(words)
    # What fitting the noise of as many parameters costs: half a nat per parameter and word.
    assert divergence(p, model) < 3.0 * model.n_parameters_ / 2e5
    assert divergence(p, mc.Ising(l1=1e-5).fit(words)) > 5.0 * divergence(p, model)
    assert model.certificate_.converged


def test_a_nonlinearity_never_costs_likelihood_and_none_is_found_where_there_is_none():
    theta = truth()
    pairs = theta.term.strengths.copy()
    pairs[-4:] = 0.0
    words, _ = drawn(Parameters(b=theta.b, term=theta.term.with_strengths(pairs)), 20_000)
    ising, model = mc.Ising(l1=1e-3).fit(words), mc.models.SemiparametricPairwise(1e-3).fit(words)
    assert model.objective_ <= ising.objective_ + 1e-9
    scores = np.linspace(-4.0, 0.0, 9)
    np.testing.assert_allclose(np.diff(model.response(scores)), 0.5, rtol=0.15)


def test_potentials_of_the_count_give_rates_and_numbers_of_active_units(X):
    model = mc.models.ProjectionPotentials(0, 1e-7, tol=1e-9).fit(X)
    p = np.exp(model.score_samples(EVERY))
    np.testing.assert_allclose(p @ EVERY, X.mean(axis=0), atol=1e-4)
    share = np.bincount(X.sum(axis=1), minlength=N + 1) / len(X)
    seen = np.arange(N + 1) < X.sum(axis=1).max()
    found = np.bincount(EVERY.sum(axis=1), p, N + 1)
    np.testing.assert_allclose(found[seen], share[seen], atol=1e-5)
    v = model.potential(0, np.arange(N + 1.0))
    odds = np.log(p) - EVERY @ model.b_  # but for the biases p depends on the count alone
    np.testing.assert_allclose(odds - odds[0], v[EVERY.sum(axis=1)] - v[0], atol=1e-9)


def test_potentials_of_axes_give_the_means_of_their_ramps(X):
    model = mc.models.ProjectionPotentials(3, 1e-4).fit(X)
    p = np.exp(model.score_samples(EVERY))

    def ramps(words):
        scores = (words @ model.axes_.T)[:, model.ramp_axis_]
        return np.maximum(model.signs_ * (scores - model.knots_), 0.0)

    gap, live = p @ ramps(EVERY) - ramps(X).mean(axis=0), model.strengths_ != 0.0
    np.testing.assert_allclose(gap[live], -1e-4 * np.sign(model.strengths_[live]), atol=3e-6)
    assert (np.abs(gap) < 1e-4 + 3e-6).all()
    # Beyond the words that were seen potentials bend down, however many units there are.
    bends = model.bends_.reshape(-1)
    assert (bends <= 0.0).all()
    assert bends.any()
    deviations = (X @ model.axes_[1:].T).std(axis=0)
    np.testing.assert_allclose(deviations, 1.0, rtol=1e-6)


def test_learned_weights_describe_groups_better_than_drawn_ones():
    rng = np.random.default_rng(0)
    states = rng.integers(0, 6, (20_000, 1))
    group = (states == 1) * [1, 1, 1, 0, 0, 0] + (states == 2) * [0, 0, 0, 1, 1, 1]
    X = (rng.random(group.shape) < 0.05 + 0.6 * group).astype(np.uint8)
    drawn_ones = mc.models.RandomProjections(6, 1e-4, 3).fit(X)
    reshaped = mc.models.ReshapedProjections(6, 1e-4, 3).fit(X)
    assert reshaped.objective_ < drawn_ones.objective_ - 0.01
    assert reshaped.n_parameters_ > drawn_ones.n_parameters_
    words = reshaped.sample(60_000, random_state=1)
    p = np.exp(reshaped.score_samples(EVERY))
    again = mc.models.ReshapedProjections(12, 1e-5, 3).fit(words)
    assert divergence(p, again) < 0.2 * divergence(p, mc.Independent().fit(words))


def test_the_authors_number_of_projections_is_the_default():
    rng = np.random.default_rng(0)
    model = mc.models.RandomProjections(l1=1e-2).fit(rng.random((2000, 9)) < 0.3)
    assert model.size_ == "45 projections"


@pytest.mark.parametrize("name", ["potentials", "semiparametric"])
def test_sampling_reaches_the_exact_optimum_within_its_noise(name, X, fits, monkeypatch):
    monkeypatch.setattr("microcolumn.partition.cost.MOST_UNITS", 3)
    found, exact = clone(MODELS[name]).fit(X), fits[name]
    assert found.certificate_.converged
    assert found.certificate_.mean_square_z < 3.0
    log_z = found.log_partition()
    assert (log_z.method, log_z.converged) == ("ais", True)
    weights = found.score_samples(EVERY) + log_z.value
    assert abs(log_z.value - logsumexp(weights)) < 4.0 * log_z.stderr
    p = np.exp(exact.score_samples(EVERY))
    assert abs(divergence(p, found)) < 3e-3 + 3.0 * log_z.stderr
    assert found._active_distribution() is None
    rates = found.sample(4_000, random_state=0).mean(axis=0)
    np.testing.assert_allclose(rates, X.mean(axis=0), atol=0.03)


def test_a_projection_that_is_not_there_is_refused(fits):
    with pytest.raises(ValueError, match="they are 0 to 2"):
        fits["potentials"].potential(3, [0.0])
