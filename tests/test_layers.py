import numpy as np

from microcolumn import Units
from microcolumn.layers import layer_labels

UNITS = Units(["a", "b", "c"], depth_um=[100.0, 650.0, np.nan])


def test_boundaries_label_depths_and_an_edge_belongs_to_the_next_layer():
    assert layer_labels("II/III 650 IV 1000 V/VI", UNITS) == ("II/III", "IV", "")


def test_layers_are_listed_from_superficial_to_deep_above_the_tip_too():
    units = Units("abc", [100.0, 950.0, 1500.0], depth_reference="tip")
    assert layer_labels("II/III 950 IV 600 V/VI", units) == ("V/VI", "IV", "II/III")


def test_a_mapping_and_a_column_label_units():
    assert layer_labels({"a": "x", "b": "y", "c": "z", "d": "w"}, UNITS) == ("x", "y", "z")
    assert layer_labels("area", UNITS, {"area": ["u", "v", "w"]}) == ("u", "v", "w")
