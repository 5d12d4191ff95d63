"""Plots of predictions: their values are those of the results they were given."""

from dataclasses import replace

import numpy as np
import pytest
from drawing import axes
from matplotlib.patches import StepPatch

from microcolumn.evaluate import calibration, predict
from microcolumn.models import Independent, Ising
from microcolumn.plot import predictions as plot
from microcolumn.units import Units
from microcolumn.words import Words


def _spiking(epoch_starts=None):
    """Two units, 20 ms bins; unit 1 bursts in bins 100 to 119, and across a gap at bin 200."""
    X = np.zeros((300, 2), dtype=int)
    X[::5, 0] = 1
    X[100:120:2, 1] = 1
    X[190:210, 1] = 1
    return Words.from_array(X, units=Units(["$x$", "y"]), epoch_starts=epoch_starts)


@pytest.fixture(scope="module")
def words():
    return _spiking([0, 200])


@pytest.fixture(scope="module")
def predicted(words):
    return predict(Ising(l1=1e-3).fit(words), words)


def test_the_second_shown_has_most_spikes_without_a_gap(predicted):
    spikes = predicted.spikes[:, 1]
    # 50 bins each, none across bin 200.
    counts = {k: spikes[k : k + 50].sum() for k in [*range(151), *range(200, 251)]}
    best = max(counts, key=counts.get)
    start, stop = plot.busiest_stretch_of_unit(predicted, 1)
    assert start == pytest.approx(best * 0.020)
    assert stop == pytest.approx(start + 1.0)
    assert counts[best] == 10


def test_the_trace_is_the_probability_and_the_ticks_are_the_spikes(predicted):
    ax = plot.prediction(predicted, unit=1, start_s=2.0, stop_s=2.4, ax=axes())
    [trace] = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    np.testing.assert_array_equal(trace.get_data().values, predicted.probability[100:120, 1])
    np.testing.assert_allclose(trace.get_data().edges, np.arange(100, 121) * 0.020)
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(lines["spikes"].get_xdata(), np.arange(100, 120, 2) * 0.020 + 0.010)
    rate = predicted.spikes[:, 1].mean()
    np.testing.assert_allclose(lines["firing rate"].get_ydata(), rate, rtol=1e-3)


def test_a_trace_is_interrupted_where_the_recording_is(predicted):
    ax = plot.prediction({"Ising": predicted}, unit=0, start_s=3.8, stop_s=4.2, ax=axes())
    assert [len(patch.get_data().values) for patch in ax.patches] == [10, 10]
    assert [label for label in ax.get_legend_handles_labels()[1] if label == "Ising"] == ["Ising"]


def test_by_default_the_busiest_second_is_drawn_for_all_models(words, predicted):
    rate = predict(Independent().fit(words), words)
    ax = plot.prediction({"Ising": predicted, "Independent": rate}, unit=1, ax=axes())
    np.testing.assert_allclose(ax.get_xlim(), plot.busiest_stretch_of_unit(predicted, 1))
    assert len(ax.patches) == 2
    assert len({patch.get_edgecolor() for patch in ax.patches}) == 2


@pytest.mark.parametrize("given", ["rest", "past"])
def test_models_and_words_give_what_results_give(words, given):
    windows = words.embed(2)
    models = {"a": Ising(l1=1e-3).fit(windows), "b": Independent().fit(windows)}
    known = {name: predict(model, windows, given=given) for name, model in models.items()}
    found = {name: calibration(each, 1) for name, each in known.items()}
    expected = plot.calibration(found, ax=axes())
    got = plot.calibration(models, windows, 1, given=given, ax=axes())
    for line, same in zip(expected.lines, got.lines, strict=True):
        np.testing.assert_array_equal(line.get_xydata(), same.get_xydata())
        assert line.get_label() == same.get_label()
    expected = plot.prediction(known, unit=1, ax=axes())
    got = plot.prediction(models, windows, 1, given=given, ax=axes())
    for trace, same in zip(expected.patches, got.patches, strict=True):
        np.testing.assert_array_equal(trace.get_data().values, same.get_data().values)


def test_calibration_shows_observed_against_predicted_with_counting_noise(predicted):
    found = calibration(predicted)
    ax = plot.calibration({"Ising": found}, ax=axes())
    diagonal, dots = ax.lines
    np.testing.assert_array_equal(dots.get_xydata(), np.c_[found.predicted, found.observed])
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    ends = [segment[:, 1].tolist() for segment in ax.collections[0].get_segments()]
    np.testing.assert_array_equal(ends, np.c_[found.lower, found.upper])
    assert dots.get_label() == "Ising (error 0)"  # what is left is rounding
    shifted = replace(found, error=0.12)
    assert "(error 0.12)" in plot.calibration(shifted, ax=axes()).lines[1].get_label()
    assert plot.calibration(found, ax=axes()).lines[1].get_label().startswith("(error")
