from dataclasses import replace

import numpy as np
import planted_study
import pytest
from matplotlib.collections import PathCollection
from planted_study import PLAN

from microcolumn import Recording, Units
from microcolumn.figures import data
from microcolumn.plot.time import spikes_by_bin
from microcolumn.study import Results
from microcolumn.survey import pairwise_correlations
from microcolumn.survey.stretch import busiest_stretch
from microcolumn.timeline import typical_bins

FIRST = replace(PLAN, experiments=PLAN.experiments[:1])


@pytest.fixture(scope="module")
def figure(planted_results):
    return data(planted_results)


@pytest.fixture
def figure_of(tmp_path):
    def draw(recording, plan=FIRST):
        keep = ("describe", "test")
        path = planted_study.write(
            tmp_path / "study.db", plan, keep=lambda job: job.kind in keep, data=recording
        )
        return data(Results(path))

    return draw


def panels(figure):
    return {ax.get_title(loc="left"): ax for ax in figure.axes if ax.get_title(loc="left")}


def marks(ax):
    (found,) = [each for each in ax.collections if isinstance(each, PathCollection)]
    [path] = found.get_paths()
    return path.vertices.reshape(-1, 5, 2)[:, :4]


def busiest(figure):
    """The panel beside b."""
    [ax] = [ax for ax in figure.axes if ax.get_title().startswith("busiest")]
    return ax


def test_panel_b_shows_typical_and_the_busiest_two_seconds(figure):
    recording = planted_study.recording()
    words = recording.bin(0.020)
    first, end = typical_bins(spikes_by_bin(words), words.epoch_starts, 100)
    typical = panels(figure)["b"]
    np.testing.assert_allclose(typical.get_xlim(), (0.020 * first, 0.020 * end))
    assert len(marks(typical)) == words.expand()[first:end].sum()
    assert f"the median number of marks, from {0.020 * first:.2f} s on" in figure.caption
    assert [typical.get_title(), busiest(figure).get_title()] == ["typical 2 s", "busiest 2 s"]
    assert not any(label.get_text() for label in busiest(figure).get_yticklabels(minor=True))


def test_beside_it_are_the_words_of_the_busiest_two_seconds(figure):
    recording = planted_study.recording()
    start, stop = busiest_stretch(recording, 2.0)
    ax = busiest(figure)
    assert ax.get_xlim() == (start, stop)
    lefts = np.arange(recording.bin(0.020).n_bins) * 0.020
    shown = (lefts + 0.020 > start) & (lefts < stop)
    words = recording.bin(0.020).expand()[shown]
    boxes = marks(ax)
    assert len(boxes) == words.sum()
    drawn = np.unique(boxes[:, 0, 0].round(6))
    np.testing.assert_allclose(drawn, lefts[shown][words.any(axis=1)].round(6))
    assert not ax.patches  # all of it was recorded
    assert f"with the most spikes, from {start:.2f} s on" in figure.caption


def test_panel_c_counts_all_pairs_and_the_caption_has_their_number_and_means(figure):
    words = planted_study.recording().bin(0.020)
    spiking = words.rates > 0
    table = np.corrcoef(words.expand()[:, spiking], rowvar=False)
    values = table[np.triu_indices(len(table), 1)]
    layer = np.array(words.units.layer)[spiking]
    within = np.equal.outer(layer, layer)[np.triu_indices(len(table), 1)]
    counts = [steps.get_data().values for steps in panels(figure)["c"].patches]
    assert np.sum(counts) == values.size
    assert f"{values.size} pairs" in figure.caption
    between, inside = values[~within].mean(), values[within].mean()
    assert f"{between:.3f} between layers and {inside:.3f} within a layer" in figure.caption


def test_beside_it_is_the_most_correlated_pair_against_the_lag(figure):
    words = planted_study.recording().bin(0.020)
    table = np.triu(pairwise_correlations(words), 1)
    first, second = np.unravel_index(np.nanargmax(table), table.shape)
    [ax] = [ax for ax in figure.axes if ax.get_title() == "strongest pair"]
    values, edges, _ = ax.patches[0].get_data()
    at_zero = int(np.flatnonzero((edges[:-1] < 0.0) & (edges[1:] > 0.0))[0])
    assert values[at_zero] == pytest.approx(table[first, second])
    np.testing.assert_allclose(np.diff(edges), 20.0)
    ids = words.units.ids
    assert f"the most correlated pair, units {ids[first]} and {ids[second]}" in figure.caption


def test_without_depths_panel_a_shows_rates(figure_of):
    recording = Recording(planted_study.recording().trains, epochs=planted_study.recording().epochs)
    figure = figure_of(recording)
    assert panels(figure)["a"].get_xlabel() == "rate (Hz)"


def test_one_unit_has_a_figure(figure_of):
    figure = figure_of(Recording([[0.1, 0.9]], Units("a", [300.0]), [[0.0, 1.0]]))
    for letter in "cd":
        assert panels(figure)[letter].texts[0].get_text() == "no pairs of units"
    assert "1 unit, 50 bins" in figure.caption
    figure.draw_without_rendering()


def test_five_hundred_units_make_a_small_file(figure_of):
    rng = np.random.default_rng(0)
    trains = [np.sort(rng.uniform(0.0, 20.0, 100)) for _ in range(500)]
    units = Units(map(str, range(500)), rng.uniform(0, 1600, 500))
    first = replace(PLAN.experiments[0], models=("Ising",), n_splits=1)
    plan = replace(PLAN, experiments=(first,))
    figure = figure_of(Recording(trains, units, [[0.0, 20.0]]), plan)
    assert len(marks(busiest(figure))) > 3000
    assert len(figure.svg("x")) < 1_000_000
    assert "124,750 pairs" in figure.caption
