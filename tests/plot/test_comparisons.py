import math
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from planted_comparison import compared

import microcolumn as mc
from microcolumn.evaluate import SplitScore, WindowResult
from microcolumn.evaluate._splits import model_score
from microcolumn.models import ModelSpec
from microcolumn.plot import ranking
from microcolumn.plot._comparisons import window_gains, windows
from microcolumn.plot._tips import tips_of

LEVELS = {"Ising": 10.0, "BernoulliMixture": 13.0, "RBM 25": 12.0}


def drawn(ax):
    """Difference, error and marker by the name of the model, from the top down."""
    names = [label.get_text() for label in ax.get_yticklabels()]
    found = {}
    for bars in ax.containers:
        point, _, (line,) = bars.lines
        (left, _), (right, _) = line.get_segments()[0]
        place = round(float(point.get_ydata()[0]))
        marks = point.get_marker(), point.get_markerfacecolor()
        found[names[place]] = (float(point.get_xdata()[0]), (right - left) / 2, *marks)
    return found


def test_models_are_ranked_from_the_top_with_their_differences_from_the_best():
    given = compared(LEVELS)
    ax = ranking(given)
    assert ax.yaxis_inverted()
    shown = drawn(ax)
    assert list(shown) == ["BernoulliMixture", "RBM 25", "Ising"]
    for name in ("RBM 25", "Ising"):
        pair = given.pair(name, "BernoulliMixture")
        assert shown[name][:2] == pytest.approx((pair.bits_per_second, pair.stderr))
    assert shown["BernoulliMixture"][:2] == (0.0, 0.0)
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["13.00", "12.00", "10.00", "bits/s"]
    assert ax.get_xlabel().startswith("difference from the best (bits/s)")


def test_rivals_are_open_and_told_apart():
    ax = ranking(compared(LEVELS))
    marks = {name: row[2:] for name, row in drawn(ax).items()}
    assert marks["BernoulliMixture"] == ("D", "white")
    assert marks["RBM 25"][0] == "o"
    assert marks["RBM 25"][1] != "white"
    assert "other kinds" in ax.get_xlabel()
    assert "other kinds" not in ranking(compared({"Ising": 1.0, "RBM 25": 2.0})).get_xlabel()


def test_a_single_model_and_one_split_are_drawn():
    ax = ranking(compared({"Ising": 3.0}))
    assert ax.get_xlim() == (-1.0, 0.1)
    given = compared(LEVELS, n_splits=1)
    assert drawn(ranking(given))["Ising"][1] == pytest.approx(0.1)  # from blocks


def test_fitted_models_are_ranked_too(random_parameters, draw):
    theta = random_parameters("ising", n_units=3)
    train, test = (mc.Words.from_array(draw(theta, 400, seed), 0.02) for seed in (0, 1))
    given = mc.compare({"Ising": mc.Ising().fit(train), "rates": mc.Independent().fit(train)}, test)
    shown = drawn(ranking(given))
    assert set(shown) == set(given.scores)
    assert max(row[0] for row in shown.values()) == 0.0


def test_several_recordings_are_marks_around_their_median():
    given = [compared(LEVELS), compared(LEVELS | {"RBM 25": 14.5}), compared({"Ising": 7.0})]
    ax = ranking(given)
    names = [label.get_text() for label in ax.get_yticklabels()]
    places = {name: [] for name in names}
    for line in ax.lines[:-1]:  # the last one marks the best
        places[names[round(float(line.get_ydata()[0]))]].append(line.get_xdata())
    per_unit = [
        {name: each.scores[name].per_neuron - each.best.per_neuron for name in each.scores}
        for each in given
    ]
    for name, (single, middle) in places.items():
        expected = [found[name] for found in per_unit if name in found]
        assert list(single) == pytest.approx(expected)
        assert middle[0] == pytest.approx(np.median(expected))
    assert names == ["RBM 25", "BernoulliMixture", "Ising"]
    told = [text.get_text() for text in ax.texts]
    assert told == ["1 of 2", "1 of 2", "1 of 3", "best in"]
    assert "per unit" in ax.get_xlabel()


def test_a_model_without_a_finite_score_cannot_be_ranked():
    with pytest.raises(ValueError, match="no model to rank"):
        ranking(compared({"Ising": np.nan}))


SHIFTS = (0.5, -0.5, 1.0, -1.0)


def axes():
    return Figure().subplots()


def windows_result(n_splits=4):
    """Ising stops at two bins; the other was not computed at two."""
    level = {"Ising": {1: 10.0, 2: 14.0, 3: 14.0}, "RBM": {1: 12.0, 3: 20.0}}
    models = {
        name: tuple(
            model_score(
                ModelSpec.of(name),
                [
                    SplitScore(k, by_window[n] + (0.1 if name == "Ising" else 0.3) * SHIFTS[k], 0.2)
                    for k in range(n_splits)
                ],
                4,
            )
            if n in by_window
            else None
            for n in (1, 2, 3)
        )
        for name, by_window in level.items()
    }
    return WindowResult("cells", "spatiotemporal", (1, 2, 3), models, 1.0)


