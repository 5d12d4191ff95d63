"""Arcs and groups against the parameters they are drawn from."""

import numpy as np
import pytest
from drawing import draw
from matplotlib.colors import to_hex

import microcolumn as mc
from microcolumn.plot import arcs, groups
from microcolumn.plot.hidden import NEGATIVE, POSITIVE

#: Drawn as b, d, e, a, c.
UNITS = mc.Units("abcde", [500.0, 100.0, 600.0, 200.0, 300.0], ["V", "II", "V", "II", "IV"])
ROWS = {"b": 0, "d": 1, "e": 2, "a": 3, "c": 4}


def ising(couplings, n_bits=5):
    J = np.zeros((n_bits, n_bits))
    for (i, j), value in couplings.items():
        J[i, j] = J[j, i] = value
    return mc.Ising.from_parameters(mc.Parameters(b=np.zeros(n_bits), J=J))


def lines(ax):
    """Ends and colour of each arc, the widest first."""
    [found] = [each for each in ax.collections if hasattr(each, "get_segments")]
    ends = [{round(float(path[end, 1]), 6) for end in (0, -1)} for path in found.get_segments()]
    colours = [to_hex(colour).upper() for colour in found.get_colors()]
    order = np.argsort(-np.asarray(found.get_linewidths()), kind="stable")
    return [(ends[n], colours[n]) for n in order]


def test_arcs_join_the_rows_of_the_strongest_couplings():
    model = ising({(0, 1): -0.5, (2, 3): 0.4, (1, 4): 0.1, (0, 2): 0.01})
    ax = draw(arcs, model, UNITS, most=3)
    expected = [("ab", NEGATIVE), ("cd", POSITIVE), ("be", POSITIVE)]
    assert lines(ax) == [({ROWS[a], ROWS[b]}, colour) for (a, b), colour in expected]
    assert ax.get_title() == "the 3 strongest\nof 4 couplings"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["positive", "negative"]
    assert draw(arcs, model, UNITS).get_title() == "4 couplings"


def test_of_windows_the_strongest_lag_counts():
    model = ising({(0, 1): 0.1, (0, 6): -0.7, (3, 8): 0.3}, n_bits=10)  # 3 and 8 are one unit
    assert lines(draw(arcs, model, UNITS)) == [({ROWS["a"], ROWS["b"]}, NEGATIVE)]


def test_without_a_coupling_there_is_no_arc():
    ax = draw(arcs, ising({}), UNITS)
    assert lines(ax) == []
    assert ax.get_title() == "0 couplings"


@pytest.mark.parametrize("units", [UNITS, None])
def test_groups_are_the_units_with_at_least_a_quarter_of_the_largest_weight(units):
    W = np.array([[4.0, 0.0], [0.9, -2.0], [1.0, 0.0], [-3.0, 8.0], [0.0, 0.1]])
    model = mc.RBM.from_parameters(mc.Parameters(b=np.zeros(5), W=W, c=np.zeros(2)))
    rows = ROWS if units else dict(zip("abcde", range(5), strict=True))
    ax = draw(groups, model, [1, 0], units)
    large = [marks for marks in ax.collections if getattr(marks, "tips", None)]
    for place, (marks, expected) in enumerate(
        zip(large, ({"d": 8.0, "b": -2.0}, {"a": 4.0, "c": 1.0, "d": -3.0}), strict=True)
    ):
        found = {y: weight for (x, y), (*_, weight) in _dots(marks) if x == place}
        assert found == {rows[unit]: weight for unit, weight in expected.items()}
        open_ones = [np.all(face == 1.0) for face in marks.get_facecolors()]
        assert open_ones == [weight < 0.0 for _, (*_, weight) in _dots(marks)]
        biggest = max(marks.get_sizes())
        assert marks.get_sizes() / biggest == pytest.approx(
            [abs(weight) / max(expected.values()) for _, (*_, weight) in _dots(marks)]
        )
    assert [label.get_text() for label in ax.get_xticklabels()] == ["h1", "h0"]


def _dots(marks):
    return list(zip(marks.get_offsets().tolist(), marks.tips.rows, strict=True))


def test_by_default_the_strongest_are_drawn_also_of_five_hundred_units():
    rng = np.random.default_rng(0)
    W = rng.random((500, 6)) * np.array([1.0, 6.0, 3.0, 5.0, 2.0, 4.0])
    model = mc.RBM.from_parameters(mc.Parameters(b=np.zeros(500), W=W, c=np.zeros(6)))
    ax = draw(groups, model)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["h1", "h3", "h5", "h2"]
