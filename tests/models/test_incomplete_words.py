"""Fits to words with missing cells, against the marginal likelihood summed over all words."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit, logsumexp

import microcolumn as mc
from microcolumn.errors import BadArgument, BadInput, Unsupported
from microcolumn.models import BernoulliMixture

N = 4
EVERY = ((np.arange(1 << N)[:, None] >> np.arange(N)) & 1).astype(np.uint8)
COUPLED = mc.Ising.from_parameters(
    mc.Parameters(
        b=[-1.5, -1.0, -2.0, -1.0],
        J=0.5 * np.array([[0, 1, 0, 2], [1, 0, -1, 0], [0, -1, 0, 1], [2, 0, 1, 0]]),
    )
)


def _gaps(n_bins=4000, seed=0):
    """Words of coupled units: a unit is missing at first, and any cell now and then."""
    rng = np.random.default_rng(seed)
    X = COUPLED.sample(n_bins, random_state=seed).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[: n_bins // 3, 3] = np.nan
    return X


@pytest.fixture(scope="module")
def words():
    return mc.IncompleteWords.from_array(_gaps())


def _marginal(log_p, words):
    """Mean log probability of the observed cells, where that of all words is ``log_p``."""
    seen = [
        logsumexp(log_p[(gap | (word == EVERY)).all(axis=1)])
        for word, gap in zip(words.X, words.missing, strict=True)
    ]
    return np.average(seen, weights=words.counts)


def _ising_log_p(x):
    pairs = np.triu_indices(N, 1)
    log_p = EVERY @ x[:N] + 2.0 * (EVERY[:, pairs[0]] * EVERY[:, pairs[1]]) @ x[N:]
    return log_p - logsumexp(log_p)


def test_an_ising_model_is_at_the_top_of_the_marginal_likelihood(words):
    model = mc.Ising(l1=0.0).fit(words)
    x = np.concatenate([model.b_, model.J_[np.triu_indices(N, 1)]])
    assert model.objective_ == pytest.approx(-_marginal(_ising_log_p(x), words), rel=1e-10)
    slopes = approx_fprime(x, lambda x: _marginal(_ising_log_p(x), words), 1e-6)
    assert np.abs(slopes).max() < 1e-5
    assert model.certificate_.converged


def test_missing_cells_that_chance_chose_do_not_shift_the_couplings():
    model = mc.Ising(l1=0.0).fit(mc.IncompleteWords.from_array(_gaps(40_000)))
    np.testing.assert_allclose(model.J_, COUPLED.J_, atol=0.1)
    np.testing.assert_allclose(model.b_, COUPLED.b_, atol=0.1)


def test_more_of_the_marginal_likelihood_than_complete_bins_alone_show(words):
    seen = ~words.missing.any(axis=1)[words.index]
    complete = mc.Ising(l1=0.0).fit(words.expand()[seen])
    everything = mc.Ising(l1=0.0).fit(words)
    assert everything.score(words) > complete.score(words)


def test_rates_of_independent_units_are_those_of_the_observed_bins(words):
    model = mc.Independent().fit(words)
    np.testing.assert_allclose(expit(model.b_), np.nanmean(words.expand(), axis=0))
    assert model.objective_ == pytest.approx(-_marginal(model.score_samples(EVERY), words))


def test_a_silent_unit_has_the_floor_of_the_bins_in_which_it_was_observed():
    X = _gaps(600)
    X[:, 3] = np.where(np.arange(600) < 500, np.nan, 0.0)
    words = mc.IncompleteWords.from_array(X)
    independent, ising = mc.Independent().fit(words), mc.Ising().fit(words)
    assert independent.rates_[3] == pytest.approx(0.5 / 101)
    np.testing.assert_array_equal(independent.rates_, ising.rates_)
    assert not ising.J_[3].any()


def test_a_mixture_is_at_the_top_of_the_penalised_marginal_likelihood(words):
    model = BernoulliMixture(2, smoothing=5.0, tol=1e-12, n_init=1).fit(words)
    total, rates = words.counts.sum(), model.rates_

    def objective(x):
        modes, shares = expit(x[: 2 * N].reshape(2, N)), expit(x[-1])
        log_weights = np.log([shares, 1.0 - shares])
        each = EVERY @ np.log(modes).T + (1 - EVERY) @ np.log1p(-modes).T
        prior = (rates * np.log(modes) + (1.0 - rates) * np.log1p(-modes)).sum() * 5.0
        prior += 2.5 * log_weights.sum()
        return _marginal(logsumexp(each + log_weights, axis=1), words) + prior / total

    logits = np.log(model.modes_) - np.log1p(-model.modes_)
    x = np.append(logits.ravel(), np.log(model.weights_[0] / model.weights_[1]))
    assert model.objective_ == pytest.approx(-objective(x), rel=1e-9)
    assert np.abs(approx_fprime(x, objective, 1e-6)).max() < 1e-5


@pytest.mark.parametrize("model", [mc.RBM(2, l1=1e-3), mc.SemiRBM(1, l1=1e-3)], ids=repr)
def test_hidden_units_are_fitted_to_what_was_seen(model, words):
    fitted = model.fit(words)
    entries = np.abs(fitted.W_).sum() + np.abs(fitted.J_).sum()
    likelihood = _marginal(fitted.score_samples(EVERY), words)
    assert fitted.objective_ == pytest.approx(1e-3 * entries - likelihood, rel=1e-9)
    assert fitted.certificate_.converged
    assert likelihood > mc.Independent().fit(words).score(words) + 0.01


def test_weights_count_as_repeated_bins():
    X, weights = _gaps(300), np.random.default_rng(1).integers(1, 4, 300)
    weighted = mc.IncompleteWords.from_array(X, sample_weight=weights)
    repeated = mc.IncompleteWords.from_array(np.repeat(X, weights, axis=0))
    for model in (mc.Independent(), mc.Ising(l1=1e-3), BernoulliMixture(2)):
        first = model.fit(weighted).score_samples(EVERY)
        np.testing.assert_allclose(first, model.fit(repeated).score_samples(EVERY), atol=1e-5)


def test_scores_are_of_the_observed_cells(words):
    train, test = words.split(0.5, random_state=0)
    models = {"rates": mc.Independent().fit(train), "Ising": mc.Ising().fit(train)}
    gain = models["Ising"].score(test) - models["rates"].score(test)
    expected = gain / (np.log(2.0) * 0.020)
    assert mc.score(models["Ising"], test).bits_per_second == pytest.approx(expected)
    compared = mc.compare(models, test)
    assert compared.scores["Ising"].bits_per_second == pytest.approx(expected)
    assert compared.best.name == "Ising"


def test_a_path_of_penalties_is_fitted_to_the_observed_cells_too(words):
    single = mc.Ising(l1=1e-2).fit(words)
    _, last = mc.Ising().fit_path(words, [1e-3, 1e-2])
    np.testing.assert_allclose(last.J_, single.J_, atol=1e-3)
    assert last.objective_ == pytest.approx(single.objective_, abs=1e-5)


def test_windows_may_have_missing_cells():
    windows = mc.IncompleteWords.from_array(_gaps(1500)).embed(2)
    model = mc.Ising(l1=1e-3, tie_bins=True).fit(windows)
    np.testing.assert_array_equal(model.J_[:N, :N], model.J_[N:, N:])
    penalty = 1e-3 * np.abs(model.J_).sum()
    assert model.objective_ == pytest.approx(penalty - model.score(windows), rel=1e-9)


def test_a_large_ising_model_is_fitted_by_sampled_words():
    n, rng = 30, np.random.default_rng(0)
    J = np.triu(rng.normal(0.0, 0.4, (n, n)) * (rng.random((n, n)) < 0.1), 1)
    coupled = mc.Ising.from_parameters(mc.Parameters(b=rng.normal(-2.5, 0.4, n), J=J + J.T))
    X = coupled.sample(4000, random_state=0).astype(float)
    X[:2000, :2] = np.nan
    words = mc.IncompleteWords.from_array(X)
    model = mc.Ising(l1=3e-3).fit(words)
    exact = 3e-3 * np.abs(model.J_).sum() - model.score(words)  # log Z is summed
    assert model.log_partition().method == "exact"
    assert model.objective_ == pytest.approx(exact, abs=3e-3)
    assert model.certificate_.converged
    assert exact < -mc.Independent().fit(words).score(words)


@pytest.mark.parametrize(
    "model",
    [mc.Ising(objective="mpf"), mc.RBM(2, objective="pseudolikelihood"), mc.RBM(2, l1=0.0)],
    ids=repr,
)
def test_settings_that_need_complete_words_are_refused(model, words):
    with pytest.raises(BadArgument, match="missing cells"):
        model.fit(words)
    with pytest.raises(BadArgument, match="missing cells"):
        model.fit_path(words, [0.0, 1e-3])


def test_a_model_of_the_newest_bin_scores_no_missing_cells(words):
    windows = mc.Words.from_array(COUPLED.sample(500)).embed(2)
    model = mc.Ising(objective="conditional").fit(windows)
    with pytest.raises(Unsupported, match="newest bin"):
        mc.score(model, words.embed(2))


def test_words_of_other_units_are_refused(words):
    other = mc.IncompleteWords.from_array(_gaps(50), units=mc.Units("abcd"))
    with pytest.raises(BadInput, match="'0'"):
        mc.Ising().fit(words).score(other)
    three = mc.Ising().fit(np.eye(3))
    with pytest.raises(BadArgument, match="3 features"):
        three.score(words)
    with pytest.raises(BadInput, match="leave out sample_weight"):
        mc.Independent().fit(words, sample_weight=np.ones(4000))
