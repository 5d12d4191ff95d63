"""Figure 6 on planted results: maps, gains and a trace are those of the study."""

from dataclasses import replace

import numpy as np
import planted_study
import pytest
from matplotlib.patches import StepPatch

from microcolumn.evaluate import predict
from microcolumn.figures import spatiotemporal
from microcolumn.plot.predictions import busiest_stretch_of_unit
from microcolumn.study import Results

WHERE = {"experiment": "spatiotemporal", "window": 3}


def results_of(folder, change=lambda job, rows: None, parameters=planted_study.theta, **settings):
    """Results for one split of windows of two bins."""
    [_, windows] = planted_study.PLAN.experiments
    one = replace(windows, n_splits=1, windows=(2,), **settings)
    plan = replace(planted_study.PLAN, experiments=(one,))
    path = folder / "planted.db"
    return Results(planted_study.write(path, plan, change=change, parameters=parameters))


@pytest.fixture(scope="module")
def figure(planted_results):
    return spatiotemporal(planted_results)


def maps(figure):
    return [ax for ax in figure.axes if ax.images]


def gains(figure):
    return [ax for ax in figure.axes if ax.containers]


def test_maps_are_the_live_hidden_units_at_the_longest_windows(planted_results, figure):
    [ax] = maps(figure)
    model = planted_results.model("cells", "RBM", **WHERE)
    units = planted_results.words("cells", **WHERE)[2].units
    from_the_top = np.argsort(units.depth_um)
    weights = [[model.W_[4 * lag + unit, 0] for lag in range(3)] for unit in from_the_top]
    np.testing.assert_array_equal(ax.images[0].get_array(), weights)
    assert ax.get_title() == "h0"
    assert "4 units in 3 bins of 6.7 ms" in figure.caption
    assert "1 of 1 live ones" in figure.caption


def test_gains_are_the_stored_ones_given_the_rest_and_given_the_past(planted_results, figure):
    for ax, given in zip(gains(figure), ("rest", "past"), strict=True):
        assert given in ax.get_title()
        for container in ax.containers:
            stored = planted_results.predictions("cells", container.get_label(), **WHERE)[given]
            expected = [unit.gain_bits_per_second for unit in stored.units]
            np.testing.assert_allclose(container.lines[0].get_ydata(), expected)
        places = [np.log(container.lines[0].get_xdata()) for container in ax.containers]
        np.testing.assert_allclose(np.exp(np.mean(places, axis=0)), [1.0, 2.0, 3.0, 4.0])
        assert {c.get_label() for c in ax.containers} == {"Ising", "RBM 12"}


def test_the_trace_is_the_best_units_prediction_given_the_past_by_all_models(
    planted_results, figure
):
    _, _, test = planted_results.words("cells", **WHERE)
    ax = figure.axes[-1]
    traces = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    assert len(traces) == 2
    # The planted gain grows with the position.
    for name, trace in zip(("RBM 12", "Ising"), traces, strict=True):
        model = planted_results.model("cells", name, **WHERE)
        whole = predict(model, test, given="past", positions=[3])
        stretch = whole.stretch(*busiest_stretch_of_unit(whole, 3))
        np.testing.assert_array_equal(trace.get_data().values, stretch.probability[:, 0])
        np.testing.assert_allclose(trace.get_data().edges[:-1], stretch.times_s)
    [spikes] = [line for line in ax.lines if line.get_label() == "spikes"]
    assert len(spikes.get_xdata()) == stretch.spikes.sum()
    assert "unit u3" in figure.caption


def test_units_without_training_spikes_are_counted_and_the_past_may_be_missing(tmp_path):
    def change(job, rows):
        rows["predictions"] = [r for r in rows.get("predictions", []) if r["given"] == "rest"]
        for row in rows["predictions"]:
            row["rate_hz"] *= row["position"] > 0
        rows["calibrations"] = [r for r in rows.get("calibrations", []) if r["given"] == "rest"]

    figure = spatiotemporal(results_of(tmp_path, change))
    [panel] = gains(figure)
    assert [len(c.lines[0].get_xdata()) for c in panel.containers] == [3, 3]
    assert "1 unit without a training spike" in figure.caption


def test_without_hidden_units_the_other_panels_are_drawn(tmp_path):
    figure = spatiotemporal(results_of(tmp_path, models=("Ising",)))
    assert not maps(figure)
    assert len(gains(figure)) == 2
    figure.draw_without_rendering()
    assert figure.get_tightbbox().x0 >= -0.01  # the letter of the first panel is on the page
