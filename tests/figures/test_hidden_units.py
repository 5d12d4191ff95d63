"""The figure of assemblies shows the clearest hidden units as they are in the store."""

from dataclasses import replace

import numpy as np
import planted_study
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import StepPatch

import microcolumn as mc
from microcolumn.evaluate import Assemblies, Assembly, layer_statistics
from microcolumn.figures import assemblies
from microcolumn.parameters import Parameters
from microcolumn.plot.laminar import laminar
from microcolumn.plot.time import COLOURS, ROW_HEIGHT
from microcolumn.study import NotComputedError, Results

ONE, WINDOWS = planted_study.PLAN.experiments
#: Units with a large weight to each of five hidden units.
GROUPS = ((0, 1, 2), (3, 4), (5, 6, 7), (8, 9), (10, 11))


def theta(job, bits, l1):
    """Hidden units over groups of units, each with one negative weight onto the last unit."""
    if not job.model.n_hidden:
        return planted_study.theta(job, bits, l1)
    W = np.zeros((bits, job.model.n_hidden))
    for k, group in enumerate(GROUPS[: job.model.n_hidden]):
        W[[n for n in group if n < bits], k] = 5.0
        W[-1, k] -= 1.0
    c = np.full(job.model.n_hidden, -4.0)
    return Parameters(b=np.full(bits, -2.0), W=W, c=c)


def rows_of(positions):
    shown = dict.fromkeys(("layer_share", "layer_p_value"), np.nan) | {
        "layer": "",
        "negative_units": (),
    }
    return tuple(
        Assembly(
            k, ("a", "b"), stability=1.0, similarity=0.9, n_others=3, active_share=0.02,
            rate_hz=0.5 + k, bits_per_second=2.0 + k, stderr=0.5, **shown,
        )
        for k in positions
    )  # fmt: skip


def study(folder, experiment=ONE, found=None, data=None, **settings):
    """A study whose layers are those of its models, with one to five hidden units."""
    settings = {"models": ("Ising", "RBM"), "n_splits": 2} | settings
    plan = replace(planted_study.PLAN, experiments=(replace(experiment, **settings),))
    read = planted_study.recording() if data is None else data

    def change(job, rows):
        if "assemblies" in rows and found is not None:
            rows["assemblies"][0]["found"] = found
        if "structures" in rows and job.model.n_hidden:
            units = planted_study._words(read, plan.experiments[0]).units
            bits = len(units) * job.window
            model = theta(job, bits, 0.0)
            known = layer_statistics(model, units, window=job.window) if units.layer else None
            rows["structures"][0]["layers"] = known

    path = folder / "study.db"
    return Results(planted_study.write(path, plan, data=data, parameters=theta, change=change))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    found = Assemblies(rows_of(range(5)), 4, exact=True)
    return study(tmp_path_factory.mktemp("five"), found=found)


@pytest.fixture(scope="module")
def figure(results):
    return assemblies(results)


def lettered(figure):
    return {ax.get_title("left"): ax for ax in figure.axes if ax.get_title("left")}


def titles(figure):
    return [ax.get_title() for ax in figure.axes if ax.get_title()]


def words_of(results):
    return results.all_words("cells")


def test_activations_are_those_of_the_model_of_split_0(figure, results):
    ax = lettered(figure)["b"]
    model, words = results.model("cells", "RBM"), words_of(results)
    start, stop = ax.get_xlim()
    times = words.clock.times_s(words.bins, words.bin_width)
    inside = (times > start - 1e-9) & (times < stop - 1e-9)
    P = model.hidden(words.expand()[inside])
    patches = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    for patch, k in zip(patches, (4, 3, 2, 1), strict=True):
        values, edges, base = patch.get_data()
        np.testing.assert_allclose((values - base) / ROW_HEIGHT, P[:, k], atol=1e-9)
        np.testing.assert_allclose(edges[:-1], times[inside])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["h4", "h3", "h2", "h1"]
    assert lettered(figure)["a"].get_xlim() == (start, stop)


def test_spikes_of_its_units_are_coloured_while_a_hidden_unit_is_on(figure, results):
    ax = lettered(figure)["a"]
    words, model = words_of(results), results.model("cells", "RBM")
    rows = np.argsort(laminar(words.units).order)
    start, stop = ax.get_xlim()
    times = words.clock.times_s(words.bins, words.bin_width)
    X, P = words.expand(), model.hidden(words.expand())
    for k, colour in zip((4, 3, 2, 1), COLOURS, strict=True):
        expected = {
            (round(float(times[n]), 6), int(rows[unit]))
            for n in np.flatnonzero((times > start - 1e-9) & (times < stop - 1e-9))
            for unit in GROUPS[k]
            if P[n, k] > 0.5 and X[n, unit]
        }
        assert expected
        assert boxes(ax, colour) == expected


def boxes(ax, colour):
    """Start and row of all boxes of a colour."""
    return {
        (round(float(corners[0, 0]), 6), round(float(corners[:4, 1].mean())))
        for marks in ax.collections
        if to_hex(marks.get_facecolor()[0]).upper() == colour
        for path in marks.get_paths()
        for corners in path.vertices.reshape(-1, 5, 2)
    }


def test_one_hidden_unit_that_is_no_assembly_is_called_what_it_is(tmp_path):
    [row] = rows_of([0])
    found = Assemblies((replace(row, stability=0.0),), 4, exact=True)
    figure = assemblies(study(tmp_path, found=found, n_hidden=2))
    assert figure.title.startswith("Hidden units of RBM 2")
    assert titles(figure) == ["h0"]
    assert f"1 of {row.n_others + 1} splits" in [
        text.get_text() for ax in figure.axes for text in ax.texts
    ]
    assert "clearest of" not in figure.caption


def test_windows_are_drawn_with_the_bins_that_belong_to_them(tmp_path):
    found = Assemblies(rows_of([0]), 4, exact=True)
    windows = {"windows": (3,), "n_hidden": 2}
    results = study(tmp_path, WINDOWS, found=found, **windows)
    figure = assemblies(results)
    ax, model, words = lettered(figure)["b"], results.model("cells", "RBM"), words_of(results)
    [patch] = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    values, edges, base = patch.get_data()
    times = words.clock.times_s(words.bins, words.bin_width)
    newest = np.searchsorted(times, edges[:-1] - 1e-6)
    X = words.expand()
    P = model.hidden(np.hstack([X[newest - 2], X[newest - 1], X[newest]]))[:, 0]
    np.testing.assert_allclose((values - base) / ROW_HEIGHT, P, atol=1e-9)
    # Of the oldest bin, units 0, 1 and 2 have the large weight.
    rows = np.argsort(laminar(words.units).order)
    expected = {
        (round(float(times[n - 2]), 6), int(rows[unit]))
        for n in newest[P > 0.5]
        for unit in range(3)
        if X[n - 2, unit]
    }
    assert boxes(lettered(figure)["a"], COLOURS[0]) == expected
    assert "by windows that end in that bin" in figure.caption


def test_a_study_without_hidden_units_goes_without_the_figure(tmp_path):
    results = study(tmp_path, models=("Ising",), n_splits=1)
    drawn = dict(mc.figures.draw_all(results))
    names = {wanted.name for wanted in drawn}
    assert not names & {"assemblies", "layers"}
    assert not [figure for figure in drawn.values() if isinstance(figure, str)]
    with pytest.raises(NotComputedError, match="no model with live hidden units is tested; run"):
        assemblies(results)
