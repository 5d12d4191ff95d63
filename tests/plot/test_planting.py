"""Planted groups and hidden units: every unit has one mark, in its row and by its kind."""

from drawing import draw

from microcolumn.evaluate import PlantedGroup
from microcolumn.plot import planted
from microcolumn.plot.tips import tips_of
from microcolumn.units import Units

#: From the bottom up, so that rows are not positions.
UNITS = Units("edcba", [500.0, 400.0, 300.0, 200.0, 100.0], ["V", "V", "IV", "II", "II"])
ROWS = "abcde"
GROUPS = [PlantedGroup("II", ("a", "b"), "h3", ("b", "c")), PlantedGroup("V", ("d", "e"), "", ())]


def marks(ax):
    """Side, group and unit of each mark by how it looks: marker, and whether it is filled."""
    middle = sum(ax.get_xlim()) / 2
    found = {}
    for line in filter(tips_of, ax.lines):
        for (group, _, unit), x, y in zip(tips_of(line).rows, *line.get_data(), strict=True):
            assert ROWS[round(y)] == unit
            look = line.get_marker() + " open" * (line.get_markerfacecolor() == "white")
            found.setdefault(look, set()).add((x > middle, group, unit))
    return found


def test_planted_units_on_the_left_and_right_missed_and_wrong_ones_on_the_right():
    ax = draw(planted, GROUPS, UNITS)
    left = {(False, group.name, unit) for group in GROUPS for unit in group.units}
    assert marks(ax) == {
        "o": left | {(True, "II", "b")},
        "o open": {(True, "II", "a"), (True, "V", "d"), (True, "V", "e")},
        "X": {(True, "II", "c")},
    }
    assert [t.get_text() for t in ax.get_xticklabels()] == ["II", "V", "h3\n1/2", "none\n0/2"]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["right", "missed", "wrong"]


def test_marks_that_nothing_has_are_not_explained():
    ax = draw(planted, [PlantedGroup("II", ("a", "b"), "h3", ("a", "b"))], UNITS, color="red")
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["right"]
    assert {line.get_color() for line in ax.lines if tips_of(line)} == {"red"}
