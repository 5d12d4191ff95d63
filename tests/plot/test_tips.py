"""Points of a plot know what they stand for."""

import pytest
from matplotlib.figure import Figure

from microcolumn.plot._tips import tip, tips_of


@pytest.fixture
def ax():
    return Figure().add_subplot()


def test_a_row_for_each_point_of_a_line_a_scatter_and_error_bars(ax):
    [line] = ax.plot([1, 2], [3, 4])
    dots = ax.scatter([1, 2], [3, 4])
    bars = ax.errorbar([1, 2], [3, 4], [0.1, 0.2])
    for artist, marks in ((line, line), (dots, dots), (bars, bars[0])):
        tip(artist, {"unit": ["u1", "u2"], "model": "Ising"})
        assert tips_of(marks) == (("unit", "model"), [("u1", "Ising"), ("u2", "Ising")])


def test_each_bar_has_its_own_row(ax):
    bars = ax.bar([0, 1], [2.0, 3.0])
    tip(bars, {"bits/s": [2.0, 3.0]})
    assert [tips_of(patch).rows for patch in bars.patches] == [[(2.0,)], [(3.0,)]]
