"""ROC, calibration and gain against scikit-learn and counts over single bins."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score, roc_curve

from microcolumn.evaluate import conditional_gain
from microcolumn.evaluate._prediction import predict
from microcolumn.evaluate._prediction_scores import calibration, prediction_gain, roc
from microcolumn.models import Independent, Ising
from microcolumn.parameters import Parameters
from microcolumn.words import Words

KINDS = ["independent", "ising", "rbm", "srbm"]


def _words(n_bins, n_units, seed=0, weighted=False, **options):
    rng = np.random.default_rng(seed)
    bits = rng.random((n_bins, n_units)) < 0.3
    weights = rng.uniform(0.1, 3.0, n_bins) if weighted else None
    return Words.from_array(bits, sample_weight=weights, **options)


def _traces(prediction, column):
    """Single bins: rounded predictions, so that ties are ties, true spikes and weights."""
    scores = prediction.probability[:, column].round(12)
    spikes = prediction.spikes[:, column]
    weights = prediction.weights
    return scores, spikes, np.ones(prediction.n_bins) if weights is None else weights


@settings(deadline=None, max_examples=30)
@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 1000), weighted=st.booleans())
def test_the_curve_is_that_of_scikit_learn_over_single_bins(random_model, kind, seed, weighted):
    words = _words(80, 3, seed, weighted)
    found = predict(random_model(kind, seed, 3), words)
    for unit in range(3):
        scores, spikes, weights = _traces(found, unit)
        fpr, tpr, thresholds = roc_curve(
            spikes, scores, sample_weight=weights, drop_intermediate=False
        )
        curve = roc(found, unit)
        # Points on straight lines may be left out: the curves agree wherever either has a point.
        area = roc_auc_score(spikes, scores, sample_weight=weights)
        assert curve.area == pytest.approx(area, abs=1e-12)
        points = {(round(x, 9), round(y, 9)) for x, y in zip(fpr, tpr, strict=True)}
        for x, y in zip(curve.false_positive, curve.true_positive, strict=True):
            assert (round(x, 9), round(y, 9)) in points
        assert curve.threshold[0] == math.inf
        assert curve.threshold[-1] == pytest.approx(thresholds[-1], rel=1e-6)


@pytest.mark.parametrize("kind", ["rbm", "srbm"])
def test_bins_with_the_same_rest_are_tied_to_the_last_digit(random_model, kind):
    # Log odds found from a word with and from one without the spike may differ in rounding. If
    # that broke the ties of the eight words of three units, the area would be off.
    words = Words.from_array([[(k >> n) & 1 for n in range(3)] for k in range(8)])
    for seed in range(30):
        found = predict(random_model(kind, seed, 3), words)
        # Each rest comes once with and once without the spike: no information.
        assert [roc(found, unit).area for unit in range(3)] == pytest.approx([0.5] * 3, abs=1e-12)


@pytest.mark.parametrize(("n_bins", "window"), [(50, 1), (50, 2)])
def test_a_prediction_that_never_changes_tells_nothing(n_bins, window):
    words = _words(n_bins, 2).embed(window)
    curve = roc(predict(Independent().fit(words), words, given="past"), 1)
    assert curve.area == 0.5
    np.testing.assert_array_equal(curve.false_positive, [0.0, 1.0])
    np.testing.assert_array_equal(curve.true_positive, [0.0, 1.0])


@pytest.mark.parametrize(("bit", "share"), [(0, "none"), (1, "all")])
def test_without_both_kinds_of_bins_the_area_is_undefined_and_the_rest_is_not(
    random_model, bit, share
):
    bits = _words(30, 2).expand()
    bits[:, 1] = bit
    found = predict(random_model("ising", 0, 2), bits, baseline=[0.3, 0.3])
    curve = roc(found, 1)
    assert math.isnan(curve.area)
    assert curve.false_positive.size == curve.true_positive.size == curve.threshold.size == 0
    assert repr(curve) == f"Roc(unit 1, area undefined: it spikes in {share} of the bins)"
    assert calibration(found, 1).observed.tolist() == [bit] * len(calibration(found, 1).observed)
    assert np.isfinite(prediction_gain(found).bits_per_second).all()
    assert math.isfinite(roc(found, 0).area)


def _groups_by_hand(scores, weights, n_groups):
    """Bins of each group: the middle of a tie's weight, in time-free order, picks the quantile."""
    total, groups = weights.sum(), {}
    for score in sorted(set(scores.tolist())):
        below, tied = weights[scores < score].sum(), weights[scores == score].sum()
        quantile = (below + 0.5 * tied) / total
        groups.setdefault(math.floor(n_groups * quantile + 1e-12), []).append(score)
    return [np.flatnonzero(np.isin(scores, tied)) for _, tied in sorted(groups.items())]


@settings(deadline=None, max_examples=30)
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 1000),
    n_groups=st.integers(1, 12),
    pooled=st.booleans(),
)
def test_groups_are_counted_bin_by_bin(random_model, kind, seed, n_groups, pooled):
    words = _words(90, 4, seed, weighted=True)
    found = predict(random_model(kind, seed, 4), words, positions=[3, 1])
    columns = [0, 1] if pooled else [1]
    parts = [_traces(found, column) for column in columns]
    scores, spikes, weights = (np.concatenate(values) for values in zip(*parts, strict=True))
    result = calibration(found, None if pooled else 1, n_groups)
    groups = _groups_by_hand(scores, weights, n_groups)
    assert result.n_bins.tolist() == [members.size for members in groups]
    error = 0.0
    for k, members in enumerate(groups):
        w = weights[members]
        p = np.average(scores[members], weights=w)
        share = np.average(spikes[members], weights=w)
        n = max(1, round(w.sum() ** 2 / (w**2).sum()))
        assert result.predicted[k] == pytest.approx(p, rel=1e-9)
        assert result.observed[k] == pytest.approx(share, rel=1e-9)
        assert result.lower[k] == pytest.approx(binom.ppf(0.05, n, p) / n, abs=1e-9)
        assert result.upper[k] == pytest.approx(binom.ppf(0.95, n, p) / n, abs=1e-9)
        error += abs(share - p) * w.sum() / weights.sum()
    assert result.error == pytest.approx(error, rel=1e-9)


