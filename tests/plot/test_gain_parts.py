"""What the gain comes from: bars of a common drive, pairs and groups."""

import pytest
from planted_comparison import compared

from microcolumn.plot import gain_parts

LEVELS = {"Ising": 10.0, "RBM 5": 12.0, "KPairwise": 10.5, "PopulationTracking": 4.0}


def test_bars_are_the_steps_of_the_gain_in_both_orders_one_pair_for_each_recording():
    given = {"monday": compared(LEVELS), "tuesday": compared({"Ising": 8.0, "RBM 5": 9.0})}
    ax = gain_parts(given)
    widths = [bar.get_width() for bar in ax.patches]
    first = [4.0, 6.5, 1.5, 10.0, 0.5, 1.5]  # drive, pairs, groups; pairs, drive, groups
    assert widths == pytest.approx([*first, 8.0, 1.0, 8.0, 1.0])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["monday", "tuesday"]
    assert ax.get_legend_handles_labels()[1] == ["a common drive", "pairs", "groups"]
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    assert [ends[2], ends[5]] == pytest.approx([12.0, 12.0])


def test_a_part_that_adds_nothing_has_a_bar_without_width():
    ax = gain_parts(compared({"Ising": 13.0, "RBM 5": 12.0}))
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([13.0, 0.0] * 2)
