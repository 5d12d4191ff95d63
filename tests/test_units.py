import numpy as np
import pytest

from microcolumn.errors import BadArgument, BadInput
from microcolumn.units import Units, labels_from_the_top


def test_names_and_labels_may_be_bytes_as_hdf5_files_hold_them():
    units = Units(np.array([b"a", b"b"]), layer=[b"IV", b"V"])
    assert (units.ids, units.layer) == (("a", "b"), ("IV", "V"))


def test_what_is_known_of_units_stays_with_them_in_any_order():
    where = {"layer": ["II/III", "IV", "V/VI"], "area": ["VISp", "CA1", ""]}
    units = Units("abc", [1.0, 2.0, 3.0], **where, probe=["A", "A", "B"])
    for kept in (units.with_layers("xyz"), units.measured_from("tip", 9.0)):
        assert (kept.area, kept.probe) == (("VISp", "CA1", ""), ("A", "A", "B"))
    taken = units.take([2, 0])
    assert (taken.ids, taken.depth_um.tolist()) == (("c", "a"), [3.0, 1.0])
    assert (taken.layer, taken.area) == (("V/VI", "II/III"), ("", "VISp"))
    assert taken.probe == ("B", "A")


def test_depths_are_a_copy_that_cannot_be_changed():
    depths = np.array([1.0, 2.0])
    units = Units("ab", depth_um=depths)
    depths[0] = 7.0
    assert units.depth_um.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        units.depth_um[0] = 7.0


def test_units_called_mua_are_multiunits_unless_told_otherwise():
    assert Units("ab").multiunit.tolist() == [False, False]
    assert Units("a", quality=["MUA"]).multiunit.tolist() == [True]
    assert Units("ab", quality=["good", "mua"]).multiunit.tolist() == [False, True]
    told = Units("ab", quality=["good", "mua"], multiunit=[True, False])
    assert told.take([1, 0]).multiunit.tolist() == [False, True]
    assert told.take([1, 0]).quality == ("mua", "good")


def test_depths_move_to_another_reference_and_back():
    below_surface = Units("abc", depth_um=[100.0, 900.0, np.nan])
    assert below_surface.depth_reference == "surface"
    above_tip = below_surface.measured_from("tip", 1600.0)
    np.testing.assert_array_equal(above_tip.depth_um, [1500.0, 700.0, np.nan])
    np.testing.assert_array_equal(
        above_tip.measured_from("surface", 1600.0).depth_um, below_surface.depth_um
    )
    below_iv = above_tip.measured_from("layer IV", 800.0)
    np.testing.assert_array_equal(below_iv.depth_um, [-700.0, 100.0, np.nan])


def test_layers_are_listed_from_the_surface_down():
    labels = ["V/VI", "", "II/III", "V/VI", "?"]
    depths = [900.0, 10.0, 300.0, 1100.0, np.nan]
    assert labels_from_the_top(Units("abcde", depths, labels)) == ["II/III", "V/VI", "?", ""]
    above = Units("abcde", depths, labels, depth_reference="tip")
    assert labels_from_the_top(above) == ["V/VI", "II/III", "?", ""]
    assert labels_from_the_top(Units("abcde", None, labels)) == ["V/VI", "II/III", "?", ""]
    assert labels_from_the_top(Units("a")) == []


CELLS = {"cell_type": ["e", "i", "e", ""], "shank": ["1", "1", "2", "2"]}


def test_further_labels_are_columns_and_follow_their_units():
    units = Units("abcd", labels=CELLS, group_by=["cell_type", "shank"])
    assert units.columns["cell_type"] == ("e", "i", "e", "")
    assert units.to_rows()[1] == {
        "id": "b",
        "multiunit": False,
        "cell_type": "i",
        "shank": "1",
    }
    taken = units.take([2, 0])
    assert (taken.label(), taken.label("shank")) == (("e", "e"), ("2", "1"))
    assert taken.group_by == ("cell_type", "shank")


def test_units_are_grouped_by_layer_unless_stated_otherwise():
    units = Units("abcd", layer=["II", "IV", "IV", "V"], labels=CELLS)
    assert (units.label(), units.label_name) == (("II", "IV", "IV", "V"), "layer")
    grouped = units.grouped_by("cell_type")
    assert (grouped.label(), grouped.label_name) == (("e", "i", "e", ""), "cell type")
    assert grouped.layer == units.layer
    assert Units("ab").label() is None


def test_areas_probes_and_qualities_are_labels_too():
    units = Units("ab", area=["VISp", "VISl"], probe=["A", "B"], quality=["good", "mua"])
    assert units.grouped_by("area").label() == ("VISp", "VISl")
    assert units.label("probe") == ("A", "B")
    assert units.label("quality") == ("good", "mua")


def test_labels_that_are_not_there_are_refused_by_name():
    for group_by in ("colour", "area", []):
        with pytest.raises(BadArgument) as caught:
            Units("abcd", labels=CELLS, group_by=group_by)
        assert caught.value.argument == "group_by"
    with pytest.raises(BadArgument, match="cell_type, shank"):
        Units("abcd", labels=CELLS).grouped_by("cell type")


def test_further_labels_need_names_and_lengths_of_their_own():
    for labels in ({"layer": "abcd"}, {"depth_um": "abcd"}, {3: "abcd"}):
        with pytest.raises(BadArgument, match="name of its own"):
            Units("abcd", labels=labels)
    with pytest.raises(BadArgument, match="2 labels for 4 units"):
        Units("abcd", labels={"cell_type": "ei"})
    with pytest.raises(TypeError, match="labels"):
        Units("abcd", labels=["e", "i", "e", "i"])


def test_units_are_matched_by_the_cells_that_one_unit_of_each_table_stands_for():
    first = Units(["a", "b", "c", "d", "e"], global_id=["1", "2", "3", "3", ""])
    second = Units(["w", "x", "y", "z"], global_id=["2", "1", "3", ""])
    assert first.matched(second) == {"a": "x", "b": "w"}
    assert second.matched(first) == {"w": "b", "x": "a"}
    assert first.take([1]).matched(second) == {"b": "w"}


def test_units_without_names_of_cells_cannot_be_matched():
    named, nameless = Units(["a"], global_id=["1"]), Units(["a"])
    for first, second in ((named, nameless), (nameless, named)):
        with pytest.raises(BadInput, match="no global_id"):
            first.matched(second)
