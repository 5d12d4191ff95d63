"""The sampled likelihood against sums over all words."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.special import logsumexp

from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import Draws, NegativeLogLikelihood, SampledLikelihood, WordPool
from microcolumn.objectives.data_moments import DataMoments
from microcolumn.objectives.sparse_words import SparseWords
from microcolumn.packing import packed, unpacked
from microcolumn.parameters import Parameters
from microcolumn.partition import exact_expectations
from microcolumn.words import Words

KINDS = pytest.mark.parametrize("kind", ["independent", "ising", "rbm", "srbm"])
PARTS = ("b", "J", "W", "c")


@pytest.fixture(scope="module")
def log_z(every_word):
    return lambda theta: float(logsumexp(log_weight(theta, every_word(theta.n_visible))))


@pytest.fixture(scope="module")
def drawn(draw, log_z):
    """Exact samples of a model as a source of words."""

    def source(theta, n_draws, seed=0):
        return Draws.of(theta, packed(draw(theta, n_draws, seed)), log_z(theta))

    return source


@pytest.fixture(scope="module")
def likelihood(draw, random_parameters):
    """The objective of a pool for a few hundred words of 6 units, and the exact one for them."""
    words = Words.from_array(draw(random_parameters("ising", 6, scale=0.7, seed=9), 400))
    return partial(SampledLikelihood, DataMoments(words)), NegativeLogLikelihood(words)


def _near(theta, seed, scale=0.1):
    """A model next to another."""
    layout = Layout.of(theta)
    x = layout.pack(theta)
    return layout.unpack(x + np.random.default_rng(seed).normal(scale=scale, size=x.size))


def _pool_of_all_words(every_word, n_units):
    """Each word stands for itself."""
    keys = packed(every_word(n_units))
    n_words = keys.shape[1]
    return WordPool(SparseWords(keys, n_units), keys, np.zeros(n_words), np.ones(n_words))


@KINDS
def test_where_all_words_stand_for_themselves_value_and_gradient_are_exact(
    random_parameters, every_word, likelihood, kind
):
    theta = random_parameters(kind, 6, 4, seed=3)
    objective_of, exact = likelihood
    sampled = objective_of(_pool_of_all_words(every_word, 6))
    value, gradient = sampled(theta)
    wanted, slopes = exact(theta)
    assert value == pytest.approx(wanted, rel=1e-12)
    assert logsumexp(sampled.pool.log_masses(theta)) == pytest.approx(
        exact_expectations(theta)[0], rel=1e-12
    )
    for part in PARTS:
        found = getattr(gradient, part)
        if found is None:
            assert getattr(slopes, part) is None
        else:
            np.testing.assert_allclose(found, getattr(slopes, part), atol=1e-12)


def test_words_drawn_as_often_as_expected_stand_for_themselves(every_word):
    # Fair coins: with 5 draws of each of 8 words, no word is drawn more often than expected.
    coins = Parameters(b=np.zeros(3), J=np.zeros((3, 3)))
    keys = packed(np.repeat(every_word(3), 5, axis=0))
    pool = WordPool.of([Draws.of(coins, keys, 3 * math.log(2.0))])
    np.testing.assert_allclose(pool.log_measure, 0.0, atol=1e-14)
    assert np.array_equal(pool.n_drawn, np.full(8, 5.0))
    assert np.array_equal(unpacked(pool.keys, 3), every_word(3))


@KINDS
def test_a_pool_of_exact_samples_tells_log_z_and_gradient_within_sampling_error(
    random_parameters, drawn, likelihood, log_z, kind
):
    centre, n_draws = random_parameters(kind, 6, 4, scale=0.7, seed=4), 20_000
    theta = _near(centre, 5)
    objective_of, exact = likelihood
    sampled = objective_of(WordPool.of([drawn(centre, n_draws)]))
    value, gradient = sampled(theta)
    wanted, slopes = exact(theta)
    # Z is a mean of n weights whose relative variance is 1 / share - 1.
    share = sampled.pool.share(theta)
    stderr = math.sqrt((1.0 / share - 1.0) / n_draws)
    assert 0.5 < share < 1.0
    error = logsumexp(sampled.pool.log_masses(theta)) - log_z(theta)
    assert 0.0 < abs(error) < 4.0 * stderr
    assert value - wanted == pytest.approx(error, abs=1e-12)
    # A moment of terms in [0, 1] has a variance of at most a quarter, over the draws that count.
    worst = 0.5 / math.sqrt(n_draws * share)
    for part in PARTS:
        if getattr(gradient, part) is not None:
            assert np.abs(getattr(gradient, part) - getattr(slopes, part)).max() < 4.5 * worst


@KINDS
def test_the_gradient_is_that_of_the_value(random_parameters, drawn, likelihood, kind):
    centre = random_parameters(kind, 6, 4, scale=0.7, seed=6)
    objective_of, _ = likelihood
    sampled = objective_of(WordPool.of([drawn(centre, 500), drawn(_near(centre, 1), 300, 1)]))
    theta = _near(centre, 7)
    layout, step = Layout.of(theta), 1e-5
    x = layout.pack(theta)
    slopes = [
        (sampled(layout.unpack(x + e))[0] - sampled(layout.unpack(x - e))[0]) / (2.0 * step)
        for e in step * np.eye(x.size)
    ]
    np.testing.assert_allclose(layout.pack_gradient(sampled(theta)[1]), slopes, atol=1e-8)


def test_words_that_two_sources_could_have_drawn_do_not_count_twice(
    random_parameters, drawn, log_z
):
    first = random_parameters("srbm", 6, 3, scale=0.7, seed=1)
    second, third = _near(first, 2, 0.3), _near(first, 3, 0.2)
    errors = []
    for seed in range(20):
        pool = WordPool.of([drawn(first, 3000, seed), drawn(second, 1000, 100 + seed)])
        errors.append(logsumexp(pool.log_masses(third)) - log_z(third))
    spread = np.std(errors, ddof=1)
    assert spread < 0.05
    # Unbiased: the mean of 20 pools is four times nearer than one of them.
    assert abs(np.mean(errors)) < 4.0 * spread / math.sqrt(20)
    assert pool.n_drawn.sum() == 4000


def test_words_that_were_searched_for_count_only_where_chains_would_hardly_be(
    random_parameters, drawn
):
    theta = random_parameters("ising", 6, scale=0.7, seed=1)
    # A search in a place where chains are as well, with a mass that is wrong by a factor of 20.
    found = drawn(_near(theta, 2, 0.3), 50, 7)
    wrong = replace(found, log_mass=found.log_mass - 3.0)
    log_zs = []
    for searched in ((), (wrong,)):
        pool = WordPool.of([drawn(theta, 5000)], searched)
        log_zs.append(logsumexp(pool.log_masses(theta)))
        assert pool.n_drawn.sum() == 5000
    assert log_zs[0] == pytest.approx(log_zs[1], abs=1e-12)


def test_words_of_one_mode_stand_for_that_mode_alone(every_word):
    # Two modes, all units silent or all active; words of the second come from a source of its own.
    theta = Parameters(b=np.full(8, -4.2), J=0.6 * (1.0 - np.eye(8)))
    X = every_word(8)
    log_p = log_weight(theta, X)
    is_busy = X.sum(axis=1) > 4
    rates = np.stack([np.full(8, 0.999), np.full(8, 0.001)])
    rng, sources = np.random.default_rng(0), []
    for member, its_rates in ((~is_busy, rates[::-1]), (is_busy, rates)):
        # A word with four active units lies between both: `nearest` gives it to the first.
        is_tie = X.sum(axis=1) == 4
        member = member & ~is_tie | (is_tie & (its_rates[0, 0] > 0.5))
        p = np.exp(log_p[member] - logsumexp(log_p[member]))
        words = X[member][rng.choice(p.size, size=4000, p=p)]
        sources.append(Draws.of(theta, packed(words), float(logsumexp(log_p[member])), its_rates))
    pool = WordPool.of(sources[:1], sources[1:])
    total = logsumexp(pool.log_measure + pool.words.log_weights(theta))
    assert total == pytest.approx(logsumexp(log_p), abs=1e-9)


def test_far_from_its_words_the_objective_refuses(random_parameters, drawn, likelihood):
    centre = random_parameters("ising", 6, scale=0.5, seed=2)
    far = Parameters(b=centre.b + 3.0, J=centre.J)
    objective_of, _ = likelihood
    pool = WordPool.of([drawn(centre, 2000)])
    assert pool.share(far) < 0.2
    assert pool.share(centre) == pytest.approx(1.0, abs=1e-12)
    objective_of(pool)(far)
    objective_of(pool, 0.2)(centre)
    with pytest.raises(OverflowError, match="do not stand for this model"):
        objective_of(pool, 0.2)(far)


def test_the_share_that_counts_is_the_effective_sample_size(random_parameters, draw, drawn):
    centre = random_parameters("rbm", 6, 3, seed=8)
    theta, X = _near(centre, 1, 0.3), draw(centre, 700)
    weights = np.exp(log_weight(theta, X) - log_weight(centre, X))
    effective = weights.sum() ** 2 / (weights**2).sum()
    source = drawn(centre, 700)
    assert source.share(theta) == pytest.approx(effective / 700, rel=1e-10)
    assert WordPool.of([source]).share(theta) == pytest.approx(effective / 700, rel=1e-10)
