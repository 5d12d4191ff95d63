"""Bins predicted from their past by a model of sequences, and its score."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import microcolumn as mc


@pytest.fixture(scope="module")
def parts():
    rng = np.random.default_rng(0)
    X = rng.random((6000, 3)) < 0.15
    X[2:, 1] |= X[:-2, 0] & (rng.random(5998) < 0.5)
    return mc.Words.from_array(X, bin_width=0.010).split(0.5, by="blocks", random_state=0)


@pytest.fixture(scope="module")
def model(parts):
    return mc.models.HistoryGLM(l1=1e-3, basis=3, n_lags=5).fit(parts[0])


def test_every_bin_is_predicted_from_its_past(parts, model):
    prediction = mc.evaluate.predict(model, parts[1], given="past", positions=[1, 2])
    odds = model.log_odds_in_time(parts[1])[:, [1, 2]]
    np.testing.assert_allclose(np.log(prediction.probability), -np.logaddexp(0, -odds), atol=1e-9)
    np.testing.assert_array_equal(prediction.spikes, parts[1].expand()[:, [1, 2]])
    np.testing.assert_array_equal(prediction.bins, parts[1].bins)
    np.testing.assert_array_equal(prediction.epoch_starts, parts[1].epoch_starts)
    assert prediction.given == "past"
    assert prediction.positions == (1, 2)


def test_skill_roc_and_calibration_are_those_of_the_bins(parts, model):
    prediction = mc.evaluate.predict(model, parts[1], given="past")
    gains = mc.evaluate.prediction_gain(prediction).bits_per_second
    p, spikes, rate = prediction.probability, prediction.spikes, model.rates_
    log2 = [np.log2(np.where(spikes, each, 1.0 - each)) for each in (p, rate)]
    np.testing.assert_allclose(gains, (log2[0] - log2[1]).mean(axis=0) / 0.010, rtol=1e-8)
    assert gains[1] > 1.0
    assert abs(gains[2]) < 0.2
    assert mc.evaluate.roc(prediction, 1).area == pytest.approx(
        roc_auc_score(spikes[:, 1], p[:, 1])
    )
    found = mc.evaluate.calibration(prediction, 1, n_groups=1)
    assert found.predicted[0] == pytest.approx(p[:, 1].mean())
    assert found.observed[0] == spikes[:, 1].mean()
    stretch = prediction.stretch(30.0, 59.0)
    np.testing.assert_array_equal(
        stretch.spikes, spikes[(prediction.times_s >= 30.0) & (prediction.times_s < 59.0)]
    )


def test_the_score_of_the_sequence_is_the_sum_of_the_units_gains(parts, model):
    score = mc.evaluate.sequence_gain(model, parts[1])
    gains = mc.evaluate.prediction_gain(
        mc.evaluate.predict(model, parts[1], given="past")
    ).bits_per_second
    assert score.bits_per_second == pytest.approx(gains.sum(), rel=1e-8)
    assert 0.0 < score.stderr < score.bits_per_second
    assert score.converged
    assert score.nats_per_word == pytest.approx(model.score(parts[1]))
    rates = np.full(3, 0.5)
    over_halves = mc.evaluate.sequence_gain(model, parts[1], baseline=rates)
    expected = (score.nats_per_word + 3 * math.log(2.0)) / (math.log(2.0) * 0.010)
    assert over_halves.bits_per_second == pytest.approx(expected)