def test_without_ties_groups_hold_equal_numbers_of_bins(random_model):
    found = predict(random_model("ising", 3, 2), _words(1000, 2))
    odds = np.random.default_rng(0).normal(size=(1000, 2))
    bits = (np.random.default_rng(1).random((1000, 2)) < 1 / (1 + np.exp(-odds))).astype(np.uint8)
    spread = replace(found, log_odds=odds, bits=bits, index=np.arange(1000, dtype=np.int32))
    groups = calibration(spread, 0)
    assert groups.n_bins.tolist() == [100] * 10
    assert np.all(np.diff(groups.predicted) > 0.0)
    # The spikes were drawn from the predictions: about one group in ten lies outside its bounds.
    inside = (groups.lower <= groups.observed) & (groups.observed <= groups.upper)
    assert inside.sum() >= 7
    wrong = calibration(replace(spread, log_odds=odds + 2.0), 0)
    assert np.all(wrong.observed < wrong.lower)
    assert wrong.error > 5.0 * groups.error


@settings(deadline=None, max_examples=25)
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 1000),
    condition=st.sampled_from(["rest", "past"]),
    window=st.integers(1, 3),
)
def test_the_skill_is_the_conditional_gain_and_scikit_learns_losses(
    random_model, kind, seed, condition, window
):
    words = _words(60, 2, seed, weighted=window == 1, bin_width=0.0067)
    words = words if window == 1 else words.embed(window)
    model, n_past = random_model(kind, seed, 2 * window), 2 * (window - 1)
    rates = np.random.default_rng(seed).uniform(0.05, 0.9, 2 * window)
    found = predict(model, words, given=condition, baseline=rates)
    result = prediction_gain(found)
    gain = conditional_gain(model, words, baseline=rates, given=condition)
    np.testing.assert_allclose(result.bits_per_second, gain, rtol=1e-9, atol=1e-9)
    for unit in range(2):
        p, spikes, weights = found.probability[:, unit], found.spikes[:, unit], found.weights
        at_rate = np.full(p.size, rates[n_past + unit])
        loss, rate_loss = (
            log_loss(spikes, q, labels=[0, 1], sample_weight=weights) for q in (p, at_rate)
        )
        bits_per_second = (rate_loss - loss) / math.log(2.0) / 0.0067
        assert result.bits_per_second[unit] == pytest.approx(bits_per_second, rel=1e-6, abs=1e-6)
        briers = [
            brier_score_loss(spikes, q, labels=[0, 1], sample_weight=weights) for q in (p, at_rate)
        ]
        assert [result.brier[unit], result.rate_brier[unit]] == pytest.approx(briers, rel=1e-9)
        assert result.brier_skill[unit] == pytest.approx(1.0 - briers[0] / briers[1], abs=1e-9)


def test_the_skill_of_a_trained_model_is_over_its_training_rates():
    train, test = _words(400, 3).split(0.5, random_state=0)
    model = Ising(l1=1e-3).fit(train)
    found = prediction_gain(predict(model, test, positions=[2, 0]))
    np.testing.assert_allclose(
        found.bits_per_second, conditional_gain(model, test, [2, 0]), rtol=1e-9, atol=1e-9
    )
    at_rate = prediction_gain(predict(Independent().fit(train), test))
    np.testing.assert_allclose(at_rate.bits_per_second, np.zeros(3), atol=1e-9)
    np.testing.assert_allclose(at_rate.brier_skill, np.zeros(3), atol=1e-12)


def test_certain_predictions_are_scored_without_a_warning():
    theta = Parameters(b=[-600.0, 600.0])
    found = predict(Ising.from_parameters(theta), [[0, 1], [1, 0]], baseline=[0.5, 0.5])
    # Half of the bins a bit gained, half of them 600 nats lost, in bins of 20 ms.
    expected = 50.0 * (1.0 - 300.0 / math.log(2.0))
    np.testing.assert_allclose(prediction_gain(found).bits_per_second, [expected] * 2, rtol=1e-12)
    assert calibration(found, 1).upper.tolist() == [1.0]
    assert calibration(found, 0).upper.tolist() == [0.0]
    assert calibration(found).error == pytest.approx(0.5)


def test_a_stretch_is_scored_on_its_own(random_model):
    words = _words(200, 3, weighted=True)
    model, rates = random_model("srbm", 2, 3), [0.3] * 3
    part = predict(model, words, baseline=rates).stretch(1.0, 2.0)
    alone = Words.from_array(words.expand()[50:100], sample_weight=words.weights[50:100])
    again = predict(model, alone, baseline=rates)
    np.testing.assert_allclose(
        prediction_gain(part).bits_per_second, prediction_gain(again).bits_per_second, rtol=1e-12
    )
    assert roc(part, 1).area == pytest.approx(roc(again, 1).area, abs=1e-12)
    assert calibration(part).error == pytest.approx(calibration(again).error, abs=1e-12)
