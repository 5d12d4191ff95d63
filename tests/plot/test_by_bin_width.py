"""Scores and the contrast of groups against the width of a bin."""

import numpy as np
import pytest
from drawing import axes
from planted_comparison import compared

from microcolumn.errors import BadArgument, BadInput
from microcolumn.plot import bin_widths

NARROW = compared({"Ising": 10.0, "RBM 5": 12.0})
WIDE = compared({"Ising": 4.0, "RBM 5": 4.1, "KPairwise": 5.0}, scatter=40.0)


def test_each_model_has_a_line_through_its_scores_at_the_widths_in_order():
    ax = bin_widths({0.05: WIDE, 0.01: NARROW}, ax=axes())
    lines = {bars.get_label(): bars.lines[0].get_xydata() for bars in ax.containers}
    assert lines["Ising"] == pytest.approx(np.array([[10.0, 10.0], [50.0, 4.0]]))
    assert lines["RBM 5"] == pytest.approx(np.array([[10.0, 12.0], [50.0, 4.1]]))
    assert lines["KPairwise"] == pytest.approx(np.array([[50.0, 5.0]]))  # only there compared
    assert [label.get_text() for label in ax.get_xticklabels()] == ["10", "50"]


def test_the_contrast_has_its_interval_and_a_disc_where_it_is_sure():
    ax = bin_widths({0.01: NARROW, 0.05: WIDE}, show="groups", ax=axes())
    for bar, each, face in zip(ax.containers, (NARROW, WIDE), ("#000000", "white"), strict=True):
        point, _, [ends] = bar.lines
        assert float(point.get_ydata()[0]) == pytest.approx(each.groups.bits_per_second)
        [[[_, low], [_, high]]] = ends.get_segments()
        assert (low, high) == pytest.approx(each.groups.interval)
        assert point.get_markerfacecolor() == face


def test_comparisons_without_both_sides_have_no_contrast():
    with pytest.raises(BadInput, match="no comparison has models with groups and without"):
        bin_widths({0.02: compared({"Ising": 1.0})}, show="groups", ax=axes())


@pytest.mark.parametrize("given", [{}, {20.0: NARROW}])
def test_widths_are_in_seconds_and_one_at_least(given):
    with pytest.raises(BadArgument) as refused:
        bin_widths(given, ax=axes())
    assert refused.value.argument == ("bin_width" if given else "comparisons")
