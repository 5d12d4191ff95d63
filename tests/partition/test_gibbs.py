"""Gibbs samples against enumeration, with error bars, and the edges of the model family."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

from microcolumn.kernels import GibbsChains
from microcolumn.parameters import Parameters
from microcolumn.partition.gibbs import Sampler, gibbs_samples


def _model(seed, kind, n_units=6, n_hidden=4):
    rng = np.random.default_rng(seed)
    J = W = c = v = None
    if kind in ("ising", "srbm", "all terms"):
        J = np.triu(rng.normal(scale=0.5, size=(n_units, n_units)), 1)
        J = J + J.T
    if kind in ("rbm", "srbm", "all terms"):
        W, c = rng.normal(size=(n_units, n_hidden)), rng.normal(size=n_hidden)
    if kind == "all terms":
        v = np.concatenate([[0.0, 0.0], rng.normal(size=n_units - 1)])
    return Parameters.trusted(rng.normal(size=n_units) - 0.5, J, W, c, v)


@pytest.mark.parametrize("kind", ["independent", "ising", "rbm", "srbm", "all terms"])
def test_words_of_independent_chains_follow_the_exact_distribution(kind, enumerate_words):
    theta = _model(1, kind)
    X, _, probabilities = enumerate_words(theta)
    n = 20_000
    samples = gibbs_samples(theta, n, n_chains=n, n_sweeps=200, random_state=2)
    counts = (samples @ (1 << np.arange(6)) == (X @ (1 << np.arange(6)))[:, None]).sum(axis=1)
    expected = n * probabilities
    rare = expected < 5
    observed = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    keep = expected > 0
    assert stats.chisquare(observed[keep], expected[keep]).pvalue > 1e-3


def test_several_words_per_chain_still_have_the_right_mean(enumerate_words):
    theta = _model(3, "srbm")
    words, _, probabilities = enumerate_words(theta)
    samples = gibbs_samples(theta, 10_000, n_chains=100, thin=20, random_state=4)
    rounds = samples.reshape(100, 100, 6).mean(axis=0)  # one mean per chain
    error = rounds.std(axis=0, ddof=1) / 10
    assert (np.abs(samples.mean(axis=0) - probabilities @ words) < 5 * error).all()


def test_thinning_sets_the_correlation_between_words_of_a_chain():
    J = np.array([[0.0, 1.5], [1.5, 0.0]])
    theta = Parameters(b=[-1.5, -1.5], J=J)
    correlations = []
    for thin in (1, 50):
        samples = gibbs_samples(theta, 40_000, n_chains=400, thin=thin, random_state=5)
        first_unit = samples[:, 0].reshape(100, 400).astype(float)
        correlations.append(np.corrcoef(first_unit[:-1].ravel(), first_unit[1:].ravel())[0, 1])
    assert correlations[0] > 0.3
    assert abs(correlations[1]) < 0.03


def test_one_unit_is_a_biased_coin():
    samples = gibbs_samples(Parameters(b=[-1.0]), 20_000, n_chains=20_000, random_state=6)
    assert abs(samples.mean() - expit(-1.0)) < 4 * np.sqrt(0.2 / 20_000)


def test_huge_biases_pin_the_units():
    samples = gibbs_samples(Parameters(b=[900.0, -900.0, 40.0]), 100, random_state=7)
    np.testing.assert_array_equal(samples, np.tile([1, 0, 1], (100, 1)))


def test_hundreds_of_saturated_hidden_units_stay_exact():
    rng = np.random.default_rng(8)
    W = rng.choice([-20.0, 20.0], size=(6, 300))
    rates = np.array([0.02, 0.1, 0.3, 0.5, 0.9, 0.99])
    # Inputs between 50 and 290: softplus(z) = z to rounding, so the units are independent.
    theta = Parameters(b=logit(rates) - W.sum(axis=1), W=W, c=np.full(300, 170.0))
    n = 20_000
    samples = gibbs_samples(theta, n, n_chains=n, n_sweeps=3, random_state=9)
    error = np.sqrt(rates * (1 - rates) / n)
    assert (np.abs(samples.mean(axis=0) - rates) < 4 * error).all()


def test_dead_hidden_units_change_nothing():
    theta = Parameters(b=[-1.0, 0.5], W=[[1.0, 0.0], [2.0, 0.0]], c=[0.3, 5.0])
    alive = Parameters(b=[-1.0, 0.5], W=[[1.0], [2.0]], c=[0.3])
    a, b = (gibbs_samples(model, 50, random_state=10) for model in (theta, alive))
    np.testing.assert_array_equal(a, b)


def test_initial_words_are_spread_over_the_chains_in_turn():
    start = np.eye(3, dtype=np.uint8)
    samples = gibbs_samples(Parameters(b=np.zeros(3)), 7, n_sweeps=0, initial=start)
    np.testing.assert_array_equal(samples, start[[0, 1, 2, 0, 1, 2, 0]])


def test_the_seed_decides_the_words():
    theta = _model(11, "srbm")
    a, b, c = (gibbs_samples(theta, 64, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()
    assert a.dtype == np.uint8
    assert a.shape == (64, 6)


def test_an_interrupt_stops_a_run_between_slices(monkeypatch):
    calls = []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(GibbsChains, "advance", interrupted)
    monkeypatch.setattr(GibbsChains, "sweeps_per_call", 1)
    with pytest.raises(KeyboardInterrupt):
        Sampler(_model(13, "ising"), 32, seed=0).run(np.ones(100))
    assert len(calls) == 3