def lines_of(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def bands(ax):
    """Half the height of each band at the bins that it covers."""
    found = []
    for band in ax.collections:
        if isinstance(band, PolyCollection):
            points = np.concatenate([path.vertices for path in band.get_paths()] or [[[0, 0]]])
            found.append([np.ptp(points[points[:, 0] == n, 1]) / 2 for n in set(points[:, 0])])
    return found


def test_lines_are_scores_per_unit_at_their_bins_with_gaps_for_what_is_not_computed():
    ax = windows(windows_result(), ax=axes())
    lines = lines_of(ax)
    assert lines["Ising"].get_ydata() == pytest.approx([2.5, 3.5, 3.5])
    assert lines["RBM"].get_ydata() == pytest.approx([3.0, np.nan, 5.0], nan_ok=True)
    assert [list(line.get_xdata()) for line in lines.values()] == [[1, 2, 3]] * 2
    expected = 0.1 * np.std(SHIFTS, ddof=1) * math.sqrt(1 / 4 + 1.0) / 4
    assert bands(ax)[0] == pytest.approx([expected] * 3)
    assert ax.get_ylim()[0] == 0.0


def test_what_stands_alone_has_an_error_bar():
    ax = windows(windows_result(), ax=axes())
    bars = [bar for bar in ax.collections if not isinstance(bar, PolyCollection)]
    heights = [[np.ptp(segment[:, 1]) for segment in bar.get_segments()] for bar in bars]
    expected = 2 * 0.3 * np.std(SHIFTS, ddof=1) * math.sqrt(1 / 4 + 1.0) / 4
    assert heights[0] == []  # a band shows them all
    assert heights[1] == pytest.approx([expected] * 2)


def test_bands_of_one_split_are_the_error_of_blocks():
    assert bands(windows(windows_result(n_splits=1), ax=axes()))[0] == pytest.approx([0.05] * 3)


def test_scores_below_independent_units_are_on_the_axis():
    result = windows_result()
    low = replace(result.models["Ising"][0], per_neuron=-1.0)
    ax = windows(replace(result, models={"Ising": (low, None, None)}), ax=axes())
    assert ax.get_ylim()[0] < -1.0


def test_gains_are_paired_by_split_with_the_splits_as_dots():
    ax = window_gains(windows_result(), ax=axes())
    assert list(lines_of(ax)) == ["RBM"]
    assert lines_of(ax)["RBM"].get_ydata() == pytest.approx([0.5, np.nan, 1.5], nan_ok=True)
    [dots] = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert list(dots.get_xdata()) == [1] * 4 + [3] * 4
    by_split = 0.2 * np.array(SHIFTS) / 4
    np.testing.assert_allclose(dots.get_ydata(), [*(0.5 + by_split), *(1.5 + by_split)])
    segments = ax.collections[1].get_segments()
    error = np.std(by_split, ddof=1) / 2 * math.sqrt(1 + 4)  # Nadeau & Bengio
    assert [np.ptp(segment[:, 1]) / 2 for segment in segments] == pytest.approx([error] * 2)
    assert "Ising" in ax.get_ylabel()


def false(result):
    """A score of a model with half of its mass where no word is."""
    return replace(result, splits=tuple(replace(s, spurious_mass=0.5) for s in result.splits))


@pytest.mark.parametrize("draw", [windows, window_gains])
def test_a_model_with_spurious_modes_alone_is_neither_drawn_nor_named(draw):
    result = windows_result()
    scores = result.models["RBM"]
    models = result.models | {"SemiRBM": scores, "RBM": (false(scores[0]), None, false(scores[2]))}
    ax = draw(replace(result, models=models), ax=axes())
    assert "RBM" not in lines_of(ax)
    assert "SemiRBM" in lines_of(ax)


def test_without_an_ising_model_there_are_no_gains():
    result = windows_result()
    alone = replace(result, models={"RBM": result.models["RBM"]})
    with pytest.raises(ValueError, match="no Ising model beside others; draw it with windows"):
        window_gains(alone, ax=axes())


def test_the_axis_above_is_the_length_of_words_in_ms():
    ax = windows(windows_result(), bin_width=0.0067, ax=axes())
    [above] = ax.child_axes
    ax.figure.draw_without_rendering()
    np.testing.assert_allclose(above.get_xlim(), 6.7 * np.array(ax.get_xlim()))
    assert [label.get_text() for label in above.get_xticklabels()] == ["6.7", "13.4", "20.1"]
    assert "ms" in above.get_xlabel()


def test_points_say_what_they_stand_for():
    tips = tips_of(lines_of(windows(windows_result(), ax=axes()))["Ising"])
    assert tips.columns == ("model", "bins per word", "bits/s per unit", "standard error")
    assert [row[:3] for row in tips.rows] == [
        ("Ising", 1, 2.5),
        ("Ising", 2, 3.5),
        ("Ising", 3, 3.5),
    ]
