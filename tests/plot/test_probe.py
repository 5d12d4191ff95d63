import numpy as np
import pytest
from matplotlib.figure import Figure

from microcolumn import Units
from microcolumn.plot.shank import probe

DEPTHS = [900.0, 300.0, 400.0, 700.0, np.nan]
LAYERS = ["V/VI", "II/III", "II/III", "$IV$", ""]


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.fixture
def units():
    return Units("abcde", DEPTHS, LAYERS, multiunit=[False, True, False, False, False])


def drawn(ax):
    """Heights of the units by marker."""
    return {
        line.get_marker(): line.get_ydata().tolist()
        for line in ax.lines
        if line.get_marker() != "None"
    }


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_units_are_at_their_depths_with_multiunits_apart(units, ax):
    assert probe(units, ax=ax) is ax
    assert drawn(ax) == {"o": [900.0, 400.0, 700.0], "s": [300.0]}
    assert legend(ax) == ["3 single units", "1 multiunit"]


def test_deeper_is_further_down_whatever_depths_are_measured_from(units):
    from_surface = probe(units, ax=Figure().subplots())
    bottom, top = from_surface.get_ylim()
    assert bottom > 900.0 > 300.0 > top
    assert from_surface.get_ylabel() == "depth below the surface (µm)"
    above_tip = probe(units.measured_from("tip", 1000.0), ax=Figure().subplots())
    bottom, top = above_tip.get_ylim()
    assert bottom < 100.0 < 700.0 < top
    assert above_tip.get_ylabel() == "height above the tip (µm)"


@pytest.mark.parametrize(
    ("units", "rows", "label"),
    [
        (Units("abc", layer=["V", "IV", "V"]), [0, 2, 1], "units by layer, depths unknown"),
        (Units.numbered(3), [0, 1, 2], "units, in the order of the file"),
    ],
)
def test_units_of_unknown_depth_are_in_rows_by_layer_or_in_their_order(units, rows, label, ax):
    probe(units, ax=ax)
    assert ax.get_ylabel() == label
    assert drawn(ax) == {"o": rows}


def test_one_unit_has_a_probe(ax):
    probe(Units("a", [300.0], depth_reference="layer IV"), ax=ax)
    bottom, top = ax.get_ylim()
    assert bottom > 300.0 > top
    ax.figure.draw_without_rendering()
