import numpy as np
import pytest

from microcolumn import Units
from microcolumn.layers import LayerBoundaries, layer_labels

UNITS = Units(["a", "b", "c"], depth_um=[100.0, 650.0, np.nan])


def test_boundaries_label_depths_and_an_edge_belongs_to_the_next_layer():
    assert layer_labels("II/III 650 IV 1000 V/VI", UNITS) == ("II/III", "IV", "")


def test_layers_are_listed_from_superficial_to_deep_above_the_tip_too():
    units = Units("abc", [100.0, 950.0, 1500.0], depth_reference="tip")
    assert layer_labels("II/III 950 IV 600 V/VI", units) == ("V/VI", "IV", "II/III")
    with pytest.raises(ValueError, match="must decrease from superficial to deep; depths are"):
        layer_labels("II/III 650 IV 1000 V/VI", units)


def test_boundaries_measured_from_elsewhere_are_refused():
    units = Units("ab", [100.0, 1500.0], depth_reference="tip")
    boundaries = LayerBoundaries.parse("II/III 650 IV 1000 V/VI", "surface")
    with pytest.raises(ValueError, match="from 'surface' and units from 'tip'; bring units to the"):
        layer_labels(boundaries, units)
    assert layer_labels(boundaries, units.measured_from("surface", 1600.0)) == ("V/VI", "II/III")


@pytest.mark.parametrize("reference", ["bogus", "unstated"])
def test_boundaries_need_a_reference(reference):
    with pytest.raises(ValueError, match=f"of the boundaries is '{reference}'"):
        LayerBoundaries.parse("a 1 b", reference)


def test_a_mapping_and_a_column_label_units():
    assert layer_labels({"a": "x", "b": "y", "c": "z", "d": "w"}, UNITS) == ("x", "y", "z")
    assert layer_labels("area", UNITS, {"area": ["u", "v", "w"]}) == ("u", "v", "w")
    with pytest.raises(ValueError, match="names no layer for 2 units, such as 'b'"):
        layer_labels({"a": "x"}, UNITS)


def test_boundaries_need_depths_with_a_meaning():
    with pytest.raises(ValueError, match=r"units have none; pass a CSV instead"):
        layer_labels("II/III 650 IV", Units("a"))
    with pytest.raises(ValueError, match=r"it is not stated what depths are measured from"):
        layer_labels("II/III 650 IV", Units("a", [1.0], depth_reference="unstated"))
