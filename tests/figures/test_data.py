from dataclasses import replace

import numpy as np
import planted_study
import pytest
from matplotlib.collections import PolyCollection
from planted_study import PLAN

from microcolumn import Recording, Units, suggest_bin_width
from microcolumn.figures._data import data
from microcolumn.plot._raster import busiest_stretch
from microcolumn.study._results import Results


def is_test(job):
    return job.kind == "test"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return planted_study.write(tmp_path_factory.mktemp("study") / "plan.db", keep=is_test)


@pytest.fixture
def results(store):
    return Results(store)


@pytest.fixture(scope="module")
def figure(store):
    return data(Results(store))


def panels(figure):
    return {ax.get_title(loc="left"): ax for ax in figure.axes}


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def marks(ax):
    (found,) = [each for each in ax.collections if isinstance(each, PolyCollection)]
    return np.array([path.vertices[:4] for path in found.get_paths()])


def with_recording(results, recording, monkeypatch):
    """The results as if the study's recording were another one."""
    monkeypatch.setattr(results, "recording", lambda name: recording)
    return results


def test_four_panels_are_lettered_in_bold(figure):
    assert list(panels(figure)) == ["a", "b", "c", "d"]
    assert (figure.number, figure.get_figwidth()) == ("1", 7.0)


def test_units_are_at_their_depths_in_panel_a(figure):
    units = planted_study.recording().units
    [dots] = [line for line in panels(figure)["a"].lines if line.get_marker() == "o"]
    np.testing.assert_array_equal(dots.get_ydata(), units.depth_um)
    assert panels(figure)["a"].get_ylabel() == "depth below the surface (µm)"


def test_panel_b_shows_the_words_of_the_busiest_two_seconds(figure):
    recording = planted_study.recording()
    start, stop = busiest_stretch(recording, 2.0)
    ax = panels(figure)["b"]
    assert ax.get_xlim() == (start, stop)
    lefts = np.arange(recording.bin(0.020).n_bins) * 0.020
    shown = (lefts + 0.020 > start) & (lefts < stop)
    words = recording.bin(0.020).expand()[shown]
    boxes = marks(ax)
    assert len(boxes) == words.sum()
    drawn = np.unique(boxes[:, 0, 0].round(6))
    np.testing.assert_allclose(drawn, lefts[shown][words.any(axis=1)].round(6))
    assert f"in the 2 s with the most spikes, from {start:.1f} s on" in figure.caption


def test_panel_c_counts_all_pairs_and_the_caption_says_how_many(figure):
    words = planted_study.recording().bin(0.020)
    spiking = words.rates > 0
    table = np.corrcoef(words.expand()[:, spiking], rowvar=False)
    values = table[np.triu_indices(len(table), 1)]
    heights = [bar.get_height() for each in panels(figure)["c"].containers for bar in each]
    assert sum(heights) == values.size
    assert f"{values.size} pairs of units" in figure.caption
    assert f"their mean, {values.mean():.3f}" in figure.caption
    assert "Pairs within a layer and between layers are counted apart." in figure.caption


def test_panel_d_is_the_correlogram_with_the_bin_width_dashed(figure):
    found = suggest_bin_width(planted_study.recording())
    ax = panels(figure)["d"]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), found.counts / found.chance)
    dashed = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"]
    assert dashed == [-20.0, 20.0]
    assert "plus and minus the bin width of 20 ms" in figure.caption


def test_the_caption_says_what_the_error_of_the_peaks_width_is(results, monkeypatch):
    rng = np.random.default_rng(0)
    volleys = rng.uniform(1.0, 299.0, 1000)
    trains = [np.sort(volleys + rng.normal(0.0, 0.006, 1000)) for _ in range(3)]
    recording = Recording(trains, Units("abc"))
    found = suggest_bin_width(recording)
    caption = data(with_recording(results, recording, monkeypatch)).caption
    width, error = 1e3 * found.peak_width_s, 1e3 * found.peak_stderr_s
    assert f"{width:.1f} ± {error:.1f} ms (standard error from leaving out each of 20" in caption


