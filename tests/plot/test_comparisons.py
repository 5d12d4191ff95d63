import math

import numpy as np
import pytest
from drawing import axes
from planted_comparison import compared
from planted_scores import planted_score

import microcolumn as mc
from microcolumn.evaluate import WindowResult
from microcolumn.evaluate.splits import model_score
from microcolumn.models import ModelSpec
from microcolumn.plot import ranking
from microcolumn.plot.comparisons import window_gains, windows

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


def test_models_are_ranked_from_the_top_with_their_differences_from_the_ising_model():
    given = compared(LEVELS)
    ax = ranking(given)
    assert ax.yaxis_inverted()
    shown = drawn(ax)
    assert list(shown) == ["BernoulliMixture", "RBM 25", "Ising"]
    for name in ("RBM 25", "BernoulliMixture"):
        pair = given.pair(name, "Ising")
        assert shown[name][:2] == pytest.approx((pair.bits_per_second, pair.stderr))
    assert shown["Ising"][:2] == (0.0, 0.0)
    [beside] = ax.child_axes
    assert [text.get_text() for text in beside.get_yticklabels()] == ["13.00", "12.00", "10.00"]
    assert ax.get_xlabel().startswith("difference from Ising (bits/s)")


def test_without_an_ising_model_differences_are_from_the_best():
    given = compared({"RBM 25": 12.0, "KPairwise": 9.0})
    shown = drawn(ranking(given))
    assert shown["RBM 25"][:2] == (0.0, 0.0)
    assert shown["KPairwise"][0] == pytest.approx(-3.0)


def test_far_worse_models_are_triangles_at_the_end_of_the_axis():
    ax = ranking(
        compared({"Ising": 10.0, "RBM 25": 11.0, "KPairwise": 9.0, "PopulationTracking": 2.0})
    )
    marks = {round(float(c.lines[0].get_ydata()[0])): c.lines[0] for c in ax.containers}
    assert [marks[k].get_marker() for k in range(4)] == ["o", "o", "D", "<"]
    low, _ = ax.get_xlim()
    assert -8.0 < low < float(marks[3].get_xdata()[0]) < -1.0


def test_of_several_recordings_medians_of_differences_per_unit_are_drawn():
    levels = ({"Ising": 10.0, "RBM 5": 10.5}, {"Ising": 10.0, "RBM 5": 12.0}, {"Ising": 8.0})
    ax = ranking({f"r{k}": compared(each) for k, each in enumerate(levels)})
    marks = [line for line in ax.lines if line.get_marker() == "o"]
    large = {float(line.get_ydata()[0]): line for line in marks if line.get_markersize() == 6}
    assert [float(large[row].get_xdata()[0]) for row in (0.0, 1.0)] == pytest.approx([0.125, 0.0])
    small = next(line for line in marks if line.get_markersize() == 2.5)
    assert list(small.get_xdata()) == pytest.approx([0.05, 0.2])
    [beside] = ax.child_axes
    assert [text.get_text() for text in beside.get_yticklabels()] == ["2 of 2", "1 of 3"]


def test_a_single_model_and_one_split_are_drawn():
    ax = ranking(compared({"Ising": 3.0}))
    assert ax.get_xlim() == (-1.0, 0.1)
    given = compared(LEVELS, n_splits=1)
    shown = drawn(ranking(given))
    # Errors that models have in common cancel: 0.3 bits/s of each, 0.4 of the RBM.
    assert [shown[name][1] for name in ("Ising", "RBM 25")] == pytest.approx([0.0, 0.1])


def test_fitted_models_are_ranked_too(random_parameters, draw):
    theta = random_parameters("ising", n_units=3)
    train, test = (mc.Words.from_array(draw(theta, 400, seed), 0.02) for seed in (0, 1))
    given = mc.compare({"Ising": mc.Ising().fit(train), "rates": mc.Independent().fit(train)}, test)
    shown = drawn(ranking(given))
    assert set(shown) == set(given.scores)
    assert max(row[0] for row in shown.values()) == 0.0


SHIFTS = (0.5, -0.5, 1.0, -1.0)


def windows_result(n_splits=4):
    """Ising stops at two bins; the other was not computed at two."""
    scatter, stderr = {"Ising": 0.1, "RBM": 0.3}, {"Ising": 0.2, "RBM": 0.24}
    level = {"Ising": {1: 10.0, 2: 14.0, 3: 14.0}, "RBM": {1: 12.0, 3: 20.0}}
    models = {
        name: tuple(
            model_score(
                ModelSpec.of(name),
                [
                    planted_score(k, by_window[n] + scatter[name] * SHIFTS[k], stderr[name])
                    for k in range(n_splits)
                ],
                4,
                0.5,
            )
            if n in by_window
            else None
            for n in (1, 2, 3)
        )
        for name, by_window in level.items()
    }
    return WindowResult("cells", "spatiotemporal", (1, 2, 3), models, 0.5)


def lines_of(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def errors(ax):
    """Half the height of the error bars of the first line."""
    segments = ax.collections[0].get_segments()
    return [np.ptp(segment[:, 1]) / 2 for segment in segments if len(segment)]


def test_lines_are_scores_per_unit_at_their_bins_with_gaps_for_what_is_not_computed():
    ax = windows(windows_result(), ax=axes())
    lines = lines_of(ax)
    assert lines["Ising"].get_ydata() == pytest.approx([2.5, 3.5, 3.5])
    assert lines["RBM"].get_ydata() == pytest.approx([3.0, np.nan, 5.0], nan_ok=True)
    assert [list(line.get_xdata()) for line in lines.values()] == [[1, 2, 3]] * 2
    of_training = 0.1 * np.std(SHIFTS, ddof=1) * math.sqrt(1 / 3 + 1 / 4)
    assert errors(ax) == pytest.approx([math.hypot(0.2, of_training) / 4] * 3)
    assert ax.get_ylim()[0] == 0.0


def test_bars_of_one_split_are_the_error_of_its_test_words():
    ax = windows(windows_result(n_splits=1), bin_width=0.0067, ax=axes())
    assert errors(ax) == pytest.approx([0.05] * 3)
    assert ax.get_xlabel() == "bins of 6.7 ms per word"


def test_gains_are_paired_by_split_with_the_splits_as_dots():
    ax = window_gains(windows_result(), ax=axes())
    assert list(lines_of(ax)) == ["RBM"]
    assert lines_of(ax)["RBM"].get_ydata() == pytest.approx([0.5, np.nan, 1.5], nan_ok=True)
    [dots] = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert list(dots.get_xdata()) == [1] * 4 + [3] * 4
    by_split = 0.2 * np.array(SHIFTS) / 4
    np.testing.assert_allclose(dots.get_ydata(), [*(0.5 + by_split), *(1.5 + by_split)])
    error = math.hypot(0.04 / 4, np.std(by_split, ddof=1) * math.sqrt(1 / 3 + 1 / 4))
    assert errors(ax) == pytest.approx([error] * 2)
    assert "Ising" in ax.get_ylabel()
