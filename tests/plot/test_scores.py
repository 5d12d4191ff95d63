import math

import numpy as np
import pytest
from drawing import axes
from matplotlib.colors import to_hex
from planted_scores import planted_score

import microcolumn as mc
from microcolumn.evaluate.splits import compare_splits
from microcolumn.models import ModelSpec
from microcolumn.plot.comparisons import ranking
from microcolumn.plot.score_bars import differences, scores
from microcolumn.plot.style import MODEL_COLOURS

SHIFTS = (0.5, -0.5, 1.0, -1.0)


def compared(levels, recording="cells", n_splits=4, n_units=23):
    """Models at given levels; splits shift all, and those with hidden units a bit more."""
    tested = {
        ModelSpec.of(name): [
            planted_score(k, level + SHIFTS[k] * (1.2 if "RBM" in name else 1.0), 0.3)
            for k in range(n_splits)
        ]
        for name, level in levels.items()
    }
    where = {"recording": recording, "experiment": "instantaneous"}
    return compare_splits(tested, n_units, 0.5, n_planned=n_splits, **where)


def errors(container):
    """Half the length of the error bars of bars or points; a gap has none."""
    [drawn] = getattr(container, "errorbar", container).lines[2]
    return [(high[1] - low[1]) / 2 for low, high in filter(len, drawn.get_segments())]


def bars_of(ax):
    return {c.get_label(): c for c in ax.containers if hasattr(c, "patches")}


def test_the_bars_are_the_scores_and_their_errors_those_of_the_tables():
    both = compared({"Ising": 10.0, "RBM 5": 12.0})
    ax = scores(both, ax=axes())
    bars = bars_of(ax)
    assert [bar.get_height() for bar in bars["Ising"]] == pytest.approx([10.0])
    assert [bar.get_height() for bar in bars["RBM 5"]] == pytest.approx([12.0])
    # Of test words, and of training words, of which any two splits share half.
    expected = math.hypot(0.3, np.std(SHIFTS, ddof=1) * math.sqrt(1 / 3 + 1 / 4))
    assert errors(bars["Ising"]) == pytest.approx([expected])
    assert both.scores["Ising"].stderr == pytest.approx(expected)


def test_one_split_has_the_error_of_its_test_words():
    ax = scores(compared({"Ising": 10.0}, n_splits=1), ax=axes())
    assert errors(bars_of(ax)["Ising"]) == pytest.approx([0.3])


def test_recordings_are_groups_side_by_side_with_the_same_colour_per_model():
    several = [
        compared({"RBM 5": 12.0, "Ising": 10.0}, "A", n_units=1),
        compared({"Ising": 20.0}, "$B$"),
    ]
    ax = scores(several, ax=axes())
    bars = bars_of(ax)
    assert list(bars) == ["Ising", "RBM 5"]
    places = [bar.get_x() + bar.get_width() / 2 for bar in bars["Ising"]]
    assert places[1] - places[0] == pytest.approx(1.0)
    assert [round(place) for place in places] == [0, 1]
    assert len(bars["RBM 5"].patches) == 1  # the other recording has none
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels == ["A\n1 unit", "\\$B\\$\n23 units"]
    ax.figure.draw_without_rendering()


def test_a_comparison_of_models_in_memory_is_drawn_under_their_names():
    rng = np.random.default_rng(0)
    X = rng.random((2000, 4)) < np.where(rng.random((2000, 1)) < 0.1, 0.7, 0.05)
    train, test = mc.Words.from_array(X).split(0.5, random_state=0)
    models = {"my $RBM$": mc.Ising().fit(train), "Independent": mc.Independent().fit(train)}
    models["Ising"] = mc.Ising(l1=0.1).fit(train)
    found = mc.compare(models, test)
    bars = bars_of(scores(found, ax=axes()))
    best = found.scores["my $RBM$"]
    assert bars["my \\$RBM\\$"].patches[0].get_height() == best.bits_per_second
    assert errors(bars["my \\$RBM\\$"]) == pytest.approx([best.stderr])
    bar = bars["my \\$RBM\\$"].patches[0]
    assert to_hex(bar.get_facecolor()).upper() == MODEL_COLOURS["Ising"]  # which it is
    assert "Independent" not in bars  # it is the zero line
    [point] = differences(found, ax=axes()).containers
    pair = found.pair("my $RBM$", "Ising")
    assert point.lines[0].get_ydata() == pytest.approx([pair.bits_per_second])
    assert errors(point) == pytest.approx([pair.stderr])


def test_differences_are_paired_and_nothing_is_written_beside_them():
    both = compared({"Ising": 10.0, "RBM 5": 12.0})
    ax = differences(both, ax=axes())
    [points] = ax.containers
    assert points.lines[0].get_ydata() == pytest.approx([2.0])
    pair = both.pair("RBM 5", "Ising")
    assert errors(points) == pytest.approx([pair.stderr])
    assert pair.stderr < both.pair("Ising", "Independent").stderr  # what is shared cancels
    assert len(ax.texts) == 0


def test_differences_turn_the_pairs_in_which_the_reference_is_better():
    ax = differences(compared({"Ising": 10.0, "RBM 5": 7.0}), ax=axes())
    assert ax.containers[0].lines[0].get_ydata() == pytest.approx([-3.0])


@pytest.mark.parametrize("draw", [scores, differences, ranking])
def test_models_on_words_are_compared(draw):
    words = mc.simulate.microcolumn(n_units=4, minutes=0.3, seed=0).bin(0.020)
    models = {"Ising": mc.Ising().fit(words), "my tree": mc.models.Tree().fit(words)}
    both = [draw(models, words, ax=axes()), draw(mc.compare(models, words), ax=axes())]
    heights, expected = (tuple(ax.dataLim.bounds) for ax in both)
    assert heights == expected
    assert "my tree" in {
        label.get_text() for label in both[0].get_xticklabels() + both[0].get_yticklabels()
    }
