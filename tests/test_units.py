import numpy as np
import pytest

from microcolumn.units import Units, layers_from_the_top


def test_names_and_labels_may_be_bytes_as_hdf5_files_hold_them():
    units = Units(np.array([b"a", b"b"]), layer=[b"IV", b"V"])
    assert (units.ids, units.layer) == (("a", "b"), ("IV", "V"))


def test_taking_units_keeps_depth_and_layer_in_the_asked_order():
    units = Units("abc", depth_um=[100, 500, 900], layer=["II/III", "IV", "V/VI"])
    taken = units.take([2, 0])
    assert taken.ids == ("c", "a")
    assert taken.depth_um.tolist() == [900.0, 100.0]
    assert taken.layer == ("V/VI", "II/III")


def test_areas_and_probes_stay_with_their_units():
    units = Units("abc", [1.0, 2.0, 3.0], area=["VISp", "CA1", ""], probe=["A", "A", "B"])
    for kept in (units.with_layers("xyz"), units.measured_from("tip", 9.0)):
        assert (kept.area, kept.probe) == (("VISp", "CA1", ""), ("A", "A", "B"))
    taken = units.take([2, 0])
    assert (taken.area, taken.probe) == (("", "VISp"), ("B", "A"))
    with pytest.raises(ValueError, match="area has 1 labels for 3 units; it needs one per unit"):
        Units("abc", area=["VISp"])


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


def test_depths_without_a_meaning_are_not_moved():
    for units in (Units("a"), Units("a", [5.0], depth_reference="unstated")):
        with pytest.raises(ValueError, match="no depths with a stated reference; state"):
            units.measured_from("surface", 0.0)
    with pytest.raises(ValueError, match="of the new depths is 'unstated'"):
        Units("a", [5.0]).measured_from("unstated", 0.0)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"ids": []}, "ids is empty; a table needs at least one unit"),
        ({"ids": ["a", "b", "a"]}, r"ids\[0\] and ids\[2\] are both 'a'; give each unit its own"),
        ({"ids": "ab", "depth_um": [1.0]}, r"depth_um has shape \(1,\) for 2 units; it needs one"),
        ({"ids": "ab", "depth_um": [[1.0, 2.0]]}, r"depth_um has shape \(1, 2\) for 2 units"),
        ({"ids": "ab", "depth_um": [1.0, np.inf]}, r"depth_um\[1\] is inf; depths must be finite"),
        (
            {"ids": "a", "depth_um": [1.0], "depth_reference": "brain"},
            "depth_reference is 'brain'; choose",
        ),
        ({"ids": "ab", "quality": ["good"]}, "quality has 1 labels for 2 units; it needs one per"),
        ({"ids": "ab", "multiunit": [0.5, 1]}, "multiunit has shape .* it needs True or False"),
        (
            {"ids": "a", "multiunit": np.ma.array([True], mask=[True])},
            "multiunit has masked entries; fill them or drop them first",
        ),
        ({"ids": "ab", "layer": ["IV"]}, "layer has 1 labels for 2 units; it needs one per unit"),
    ],
)
def test_a_bad_table_is_one_sentence_that_says_what_to_do(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        Units(**arguments)


@pytest.mark.parametrize(
    ("request_", "kind", "sentence"),
    [
        (lambda: Units(3), TypeError, "^ids is 3; pass one name per unit$"),
        (lambda: Units("ab", layer=4), TypeError, "^layer is 4; pass one label per unit$"),
        (lambda: Units("ab", depth_um=["x", "y"]), ValueError, r"^depth_um .*; pass one depth in"),
        (lambda: Units.numbered(2.5), TypeError, "^n_units is 2.5; pass a whole number$"),
        (lambda: Units("ab").take(1), TypeError, "^positions is 1; pass a list of positions"),
        (lambda: Units("ab").take([0, 1.5]), TypeError, r"^positions\[1\] is 1.5; pass a whole"),
        (
            lambda: Units("ab").take([2]),
            ValueError,
            r"^positions names position 2; .* run from 0 to 1$",
        ),
    ],
)
def test_a_table_of_units_refuses_wrong_types_in_one_sentence(request_, kind, sentence):
    with pytest.raises(kind, match=sentence):
        request_()


def test_layers_are_listed_from_the_surface_down():
    labels = ["V/VI", "", "II/III", "V/VI", "?"]
    depths = [900.0, 10.0, 300.0, 1100.0, np.nan]
    assert layers_from_the_top(Units("abcde", depths, labels)) == ["II/III", "V/VI", "?", ""]
    above = Units("abcde", depths, labels, depth_reference="tip")
    assert layers_from_the_top(above) == ["V/VI", "II/III", "?", ""]
    assert layers_from_the_top(Units("abcde", None, labels)) == ["V/VI", "II/III", "?", ""]
    assert layers_from_the_top(Units("a")) == []