def test_an_experiment_of_some_units_shows_these_alone(results):
    figure = data(results, "cells", experiment="spatiotemporal")
    recording = planted_study.recording()
    most_active = np.sort(np.argsort(-recording.spike_counts, kind="stable")[:4])
    [dots] = [line for line in panels(figure)["a"].lines if line.get_marker() == "o"]
    np.testing.assert_array_equal(dots.get_ydata(), recording.units.depth_um[most_active])
    assert legend(panels(figure)["a"]) == ["4 single units"]
    assert f"the 4 most active of {recording.n_units} units" in figure.caption
    np.testing.assert_allclose(np.ptp(marks(panels(figure)["b"])[:, :, 0], axis=1), 0.0067)


def test_the_number_of_lags_does_not_change_the_data(results):
    one = data(results, "cells", experiment="spatiotemporal", window=1)
    three = data(results, "cells", experiment="spatiotemporal", window=3)
    assert one.caption == three.caption
    np.testing.assert_array_equal(marks(panels(one)["b"]), marks(panels(three)["b"]))


def test_time_that_the_study_does_not_use_is_not_shown(tmp_path):
    short = replace(PLAN, experiments=(replace(PLAN.experiments[0], max_words=150),))
    figure = data(Results(planted_study.write(tmp_path / "short.db", short, keep=is_test)))
    assert panels(figure)["b"].get_xlim()[1] <= 3.0 + 1e-9
    assert "150 bins of 20 ms" in figure.caption


def test_without_depths_panel_a_shows_rates_and_the_caption_says_why(results, monkeypatch):
    trains = planted_study.recording().trains
    recording = Recording(trains, epochs=planted_study.recording().epochs)
    figure = data(with_recording(results, recording, monkeypatch))
    assert panels(figure)["a"].get_xlabel() == "rate (Hz)"
    assert "their depths are not known" in figure.caption
    assert "in the order of the file" in figure.caption
    assert "lines between layers" not in figure.caption


def test_layers_without_depths_are_drawn(results, monkeypatch):
    units = Units("abc", layer=["$IV$", "<script>", "$IV$"])
    recording = Recording([[0.1, 0.9], [0.5], []], units, [[0.0, 4.0]])
    figure = data(with_recording(results, recording, monkeypatch))
    labels = [label.get_text() for label in panels(figure)["b"].get_yticklabels()]
    assert labels == [r"\$IV\$", "<script>"]
    assert "units by layer, with lines between layers" in figure.caption
    assert "counted apart" not in figure.caption  # the only pair lies between layers
    assert "(c) Correlations of the bits of 1 pair of units" in figure.caption
    assert "2 pairs with a unit that never or always fires are left out" in figure.caption
    assert "<script>" not in figure.svg("x")


@pytest.mark.parametrize(
    ("units", "said"),
    [
        (
            Units("abc", [100.0, 200.0, np.nan], multiunit=[True, False, False]),
            "dots single units, squares multiunits; the depth of 1 more is not known.",
        ),
        (
            Units("abc", [100.0, 200.0, 300.0], ["IV", "V", "IV"], multiunit=[True] * 3),
            "(a) Multiunits at their depths on the probe. Layers are not drawn, since they overlap",
        ),
    ],
)
def test_what_panel_a_cannot_show_is_told(results, monkeypatch, units, said):
    recording = Recording([[0.1], [0.5], [0.7]], units, [[0.0, 4.0]])
    assert said in data(with_recording(results, recording, monkeypatch)).caption


def test_one_unit_has_a_figure(results, monkeypatch, tmp_path):
    recording = Recording([[0.1, 0.9]], Units("a", [300.0]), [[0.0, 1.0]])
    figure = data(with_recording(results, recording, monkeypatch))
    for letter in "cd":
        assert panels(figure)[letter].texts[0].get_text() == "no pairs of units"
    assert "1 unit, 50 bins" in figure.caption
    assert "there are none" in figure.caption
    assert "in the 1 s with the most spikes" in figure.caption
    figure.savefig(tmp_path / "one.pdf")


def test_five_hundred_units_make_a_small_file(results, monkeypatch):
    rng = np.random.default_rng(0)
    trains = [np.sort(rng.uniform(0.0, 20.0, 100)) for _ in range(500)]
    units = Units(map(str, range(500)), rng.uniform(0, 1600, 500))
    recording = Recording(trains, units, [[0.0, 20.0]])
    figure = data(with_recording(results, recording, monkeypatch))
    assert len(marks(panels(figure)["b"])) > 3000
    assert len(figure.svg("x")) < 1_000_000
    assert "124,750 pairs of units" in figure.caption
