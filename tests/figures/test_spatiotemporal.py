"""Figure 6 on planted results: maps, gains and a trace are those of the study."""

from dataclasses import replace

import numpy as np
import planted_study
import pytest
from matplotlib.patches import StepPatch

from microcolumn.evaluate import predict
from microcolumn.figures._spatiotemporal import spatiotemporal
from microcolumn.plot._predictions import busiest_stretch_of_unit
from microcolumn.study._index import NotComputedError
from microcolumn.study._results import Results

WHERE = {"experiment": "spatiotemporal", "window": 3}


def only_windows(**settings):
    [_, windows] = planted_study.PLAN.experiments
    return replace(planted_study.PLAN, experiments=(replace(windows, **settings),))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return Results(planted_study.write(tmp_path_factory.mktemp("six") / "planted.db"))


@pytest.fixture(scope="module")
def figure(results):
    return spatiotemporal(results)


def maps(figure):
    return [ax for ax in figure.axes if ax.images]


def gains(figure):
    return [ax for ax in figure.axes if ax.containers]


def test_maps_are_the_live_hidden_units_at_the_longest_windows(results, figure):
    [ax] = maps(figure)
    model = results.model("cells", "RBM", **WHERE)
    units = results.words("cells", **WHERE)[2].units
    from_the_top = np.argsort(units.depth_um)
    weights = [[model.W_[4 * lag + unit, 0] for lag in range(3)] for unit in from_the_top]
    np.testing.assert_array_equal(ax.images[0].get_array(), weights)
    assert ax.get_title() == "1"
    assert "4 cells in 3 bins of 6.7 ms" in figure.caption
    assert "1 of 1 live ones" in figure.caption


def test_gains_are_the_stored_ones_given_the_rest_and_given_the_past(results, figure):
    panels = gains(figure)
    assert [ax.get_title() for ax in panels] == [
        "given the rest of the window",
        "given the past alone",
    ]
    for ax, given in zip(panels, ("rest", "past"), strict=True):
        for container in ax.containers:
            cells = results.predictions("cells", container.get_label(), **WHERE)[given].units
            expected = [[cell.rate_hz, cell.gain_bits_per_second] for cell in cells]
            np.testing.assert_allclose(container.lines[0].get_xydata(), expected)
        assert {c.get_label() for c in ax.containers} == {"Ising", "RBM 12"}
    assert "standard errors over 4 splits" in figure.caption


def test_the_trace_is_the_best_cells_prediction_given_the_past_by_all_models(results, figure):
    _, _, test = results.words("cells", **WHERE)
    ax = figure.axes[-1]
    traces = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    assert len(traces) == 2
    # The planted gain grows with the position.
    for name, trace in zip(("RBM 12", "Ising"), traces, strict=True):
        model = results.model("cells", name, **WHERE)
        whole = predict(model, test, given="past", units=[3])
        stretch = whole.stretch(*busiest_stretch_of_unit(whole, 3))
        np.testing.assert_array_equal(trace.get_data().values, stretch.probability[:, 0])
        np.testing.assert_allclose(trace.get_data().edges[:-1], stretch.times_s)
    [spikes] = [line for line in ax.lines if line.get_label() == "spikes"]
    assert len(spikes.get_xdata()) == stretch.spikes.sum()
    assert "cell u3" in figure.caption
    assert "given the past alone" in figure.caption


def test_panels_are_lettered_and_saved(figure, tmp_path):
    letters = [ax.get_title(loc="left") for ax in figure.axes if ax.get_title(loc="left")]
    assert letters == ["a", "b", "c"]
    figure.savefig(tmp_path / "six.svg")
    assert "(c) Probability of a spike" in (tmp_path / "six.svg").read_text()


def test_the_semi_restricted_model_is_shown_where_it_has_live_hidden_units(tmp_path):
    plan = only_windows(models=("Ising", "RBM", "SemiRBM"), n_splits=1, windows=(2,))
    figure = spatiotemporal(Results(planted_study.write(tmp_path / "semi.db", plan)))
    assert "Hidden units of SemiRBM 8" in figure.caption
    assert "one split gives no error bars" in figure.caption


def test_without_hidden_units_the_other_panels_are_drawn(tmp_path):
    plan = only_windows(models=("Ising",), n_splits=1, windows=(2,))
    figure = spatiotemporal(Results(planted_study.write(tmp_path / "ising.db", plan)))
    assert "No model has a live hidden unit" in figure.caption
    assert not maps(figure)
    assert len(gains(figure)) == 2


def test_a_cell_without_training_spikes_is_told_and_many_cells_need_no_past(tmp_path):
    def change(job, rows):
        rows["predictions"] = [r for r in rows.get("predictions", []) if r["given"] == "rest"]
        for row in rows["predictions"]:
            row["rate_hz"] *= row["position"] > 0
        rows["calibrations"] = [r for r in rows.get("calibrations", []) if r["given"] == "rest"]

    plan = only_windows(n_splits=1, windows=(2,))
    figure = spatiotemporal(Results(planted_study.write(tmp_path / "rest.db", plan, change=change)))
    assert "1 cell is not shown for want of a training spike" in figure.caption
    assert len(gains(figure)) == 1
    assert "in each bin given the rest of the window" in figure.caption


def test_before_predictions_there_is_no_figure(tmp_path):
    path = planted_study.write(tmp_path / "early.db", keep=lambda job: job.kind != "predict")
    with pytest.raises(NotComputedError, match="a prediction"):
        spatiotemporal(Results(path))
