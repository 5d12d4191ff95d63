"""The log-likelihood gain against probabilities written out word by word."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats
from wave_errors import wave_stderr

import microcolumn as mc
from microcolumn.models import RBM, Independent, Ising, load
from microcolumn.parameters import Parameters
from microcolumn.words import Words


def _random_words(n_bins, n_units, seed=0, **options):
    rng = np.random.default_rng(seed)
    return Words.from_array(rng.random((n_bins, n_units)) < 0.3, **options)


def _log2_independent(rates, x):
    return sum(math.log2(r if bit else 1.0 - r) for r, bit in zip(rates, x, strict=True))


def _by_hand(model, words, rates, distribution):
    """Mean of log2 p - log2 p_independent per second, one bin after the other."""
    p = distribution(model)
    weights = np.ones(words.n_bins) if words.weights is None else words.weights
    total = sum(
        weight * (math.log2(p[tuple(x)]) - _log2_independent(rates, x))
        for weight, x in zip(weights, words.expand().tolist(), strict=True)
    )
    return total / weights.sum() / (words.window * words.bin_width)


@settings(deadline=None, max_examples=25)
@given(
    kind=st.sampled_from(["independent", "ising", "kpairwise", "rbm", "srbm"]),
    seed=st.integers(0, 1000),
    n_units=st.integers(1, 5),
    weighted=st.booleans(),
)
def test_the_score_is_the_written_out_mean(
    random_model, distribution, kind, seed, n_units, weighted
):
    model = random_model(kind, seed, n_units)
    weights = np.random.default_rng(seed).uniform(0.1, 2.0, 40) if weighted else None
    words = _random_words(40, n_units, seed, bin_width=0.013, sample_weight=weights)
    rates = np.random.default_rng(seed).uniform(0.05, 0.9, n_units)
    score = mc.score(model, words, baseline=rates)
    expected = _by_hand(model, words, rates, distribution)
    assert score.bits_per_second == pytest.approx(expected, rel=1e-10, abs=1e-8)
    assert score.nats_per_word == pytest.approx(model.score(words), rel=1e-12)
    assert float(score) == score.bits_per_second
    assert (score.n_words, score.normaliser_stderr, score.converged) == (40, 0.0, True)


def test_spatiotemporal_words_are_divided_by_the_time_they_span(random_model, distribution):
    words = _random_words(60, 2, bin_width=0.0067).embed(3)
    model = random_model("srbm", 5, n_units=6)
    rates = np.full(6, 0.3)
    score = mc.score(model, words, baseline=rates)
    expected = _by_hand(model, words, rates, distribution)
    assert score.bits_per_second == pytest.approx(expected, rel=1e-10)
    assert score.per_neuron == pytest.approx(expected / 2, rel=1e-10)
    assert score.n_words == 58


def test_a_plain_array_has_bins_of_20_ms_unless_told_otherwise(random_model):
    model, X = random_model("ising", 1), _random_words(30, 4).expand()
    rates = [0.2, 0.3, 0.4, 0.5]
    plain = mc.score(model, X, rates)
    assert plain == mc.score(model, Words.from_array(X, bin_width=0.020), rates)
    longer = mc.score(model, X, rates, bin_width=0.040)
    assert longer.bits_per_second == pytest.approx(plain.bits_per_second / 2, rel=1e-12)
    assert longer.stderr == pytest.approx(plain.stderr / 2, rel=1e-12)


def test_the_baseline_has_the_rates_of_training_words_not_of_test_words(distribution, tmp_path):
    train = _random_words(300, 3, seed=1)
    test = Words.from_array(np.random.default_rng(2).random((100, 3)) < 0.6)
    model = Ising(l1=1e-3).fit(train)
    score = mc.score(model, test)
    expected = _by_hand(model, test, train.expand().mean(axis=0), distribution)
    assert score.bits_per_second == pytest.approx(expected, rel=1e-9)
    assert abs(score.bits_per_second - _by_hand(model, test, test.rates, distribution)) > 1.0
    explicit = mc.score(model, test, baseline=Independent().fit(train))
    assert explicit.bits_per_second == pytest.approx(score.bits_per_second, rel=1e-12)
    model.save(tmp_path / "model.safetensors")
    assert mc.score(load(tmp_path / "model.safetensors"), test) == score


@pytest.mark.parametrize("explicit", [False, True])
def test_the_independent_model_has_exactly_no_excess_over_itself(explicit):
    train, test = _random_words(500, 6).split(0.5, random_state=0)
    model = Independent().fit(train)
    score = mc.score(model, test, model if explicit else None)
    assert (score.bits_per_second, score.stderr, score.normaliser_stderr) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("always", [0, 1])
def test_a_unit_that_only_fires_or_pauses_in_the_test_words_gives_a_finite_score(always):
    rng = np.random.default_rng(3)
    X = (rng.random((400, 4)) < 0.3).astype(int)
    X[:300, 2] = always
    X[300:, 2] = 1 - always
    for model in (Independent(), Ising(l1=1e-3), RBM(n_hidden=2, l1=1e-2)):
        score = mc.score(model.fit(X[:300]), X[300:])
        assert math.isfinite(score.bits_per_second)
        assert math.isfinite(score.stderr)
    # Floor of half a count: 300 words make the surprise log2(2 * 301) bits, not infinity.
    independent = Independent().fit(X[:300])
    unlike = mc.score(independent, X[300:], baseline=np.full(4, 0.5))
    surprise = 1.0 - math.log2(2 * 301)
    others = sum(
        1.0 + np.mean([_log2_independent([rate], [bit]) for bit in X[300:, n]])
        for n, rate in enumerate(X[:300].mean(axis=0))
        if n != 2
    )
    assert unlike.bits_per_second == pytest.approx((surprise + others) / 0.020, rel=1e-9)


def test_the_error_bar_of_independent_words_is_the_analytic_one(random_model, distribution):
    model = random_model("srbm", 7, scale=1.0)
    X = model.sample(60_000, random_state=0)
    rates = X.mean(axis=0)
    p = distribution(model)
    gains = {x: math.log2(p[x]) - _log2_independent(rates, x) for x in p}
    mean = sum(p[x] * gains[x] for x in p)
    variance = sum(p[x] * (gains[x] - mean) ** 2 for x in p)
    scores = [mc.score(model, part, rates) for part in np.split(X, 100)]
    estimated = np.mean([score.stderr**2 for score in scores])
    assert estimated == pytest.approx(variance / 600 / 0.020**2, rel=0.15)
    t = [(score.bits_per_second - mean / 0.020) / score.stderr for score in scores]
    assert stats.kstest(t, stats.t(10).cdf).pvalue > 0.01


def test_the_error_bar_of_weighted_words_is_that_of_a_weighted_mean(random_model):
    model, rates = random_model("ising", 6), np.full(4, 0.3)
    X = model.sample(3000, random_state=1)
    weights = np.random.default_rng(0).pareto(3.0, size=3000) + 0.01
    words = Words.from_array(X, sample_weight=weights)
    base = Independent.from_parameters(Parameters(b=np.log(rates / (1 - rates))))
    gains = (model.score_samples(X) - base.score_samples(X)) / math.log(2) / 0.020
    mean = np.sum(weights * gains) / weights.sum()
    score = mc.score(model, words, rates)
    assert score.bits_per_second == pytest.approx(mean, rel=1e-9)
    assert score.stderr == pytest.approx(wave_stderr(gains, weights), rel=1e-9)


def test_repeating_every_word_leaves_the_score_and_its_error(random_model):
    model = random_model("ising", 3)
    once = _random_words(5000, 4)
    repeated = Words.from_array(np.repeat(once.expand(), 10, axis=0))
    rates = np.full(4, 0.3)
    score, again = (mc.score(model, words, rates) for words in (once, repeated))
    assert again.bits_per_second == pytest.approx(score.bits_per_second, rel=1e-12)
    assert again.stderr == pytest.approx(score.stderr, rel=1e-9)


def test_the_error_of_the_normaliser_is_common_to_all_words(random_model, monkeypatch):
    model = random_model("ising", 4)
    words, rates = _random_words(2000, 4), np.full(4, 0.3)
    exact = mc.score(model, words, rates)
    log_z = model.log_partition()
    estimate = replace(log_z, value=log_z.value + 0.1, stderr=0.03, method="ais", converged=False)
    monkeypatch.setattr(model, "log_partition", lambda: estimate)
    score = mc.score(model, words, rates)
    shift = 0.1 / math.log(2) / 0.020
    assert score.bits_per_second == pytest.approx(exact.bits_per_second - shift, rel=1e-9)
    assert score.normaliser_stderr == pytest.approx(0.03 / math.log(2) / 0.020, rel=1e-12)
    assert score.stderr**2 == pytest.approx(
        exact.stderr**2 + (0.03 / math.log(2) / 0.020) ** 2, rel=1e-9
    )
    assert (score.normaliser, score.converged) == ("ais", False)
    assert "not converged" in str(score)
    assert "not converged" not in str(exact)


def test_a_single_word_has_a_score_and_no_known_error(random_model):
    score = mc.score(random_model("rbm", 2), [[0, 1, 0, 1]], np.full(4, 0.3))
    assert math.isfinite(score.bits_per_second)
    assert math.isnan(score.stderr)


@pytest.mark.parametrize("window", [1, 3])
def test_spikes_per_second_are_those_of_all_units_whatever_the_window(random_model, window):
    words = _random_words(400, 2, bin_width=0.013).embed(window)
    score = mc.score(random_model("ising", 0, 2 * window), words, [0.3] * 2 * window)
    spikes = words.expand().sum() / (words.n_bins * window * 0.013)
    assert score.spikes_per_second == pytest.approx(spikes)


@pytest.fixture(scope="module")
def parts():
    return mc.simulate.microcolumn(n_units=6, minutes=2, seed=0).bin(0.020).split()


def test_the_gain_over_another_model_is_the_difference_of_two_scores_with_its_own_error(parts):
    train, test = parts
    model = mc.models.DirichletProcess(mc.Independent()).fit(train)
    gain = mc.score(model, test, model.base_)
    scores = [mc.score(each, test) for each in (model, model.base_)]
    assert gain.bits_per_second == pytest.approx(float(scores[0]) - float(scores[1]), abs=1e-10)
    pair = mc.compare({"base": model.base_, "process": model}, test).pairs[0]
    assert gain.stderr == pytest.approx(pair.stderr, rel=1e-9)


def test_units_may_come_in_any_order_beside_another_model(parts):
    train, test = parts
    model = mc.models.DirichletProcess(mc.models.PopulationTracking()).fit(train)
    turned = test.reordered([5, 2, 0, 1, 4, 3])
    gains = [float(mc.score(model, X, model.base_)) for X in (test, turned, test.expand())]
    assert gains == pytest.approx([gains[0]] * 3, abs=1e-10)


def test_the_error_of_log_z_of_another_model_counts_unless_it_is_shared(parts):
    model = Ising().fit(parts[0])
    doubtful = model.with_log_partition(replace(model.log_partition(), stderr=0.01))
    sure, unsure = (mc.score(model, parts[1], each) for each in (model, doubtful))
    assert sure.stderr == 0.0
    assert unsure.stderr == pytest.approx(0.01 / (math.log(2.0) * 0.020))
