"""Plots of gains: their values are those of the results or models they were given."""

import math

import numpy as np
import pytest
from drawing import axes

import microcolumn as mc
from microcolumn.evaluate import PredictionResult, UnitPrediction
from microcolumn.models import ModelSpec
from microcolumn.plot.unit_gains import gain
from microcolumn.units import Units


def result(name, rates, gains, stderr=0.1):
    units = tuple(
        UnitPrediction(f"u{k}", k, rate, gain, stderr, 0.7, 0.1, 0.2)
        for k, (rate, gain) in enumerate(zip(rates, gains, strict=True))
    )
    return PredictionResult(ModelSpec.of(name), "past", units, (), 1 if math.isnan(stderr) else 4)


def rates(container):
    return container.lines[0].get_xdata()


def gains(container):
    return container.lines[0].get_ydata()


def test_gain_is_drawn_against_rate_for_each_model_with_errors_over_splits():
    ax = gain([result("Ising", [1, 3], [0.5, 0.7]), result("RBM 4", [1, 3], [0.6, 0.9])], ax=axes())
    assert ax.get_xscale() == "log"
    ising, hidden = ax.containers
    np.testing.assert_allclose(gains(ising), [0.5, 0.7])
    np.testing.assert_allclose(gains(hidden), [0.6, 0.9])
    middle = np.sqrt(rates(ising) * rates(hidden))  # on a logarithmic axis
    np.testing.assert_allclose(middle, [1.0, 3.0])
    assert np.all(rates(ising) < rates(hidden))
    [bars] = ising.lines[2]
    np.testing.assert_allclose([s[:, 1] for s in bars.get_segments()], [[0.4, 0.6], [0.6, 0.8]])
    assert ising.lines[0].get_color() != hidden.lines[0].get_color()
    assert [c.get_label() for c in ax.containers] == ["Ising", "RBM 4"]


def test_one_split_has_no_error_bars_and_silent_units_no_place():
    ax = gain([result("Ising", [0.0, 2.0], [0.0, 0.4], math.nan)], ax=axes())
    ax.figure.draw_without_rendering()
    [container] = ax.containers
    assert (*rates(container), *gains(container)) == (2.0, 0.4)
    [bars] = container.lines[2]
    assert not any(segment.size for segment in bars.get_segments())


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(0)
    together = rng.random((2000, 1)) < 0.1
    X = rng.random((2000, 3)) < np.where(together, [0.7, 0.6, 0.5], [0.02, 0.05, 0.1])
    return mc.Words.from_array(X, units=Units("abc"))


@pytest.mark.parametrize("given", ["rest", "past"])
def test_models_on_words_have_their_conditional_gain_at_their_training_rate(words, given):
    windows = words.embed(2)
    model = mc.Ising(l1=1e-3).fit(windows)
    [container] = gain(model, windows, given=given, ax=axes()).containers
    np.testing.assert_allclose(
        gains(container), mc.evaluate.conditional_gain(model, windows, given=given)
    )
    hertz = np.bincount(np.nonzero(windows.X[windows.index][:, 3:])[1]) / windows.n_bins / 0.020
    np.testing.assert_allclose(rates(container), hertz, rtol=2e-3)
    assert container.get_label() == "Ising"


def test_models_in_another_order_of_units_are_joined_by_unit(words):
    turned = mc.Words.from_array(words.X[words.index][:, ::-1], units=Units("cba"))
    models = {"a": mc.Ising(l1=1e-3).fit(words), "b": mc.Ising(l1=1e-3).fit(turned)}
    ax = gain(models, words, ax=axes())
    for segment in ax.collections[0].get_segments():
        assert segment[0, 1] == pytest.approx(segment[1, 1], rel=1e-4)


def test_gains_that_are_arrays_stand_at_the_rates_given(words):
    model = mc.Ising(l1=1e-3).fit(words)
    found = mc.evaluate.conditional_gain(model, words)
    [container] = gain(found, rates=[1.0, 2.0, 4.0], ax=axes()).containers
    np.testing.assert_array_equal(gains(container), found)
    np.testing.assert_array_equal(rates(container), [1.0, 2.0, 4.0])
    two = gain({"a": found, "b": found}, rates=[1.0, 2.0, 4.0], ax=axes())
    assert [each.get_label() for each in two.containers] == ["a", "b"]
