"""Pattern statistics against counting by hand and direct sums of binomial probabilities."""

import math

import numpy as np
import pytest

from microcolumn.evaluate import counting_bounds, pattern_statistics
from microcolumn.models import Independent
from microcolumn.words import Words


@pytest.mark.parametrize("kind", ["independent", "ising", "kpairwise", "rbm", "srbm"])
def test_every_observed_word_is_listed_with_both_probabilities(random_model, distribution, kind):
    model = random_model(kind, 3, n_units=5)
    X = np.random.default_rng(0).random((100, 5)) < 0.4
    patterns = pattern_statistics(model, X)
    rows = [tuple(row) for row in X.astype(int).tolist()]
    p = distribution(model)
    listed = [tuple(word) for word in patterns.X.tolist()]
    assert sorted(listed) == sorted(set(rows))
    for k, word in enumerate(listed):
        assert patterns.n_active[k] == sum(word)
        assert patterns.empirical[k] == rows.count(word) / 100
        assert patterns.model[k] == pytest.approx(p[word], rel=1e-10)


def _quantile(q, n, p):
    """Smallest count whose cumulative binomial probability reaches q."""
    total = 0.0
    for count in range(n + 1):
        total += math.comb(n, count) * p**count * (1.0 - p) ** (n - count)
        if total >= q:
            return count
    return n


@pytest.mark.parametrize("p", [0.003, 0.04, 0.5, 0.97])
def test_bounds_are_quantiles_of_the_binomial_distribution(p):
    lower, upper = counting_bounds([p], 60)
    assert (round(lower[0] * 60), round(upper[0] * 60)) == (
        _quantile(0.05, 60, p),
        _quantile(0.95, 60, p),
    )


def test_bounds_at_the_ends_of_probability_are_the_ends():
    lower, upper = counting_bounds([0.0, 1.0, 1.0 + 1e-12], 1000)
    assert lower.tolist() == [0.0, 1.0, 1.0]
    assert upper.tolist() == [0.0, 1.0, 1.0]


def test_nine_in_ten_words_lie_inside_the_bounds_if_the_model_is_right(random_model):
    model = random_model("srbm", 5, n_units=6, scale=0.5)
    inside = []
    for seed in range(30):
        X = model.sample(20_000, random_state=seed)
        patterns = pattern_statistics(model, X)
        often = patterns.model * 20_000 > 20  # counts fine enough for quantiles, none unseen
        within = (patterns.lower <= patterns.empirical) & (patterns.empirical <= patterns.upper)
        inside.append(within[often])
    coverage = np.mean(np.concatenate(inside))
    assert 0.88 < coverage < 0.95  # at least 0.9 for counts, which are discrete


def test_a_wrong_model_leaves_most_words_outside(random_model):
    model = random_model("ising", 5, n_units=5)
    words = Words.from_array(model.sample(20_000, random_state=0))
    patterns = pattern_statistics(Independent().fit(words), words)
    inside = (patterns.lower <= patterns.empirical) & (patterns.empirical <= patterns.upper)
    assert inside.mean() < 0.5


def test_weighted_words_count_as_fewer_bins():
    X = np.array([[0, 1], [1, 0]] * 50)
    model = Independent().fit(X)
    even = pattern_statistics(model, Words.from_array(X, sample_weight=np.full(100, 7.0)))
    plain = pattern_statistics(model, X)
    np.testing.assert_allclose(even.empirical, plain.empirical)
    np.testing.assert_array_equal(even.lower, plain.lower)
    uneven = Words.from_array(X, sample_weight=np.where(np.arange(100) < 10, 1.0, 1e-6))
    rough = pattern_statistics(model, uneven)
    lower, upper = counting_bounds(rough.model, 10)
    np.testing.assert_array_equal(rough.lower, lower)
    np.testing.assert_array_equal(rough.upper, upper)
