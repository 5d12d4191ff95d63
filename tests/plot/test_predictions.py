"""Plots of predictions: their values are those of the results they were given."""

import math

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

from microcolumn.evaluate import PredictionResult, UnitPrediction, calibration, predict, roc
from microcolumn.models import Independent, Ising, ModelSpec
from microcolumn.parameters import Parameters
from microcolumn.plot import _predictions as plot
from microcolumn.units import Units
from microcolumn.words import Words


def axes():
    return Figure().subplots()


def result(name, rates, gains, stderr=0.1):
    units = tuple(
        UnitPrediction(f"u{k}", k, rate, gain, stderr, 0.7, 0.1, 0.2)
        for k, (rate, gain) in enumerate(zip(rates, gains, strict=True))
    )
    return PredictionResult(ModelSpec.of(name), "past", units, (), 1 if math.isnan(stderr) else 4)


def points(container):
    return container.lines[0].get_xydata().tolist()


def test_gain_is_drawn_against_rate_for_each_model_with_errors_over_splits():
    ax = plot.gain(
        [result("Ising", [1, 3], [0.5, 0.7]), result("RBM 4", [1, 3], [0.6, 0.9])], ax=axes()
    )
    assert ax.get_xscale() == "log"
    ising, hidden = ax.containers
    assert points(ising) == [[1, 0.5], [3, 0.7]]
    assert points(hidden) == [[1, 0.6], [3, 0.9]]
    [bars] = ising.lines[2]
    np.testing.assert_allclose([s[:, 1] for s in bars.get_segments()], [[0.4, 0.6], [0.6, 0.8]])
    assert ising.lines[0].get_color() != hidden.lines[0].get_color()
    assert [c.get_label() for c in ax.containers] == ["Ising", "RBM 4"]


def test_models_of_one_class_share_a_colour_and_differ_in_their_markers():
    ax = plot.gain([result("RBM 4", [1], [1]), result("RBM 9", [1], [2])], ax=axes())
    first, second = (container.lines[0] for container in ax.containers)
    assert first.get_color() == second.get_color()
    assert first.get_marker() != second.get_marker()


def test_one_split_has_no_error_bars_and_silent_units_no_place():
    ax = plot.gain([result("Ising", [0.0, 2.0], [0.0, 0.4], math.nan)], ax=axes())
    ax.figure.draw_without_rendering()
    [container] = ax.containers
    assert points(container) == [[2.0, 0.4]]
    [bars] = container.lines[2]
    assert not any(segment.size for segment in bars.get_segments())


@pytest.mark.parametrize(
    ("rates", "some"), [([1.9, 4.9], "3"), ([0.3, 8], "0.5"), ([0.01, 50], "1")]
)
def test_rates_are_plain_numbers_at_any_span(rates, some):
    ax = plot.gain([result("Ising", rates, [0.1, 0.2])], ax=axes())
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    labels = [t.get_text() for t in ax.get_xticklabels() if low <= t.get_position()[0] <= high]
    assert some in labels
    assert 2 <= len(labels) <= 8


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


def test_without_a_gap_the_burst_across_it_is_the_busiest():
    words = _spiking()
    start, _ = plot.busiest_stretch_of_unit(predict(Independent().fit(words), words), 1)
    assert start == pytest.approx(160 * 0.020)  # 160 to 209 holds all 20


def test_where_no_second_is_whole_the_longest_stretch_is_shown():
    short = _spiking([0, 10, 40, 60, *range(70, 300, 10)])
    start, stop = plot.busiest_stretch_of_unit(predict(Independent().fit(short), short), 0)
    assert (start, stop) == pytest.approx((0.2, 0.8))


def test_the_trace_is_the_probability_and_the_ticks_are_the_spikes(predicted):
    ax = plot.prediction(predicted, 1, start_s=2.0, stop_s=2.4, ax=axes())
    [trace] = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    np.testing.assert_array_equal(trace.get_data().values, predicted.probability[100:120, 1])
    np.testing.assert_allclose(trace.get_data().edges, np.arange(100, 121) * 0.020)
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(lines["spikes"].get_xdata(), np.arange(100, 120, 2) * 0.020 + 0.010)
    rate = predicted.spikes[:, 1].mean()
    np.testing.assert_allclose(lines["firing rate"].get_ydata(), rate, rtol=1e-3)


def test_a_trace_is_interrupted_where_the_recording_is(predicted):
    ax = plot.prediction({"Ising": predicted}, 0, start_s=3.8, stop_s=4.2, ax=axes())
    assert [len(patch.get_data().values) for patch in ax.patches] == [10, 10]
    assert [label for label in ax.get_legend_handles_labels()[1] if label == "Ising"] == ["Ising"]


def test_by_default_the_busiest_second_is_drawn_for_all_models(words, predicted):
    rate = predict(Independent().fit(words), words)
    ax = plot.prediction({"Ising": predicted, "Independent": rate}, 1, ax=axes())
    np.testing.assert_allclose(ax.get_xlim(), plot.busiest_stretch_of_unit(predicted, 1))
    assert len(ax.patches) == 2
    assert len({patch.get_edgecolor() for patch in ax.patches}) == 2


def test_a_model_without_training_rates_has_no_line_for_them(words):
    model = Ising.from_parameters(Parameters(b=[-1.0, -2.0], J=np.zeros((2, 2))))
    ax = plot.prediction(predict(model, words), 0, ax=axes())
    assert [line.get_label() for line in ax.lines] == ["spikes"]


def test_a_unit_that_was_not_predicted_is_refused(words):
    only = predict(Independent().fit(words), words, units=[1])
    with pytest.raises(ValueError, match="unit 0 was not predicted; pick one of 1"):
        plot.prediction(only, 0, ax=axes())


def test_nothing_to_draw_is_refused():
    for draw in (plot.gain, plot.calibration, plot.roc, lambda none: plot.prediction(none, 0)):
        with pytest.raises(ValueError, match="pass at least one"):
            draw({})


def test_calibration_shows_observed_against_predicted_with_counting_noise(predicted):
    found = calibration(predicted)
    ax = plot.calibration({"Ising": found}, ax=axes())
    diagonal, dots = ax.lines
    np.testing.assert_array_equal(dots.get_xydata(), np.c_[found.predicted, found.observed])
    np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    ends = [segment[:, 1].tolist() for segment in ax.collections[0].get_segments()]
    np.testing.assert_array_equal(ends, np.c_[found.lower, found.upper])
    assert f"{found.error:.2g}" in dots.get_label()
    assert plot.calibration(found, ax=axes()).lines[1].get_label().startswith("(error")


def test_roc_is_the_curve_and_its_area_in_the_legend(predicted):
    found = roc(predicted, 1)
    curve = plot.roc({"Ising": found}, ax=axes()).lines[1]
    np.testing.assert_array_equal(
        curve.get_xydata(), np.c_[found.false_positive, found.true_positive]
    )
    assert f"area {found.area:.3f}" in curve.get_label()


def test_a_silent_unit_has_no_curve_and_the_legend_says_so():
    words = Words.from_array([[0, 0], [1, 0], [0, 0]])
    ax = plot.roc(roc(predict(Independent().fit(words), words), 1), ax=axes())
    assert "spikes in none" in ax.lines[1].get_label()
    assert ax.lines[1].get_xdata().size == 0
