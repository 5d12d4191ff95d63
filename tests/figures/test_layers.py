"""The figure of layers shows every hidden unit of every split against shuffled labels."""

import numpy as np
import planted_study
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex

from microcolumn.figures import layers
from microcolumn.plot._layers import LAYER_COLOURS
from microcolumn.study import NotComputedError, Results


@pytest.fixture(scope="module")
def figure(planted_results):
    return layers(planted_results)


def lettered(figure):
    return {ax.get_title("left"): ax for ax in figure.axes if ax.get_title("left")}


def found(planted_results):
    return planted_results.layers("cells", "RBM")


def test_the_first_split_is_shown_hidden_unit_by_hidden_unit(figure, planted_results):
    ax, first = lettered(figure)["a"], found(planted_results).statistics[0]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["h1", "h0"]
    assert [bar.get_height() for bar in ax.patches] == [row.upper for row in first.hidden[::-1]]
    assert ax.get_xlabel() == "hidden units of split 0"
    [legend] = figure.legends  # for all panels, superficial layers first
    assert ax.get_legend() is None
    assert [text.get_text() for text in legend.get_texts()] == ["II/III", "IV"]


def test_all_hidden_units_of_all_splits_are_dots(figure, planted_results):
    ax = lettered(figure)["b"]
    dots = [each for each in ax.collections if isinstance(each, PathCollection)]
    statistics = found(planted_results).statistics
    assert len(dots) == len(statistics) == 4
    for split, (group, each) in enumerate(zip(dots, statistics, strict=True)):
        x, y = group.get_offsets().T
        assert (np.abs(x - split) < 0.5).all()
        expected = sorted((row.share - row.upper for row in each.hidden), reverse=True)
        np.testing.assert_allclose(y, expected)
        # All are in layer IV, the second.
        assert {to_hex(colour).upper() for colour in group.get_facecolors()} == {LAYER_COLOURS[1]}
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "2", "3"]


def test_all_weight_of_each_split_is_shown_against_chance(figure, planted_results):
    ax, each = lettered(figure)["c"], found(planted_results).statistics
    [dots] = ax.lines
    np.testing.assert_allclose(dots.get_ydata(), [one.overall_share for one in each])
    assert [bar.get_height() for bar in ax.patches] == [one.overall_upper for one in each]
    [means] = [lines for lines in ax.collections if isinstance(lines, LineCollection)]
    assert [line[0, 1] for line in means.get_segments()] == [one.overall_expected for one in each]


def test_a_store_without_the_ends_of_chance_says_so(tmp_path):
    def older(job, rows):
        for row in rows.get("structures", ()):
            row["layers"] = {
                name: getattr(row["layers"], name)
                for name in row["layers"].__slots__
                if name not in ("hidden", "overall_upper")
            } | {"hidden": [_without(each) for each in row["layers"].hidden]}

    def _without(each):
        kept = [name for name in each.__slots__ if name not in ("upper", "shares")]
        return {name: getattr(each, name) for name in kept}

    results = Results(planted_study.write(tmp_path / "study.db", change=older))
    with pytest.raises(NotComputedError, match="shuffled labels of RBM 5 are not kept; run"):
        layers(results)
