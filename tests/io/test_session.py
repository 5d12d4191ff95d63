import numpy as np
import pytest

from microcolumn.epochs import Epochs
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


LONG = "x" * 201


@pytest.mark.parametrize(
    ("place", "session"),
    [
        ("unit", Session([LONG, "b"], TRAINS)),
        ("layer", Session(IDS, TRAINS, {"layer": [LONG, "b"]})),
        ("area", Session(IDS, TRAINS, {"location": [LONG, "VISp4"]})),
        ("area", Session(IDS, TRAINS, {"area": [LONG, "b"]})),
        ("probe", Session(IDS, TRAINS, {"probe": [LONG, "b"]})),
        ("quality", Session(IDS, TRAINS, {"quality": [LONG, "b"]})),
        ("quality", Session(IDS, TRAINS, {"KSLabel": [LONG, "b"]})),
        ("epochs", Session(IDS, TRAINS, epochs=Epochs([[0, 1]], [LONG]))),
        ("intervals", Session(IDS, TRAINS, intervals={LONG: Epochs([[0, 1]])})),
        ("trials", Session(IDS, TRAINS, intervals={"trials": Epochs([[0, 1]], [LONG])})),
    ],
)
def test_text_that_is_too_long_for_a_name_is_refused_with_its_column(place, session):
    sentence = (
        rf"^'{place}' holds '\w+' and so on, 20\d characters; names have 200 at most: shorten"
    )
    with pytest.raises(ValueError, match=sentence):
        to_recording(session, source="a test")


def test_long_text_is_no_matter_where_it_is_not_kept():
    assert made({"comments": [LONG * 1000, ""]}).units.columns == {"unit": ("a", "b")}


def test_a_note_is_shortened():
    session = Session(IDS, TRAINS, notes=(f"not read: {LONG * 1000}; save it again",))
    (note, *_) = to_recording(session, source="a test").notes
    assert len(note) == 600
    assert note.startswith("not read: x")
    assert note.endswith("x; save it again")


def test_labels_may_be_bytes():
    columns = {"layer": [b"IV", "V"], "quality": [b"good", b"mua"]}
    session = Session(IDS, TRAINS, columns, epochs=Epochs([[0, 1]], [b"rest"]))
    recording = to_recording(session, source="a test")
    assert recording.units.columns == {
        "unit": ("a", "b"),
        "layer": ("IV", "V"),
        "quality": ("good", "mua"),
    }
    assert recording.epochs.labels == ("rest",)
