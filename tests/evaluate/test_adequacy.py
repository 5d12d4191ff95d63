"""Adequacy against sums over all words by brute force."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.evaluate._goodness import WordFeatures, WordSample, goodness
from microcolumn.evaluate.model_adequacy import _error, _first_miss
from microcolumn.evaluate.time_errors import cell_table


def all_words(n_units: int) -> np.ndarray:
    return np.array(list(product((0, 1), repeat=n_units)), dtype=np.uint8)


def planted(n_units: int = 7, c: float = -5.0) -> mc.RBM:
    """One hidden unit switches on four units."""
    W = np.zeros((n_units, 1))
    W[:4] = 4.0
    return mc.RBM.from_parameters(mc.Parameters(b=np.full(n_units, -3.0), W=W, c=[c]))


def central_moments(p: np.ndarray, X: np.ndarray, order: int) -> np.ndarray:
    """Product of deviations from the mean, averaged, one subset at a time."""
    residual = X - p @ X
    subsets = combinations(range(X.shape[1]), order)
    return np.array([p @ residual[:, list(subset)].prod(axis=1) for subset in subsets])


@pytest.fixture
def distribution(rng_seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    X = all_words(5)
    return np.random.default_rng(rng_seed).dirichlet(np.full(len(X), 0.5)), X


def test_central_moments_are_those_of_all_words(distribution):
    p, X = distribution
    features = WordFeatures.of(p @ X)
    covariance, third = features.central(p @ features.table(X, np.zeros(len(X))))
    np.testing.assert_allclose(covariance, central_moments(p, X, 2), atol=1e-14)
    np.testing.assert_allclose(third, central_moments(p, X, 3), atol=1e-14)


def test_linearised_deviations_are_slopes_of_the_central_moments(distribution):
    p, X = distribution
    features = WordFeatures.of(p @ X)
    table = features.table(X, np.log(np.maximum(p, 1e-9)))
    step = 1e-6 * (np.random.default_rng(0).dirichlet(np.ones(len(X))) - p)
    found = features.linearised((step @ table)[None, :], p @ table)[0]
    for order, name in ((2, "pairs"), (3, "triplets")):
        change = central_moments(p + step, X, order) - central_moments(p, X, order)
        np.testing.assert_allclose(found[features.columns[name]], change, atol=1e-11)


def test_columns_are_rates_products_and_tails():
    X = np.array([[1, 1, 1], [0, 1, 0]], dtype=np.uint8)
    features = WordFeatures.of(np.array([0.5, 1.0, 0.5]))
    table = features.table(X, np.array([-1.0, -2.0])).toarray()
    # rates | pairs 01 02 12 | triplet | 1, 2, 3 or more active | log p
    assert table.tolist() == [
        [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1],
        [0, 1, 0, 0, 0, 0, 0, 1, 0, 0, -2],
    ]


def test_many_units_have_the_pairs_and_triplets_of_the_most_active():
    rates = np.linspace(0.0, 0.5, 130)
    features = WordFeatures.of(rates)
    assert np.unique(features.pairs).tolist() == list(range(70, 130))
    assert np.unique(features.triplets).tolist() == list(range(106, 130))
    X = (np.random.default_rng(0).random((40, 130)) < 0.3).astype(np.uint8)
    table = features.table(X, np.zeros(40)).toarray()
    for name, subsets in (("pairs", features.pairs), ("triplets", features.triplets)):
        expected = X[:, subsets].prod(axis=2)
        assert np.array_equal(table[:, features.columns[name]], expected)


def test_a_model_describes_its_own_words_and_pairs_do_not_make_groups():
    model = planted()
    train, test = (model.sample(10_000, seed) for seed in (3, 4))
    own = mc.evaluate.adequacy(model, test)
    assert own.describes
    assert own.missed == ()
    assert str(own).startswith("describes these words within their noise (p = ")
    fewest = min(own.n_effective.values())
    assert 7_000 < fewest <= 10_000
    assert str(own).endswith(f", about {round(fewest, -2):,.0f} independent words)")
    far_off = replace(own, pairs=replace(own.pairs, error=0.876))
    assert str(far_off).endswith(" words; pairs are off by 88 %, which may be chance)")
    little = replace(far_off, p_value=0.01, p_values=dict.fromkeys(own.p_values, 0.2))
    assert str(little).endswith("but by little; pairs are off by 88 %, which may be chance")
    independent = mc.evaluate.adequacy(mc.Independent().fit(train), test)
    assert independent.p_value == 1 / 1000  # no drawn set deviates as much
    assert independent.missed == ("synchrony", "pairs", "triplets")
    assert independent.pairs.error == pytest.approx(1.0, abs=0.05)
    k = independent.misses_from
    assert f"misses synchrony: {k} or more active units in " in str(independent)


def test_moments_are_those_of_all_words_and_their_slope_is_one_for_the_right_model():
    model = planted(c=-7.0)  # which is on in few words, so that triplets are skewed
    X, words = all_words(7), model.sample(20_000, 4)
    p = np.exp(model.score_samples(X))
    found = mc.evaluate.adequacy(model, words).moments
    for name, order in (("pairs", 2), ("triplets", 3)):
        each, share = found[name], np.full(len(words), 1.0 / len(words))
        assert each.bits.tolist() == [list(subset) for subset in combinations(range(7), order)]
        np.testing.assert_allclose(each.model, central_moments(p, X, order), atol=1e-7)
        np.testing.assert_allclose(each.observed, central_moments(share, words, order), atol=1e-7)
        off = (each.observed - each.model) / each.stderr
        assert 0.5 < np.mean(off**2) < 2.0
        assert each.slope == pytest.approx(1.0, abs=0.1)
    independent = mc.evaluate.adequacy(mc.Independent().fit(words), words)
    assert independent.moments["triplets"].slope == pytest.approx(0.0, abs=1e-6)
    noise = replace(found["pairs"], stderr=found["pairs"].observed)
    assert np.isnan(noise.slope)


def test_words_that_stay_are_worth_fewer():
    model = planted()
    rng = np.random.default_rng(0)
    single = model.sample(2000, rng)
    found = mc.evaluate.adequacy(model, np.repeat(single, 10, axis=0))
    # Each word is there ten times, so that 20,000 words are worth 2,000.
    assert 1000 < found.n_effective["rates"] < 4000
    assert found.describes


def test_drawn_words_stand_for_a_model_of_many_units():
    model = planted(13)
    found = mc.evaluate.adequacy(model, model.sample(3000, 5))
    exact = mc.evaluate.synchrony(model).probability[::-1].cumsum()[::-1][1:]
    assert found.method == "samples"
    np.testing.assert_allclose(found.tail_model, exact, atol=5 * 0.5 / 20_000**0.5)


@pytest.mark.parametrize("rates", [[0.2], [0.2, 0.0], [0.3, 0.3, 1.0]])
def test_few_silent_and_always_active_units_are_tested_too(rates):
    words = (np.random.default_rng(0).random((600, len(rates))) < rates).astype(np.uint8)
    found = mc.evaluate.adequacy(mc.Independent().fit(words), words)
    assert found.describes
    assert len(found.tail_model) == len(rates)


def test_the_first_k_needs_both_size_and_certainty():
    observed, none = np.array([0.5, 0.1, 0.01]), np.zeros(3)
    assert _first_miss(observed, observed * 1.19, none, 1e9) is None  # sure but small
    assert _first_miss(observed, observed * 1.3, none, 1e9) == 1
    assert _first_miss(observed, observed * [1.0, 1.5, 1.5], none + 0.04, 1e9) == 2
    assert _first_miss(observed, observed * 2.0, none + 1.0, 1e9) is None  # large but unsure
    assert _first_miss(none, np.array([0.0, 0.0, 0.02]), none, 10_000) == 3  # never observed
    assert _first_miss(none, np.array([0.0, 0.0, 0.02]), none, 100) is None  # too few expected


def test_silence_is_not_described_by_a_model_of_active_units():
    """Silent words have no noise of their own."""
    model = mc.Independent.from_parameters(mc.Parameters(b=np.full(4, -2.0)))
    found = mc.evaluate.adequacy(model, np.zeros((500, 4), dtype=np.uint8))
    assert found.p_value == 1 / 1000
    assert "synchrony" in found.missed


def test_gibbs_chains_stand_for_a_model_that_is_too_large_for_independent_draws(too_large):
    model, words, probability = too_large
    found = mc.evaluate.adequacy(model, words)
    assert found.method == "gibbs"
    tail = probability[::-1].cumsum()[::-1][1:]
    np.testing.assert_allclose(found.tail_model, tail, atol=5 * 0.5 / 20_000**0.5)
    assert found.describes
    denser = mc.Parameters(b=model.b_ + 0.5, J=model.J_, W=model.W_, c=model.c_)
    assert mc.evaluate.adequacy(mc.SemiRBM.from_parameters(denser), words).p_value == 1 / 1000


def test_a_model_that_was_fitted_is_given_the_error_of_its_training_words():
    truth = planted()
    found = []
    for seed in range(12):
        train, test = (truth.sample(500, 2 * seed + k) for k in range(2))
        fitted = mc.Independent().fit(train)
        given = mc.Independent.from_parameters(fitted.parameters_)
        found.append(
            [mc.evaluate.adequacy(each, test).p_values["rates"] for each in (fitted, given)]
        )
    fitted, given = np.mean(found, axis=0)
    assert fitted > given + 0.05


def test_error_takes_noise_away():
    rng = np.random.default_rng(0)
    truth, noise = rng.normal(size=20_000), 0.5 * rng.normal(size=20_000)
    variance = np.full(truth.size, 0.25)
    assert _error(truth + noise, truth, variance) < 0.1
    assert _error(truth + noise, 0.7 * truth, variance) == pytest.approx(0.3, abs=0.02)
    assert _error(truth + noise, np.zeros_like(truth), variance) == pytest.approx(1.0, abs=0.02)


def test_p_values_of_the_null_are_spread_and_the_least_is_corrected():
    model = planted(4)
    X = all_words(4)
    features = WordFeatures.of(np.exp(model.score_samples(X)) @ X)
    log_p = model.score_samples(X)
    own = WordSample(features.table(X, log_p), np.exp(log_p), np.inf)
    rng = np.random.default_rng(2)
    found = []
    for _ in range(5):
        index = rng.choice(16, 1000, p=own.share / own.share.sum())
        by_cell = cell_table(index, np.arange(1000) // 50, 16)
        data = WordSample(own.table, np.bincount(index, minlength=16) / 1000, 1000, by_cell)
        found.append(goodness(features, data, own, rng))
    p = [each.p_value for each in found]
    assert len(set(p)) > 2
    assert all(each.p_value >= min(each.p_values.values()) for each in found)


def test_a_spurious_mode_is_a_miss_and_no_warning():
    """All units active, as a flow fit may have it: nothing that was observed is like it."""
    model = mc.Ising.from_parameters(mc.Parameters(b=np.full(5, -3.0), J=4.0 * (1 - np.eye(5))))
    words = (np.random.default_rng(0).random((500, 5)) < 0.05).astype(np.uint8)
    found = mc.evaluate.adequacy(model, words)
    assert "synchrony" in found.missed
    assert found.tail_model[4] == pytest.approx(1.0)


@pytest.mark.parametrize(("n_units", "z"), [(1, 1.96), (2, 2.24)])
def test_limits_of_the_tail_hold_for_all_k_together(n_units, z):
    """One k has that of a normal number; two have Bonferroni's at most, dependent as they are."""
    model = mc.Independent.from_parameters(mc.Parameters(b=np.full(n_units, -0.5)))
    X = all_words(n_units)
    p = np.exp(model.score_samples(X))
    features = WordFeatures.of(p @ X)
    own = WordSample(features.table(X, np.log(p)), p, np.inf)
    tail, limits = own.means[features.columns["synchrony"]], []
    for seed in range(5):
        index = np.random.default_rng(seed).choice(len(X), 5000, p=p / p.sum())
        by_cell = cell_table(index, np.arange(5000) // 25, len(X))
        data = WordSample(own.table, np.bincount(index, minlength=len(X)) / 5000, 5000, by_cell)
        limits.append(goodness(features, data, own, np.random.default_rng(1)).tail_limits)
    expected = z * np.sqrt(tail * (1.0 - tail) / 5000)
    np.testing.assert_allclose(np.median(limits, axis=0), expected, rtol=0.15)
