import numpy as np
import pytest

from microcolumn.io._session import Session, to_recording

IDS, TRAINS = ["a", "b"], [[0.1, 0.5], [0.2]]


def made(columns, depth_reference=None, file_reference=None):
    session = Session(IDS, TRAINS, columns, depth_reference=file_reference)
    return to_recording(session, source="a test", depth_reference=depth_reference)


def test_columns_are_found_by_name_in_any_case():
    columns = {"Depth": ["100", 5.5], "LAYER": ["IV", None], "KSLabel": ["good", "mua"]}
    units = made(columns, "tip").units
    assert units.depth_um.tolist() == [100.0, 5.5]
    assert units.layer == ("IV", "")
    assert units.quality == ("good", "mua")
    assert units.multiunit.tolist() == [False, True]


def test_depths_that_are_no_numbers_are_unknown():
    units = made({"depth": [80.0, "deep"]}, "surface").units
    np.testing.assert_array_equal(units.depth_um, [80.0, np.nan])


@pytest.mark.parametrize("depths", [[0, 0], [np.nan, None], ["", "x"], [np.inf, 0.0]])
def test_a_column_that_says_nothing_needs_no_reference(depths):
    assert made({"depth": depths}).units.depth_um is None


def test_what_the_file_states_needs_no_word_and_allows_no_other():
    columns = {"depth_um": [1.0, 2.0]}
    for said in (None, "unstated", "tip"):
        assert made(columns, said, file_reference="tip").units.depth_reference == "tip"
    with pytest.raises(ValueError, match="'surface' but the file states 'tip'; leave it out"):
        made(columns, "surface", file_reference="tip")


def test_a_column_of_another_length_is_one_sentence():
    with pytest.raises(ValueError, match=r"^column 'layer' has 3 entries for 2 units; export"):
        made({"layer": ["x", "y", "z"]})


def test_no_units_is_one_sentence():
    with pytest.raises(ValueError, match=r"^there is no unit in it; check that spikes were sorted"):
        to_recording(Session([], []), source="a test")
