import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

from microcolumn import Recording, Units, Words
from microcolumn.plot.recorded import correlations, correlogram, rates
from microcolumn.survey import suggest_bin_width


@pytest.fixture
def ax():
    return Figure().subplots()


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_rates_are_those_within_the_epochs_in_laminar_rows(ax):
    recording = Recording([[0.1, 0.2, 5.0], [], [0.3]], Units("abc", [9.0, 5.0, 1.0]), [[0.0, 2.0]])
    rates(recording, ax=ax)
    outline = ax.collections[0].get_paths()[0]
    for row, hz in enumerate((0.5, 0.0, 1.0)):
        assert outline.contains_point((hz - 0.01, row)) == (hz > 0)
        assert not outline.contains_point((hz + 0.01, row))
    assert ax.get_ylim() == (2.5, -0.5)
    assert ax.get_xlabel() == "rate (Hz)"


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(0)
    X = rng.random((4000, 8)) < 0.1
    X[:, :4] |= rng.random((4000, 1)) < 0.05
    X[:, 7] = False
    return Words.from_array(X, units=Units("abcdefgh", layer=["IV"] * 4 + ["V"] * 4))


def test_the_histogram_counts_every_pair_once_by_layer(words, ax):
    correlations(words, ax=ax)
    expected = {"between layers": [], "within a layer": []}
    table = np.corrcoef(words.expand()[:, :7], rowvar=False)
    for first in range(7):
        for second in range(first):
            kind = "within a layer" if (first < 4) == (second < 4) else "between layers"
            expected[kind].append(table[first, second])
    assert [label.split(",")[0] for label in legend(ax)] == [
        "between layers (12)",
        "within a layer (9)",
    ]
    for steps, values in zip(ax.patches, expected.values(), strict=True):
        heights, edges, _ = steps.get_data()
        assert sum(heights) == len(values)
        # An extreme value may lie a rounding beside the outermost edge.
        edges[0], edges[-1] = edges[0] - 1e-9, edges[-1] + 1e-9
        np.testing.assert_array_equal(heights, np.histogram(values, edges)[0])


def test_pairs_without_known_layers_are_one_group(words, ax):
    correlations(Words.from_array(words.expand()), ax=ax)
    assert legend(ax)[0].startswith("pairs (21), mean ")
    assert len(ax.patches) == len(ax.lines) == 1


@pytest.mark.parametrize("X", [[[0], [1]], [[0, 1], [0, 0]]])
def test_words_without_a_pair_to_correlate_say_so(X, ax):
    correlations(Words.from_array(X), ax=ax)
    assert [text.get_text() for text in ax.texts] == ["no pairs of units"]


@pytest.fixture(scope="module")
def volleys():
    rng = np.random.default_rng(0)
    times = rng.uniform(1.0, 599.0, 2000)
    trains = [np.sort(times + rng.normal(0.0, 0.006, times.size)) for _ in range(3)]
    return suggest_bin_width(Recording(trains))


def test_bins_are_filled_from_the_level_of_chance_under_the_running_mean(volleys, ax):
    correlogram(volleys, color="#ff0000", title="volleys", ax=ax)
    [bins] = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    counts, edges, baseline = bins.get_data()
    np.testing.assert_allclose(counts, volleys.counts / volleys.chance)
    np.testing.assert_allclose((edges[:-1] + edges[1:]) / 2, 1e3 * volleys.lags_s)
    assert baseline == 1.0
    np.testing.assert_allclose(ax.lines[0].get_ydata(), volleys.smoothed / volleys.chance)
    assert (ax.lines[0].get_color(), ax.get_title()) == ("#ff0000", "volleys")
    assert legend(ax)[:2] == ["1 ms bins", "running mean"]


def test_a_recording_has_the_correlogram_of_its_bin_width():
    rng = np.random.default_rng(2)
    recording = Recording([np.sort(rng.uniform(0.0, 60.0, 200)) for _ in range(3)])
    found = suggest_bin_width(recording)
    ax = correlogram(recording, ax=Figure().subplots())
    np.testing.assert_allclose(ax.lines[0].get_ydata(), found.smoothed / found.chance)
