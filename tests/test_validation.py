import numpy as np
import pytest

from microcolumn.models import RBM, Ising, SemiRBM
from microcolumn.validation import (
    check_binary,
    check_positions,
    described,
    kind_of,
    random_generator,
    real_array,
    real_number,
    texts,
    whole_number,
)

BITS = [[0, 1, 1], [0, 0, 1]]


@pytest.mark.parametrize(
    "dtype",
    [bool, np.uint8, np.int8, np.int64, np.uint64, np.float16, np.float32, np.float64, object],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_zeros_and_ones_of_any_number_type_become_contiguous_bytes(dtype, order):
    bits = check_binary(np.array(BITS, dtype=dtype, order=order))
    assert bits.dtype == np.uint8
    assert bits.flags.c_contiguous
    assert bits.tolist() == BITS


def test_lists_frames_and_memory_maps_are_read_like_arrays(tmp_path):
    class Frame:
        def __array__(self, dtype=None, copy=None):
            return np.array(BITS, dtype=dtype)

    stored = np.memmap(tmp_path / "bits", dtype=np.uint8, mode="w+", shape=(2, 3))
    stored[:] = BITS
    for X in (BITS, Frame(), stored, np.array(BITS)[::1, :]):
        assert check_binary(X).tolist() == BITS


def test_bytes_and_booleans_are_not_copied():
    for dtype in (np.uint8, bool):
        X = np.array(BITS, dtype=dtype)
        assert np.shares_memory(check_binary(X), X)


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.array(3)])
def test_whole_numbers_of_any_type_become_ints(value):
    number = whole_number("window", value)
    assert type(number) is int
    assert number == 3


@pytest.mark.parametrize("value", [2.5, 2.0, "2", None, True, np.True_, [2], np.array([2])])
def test_what_is_not_a_whole_number_is_a_type_error_with_its_name(value):
    with pytest.raises(TypeError, match=r"^window is .*; pass a whole number$"):
        whole_number("window", value)


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), np.array(0.5), np.inf])
def test_real_numbers_of_any_type_become_floats(value):
    number = real_number("width", value, "give seconds")
    assert type(number) is float
    assert number == value


@pytest.mark.parametrize("value", ["0.5", None, 1j, True, [0.5], np.array([0.5, 1]), 10**400])
def test_what_is_not_a_real_number_is_a_type_error_with_the_remedy(value):
    with pytest.raises(TypeError, match=r"^width is .*; give seconds$"):
        real_number("width", value, "give seconds")


def test_arrays_of_real_numbers_are_copied():
    values = np.array([1.0, 2.0])
    copy = real_array("rates", values, "pass numbers")
    assert copy.tolist() == [1.0, 2.0]
    assert not np.shares_memory(copy, values)


def test_a_mask_of_nothing_is_none():
    assert real_array("rates", np.ma.array([0.5]), "pass numbers").tolist() == [0.5]
    assert np.array_equal(check_binary(np.ma.array(np.eye(2), mask=False)), np.eye(2))


def test_text_may_come_as_bytes_of_utf_8():
    assert texts("ids", np.array([b"a", b"\xc2\xb5"]), "pass names") == ("a", "µ")
    assert texts("ids", ["a", 3], "pass names") == ("a", "3")


def test_a_generator_is_itself_and_a_seed_always_gives_the_same():
    generator = np.random.default_rng(1)
    assert random_generator(generator) is generator
    assert random_generator(7).random() == np.random.default_rng(7).random()


def test_the_first_bad_value_is_found_beyond_the_first_chunk(monkeypatch):
    monkeypatch.setattr("microcolumn.validation._MOST_ELEMENTS", 10)
    with pytest.raises(ValueError, match=r"X\[3, 3\] is 2\.0"):
        check_binary(2.0 * (np.eye(5) > 0) * (np.arange(5) > 2))
    X = np.random.default_rng(0).integers(0, 2, size=(13, 9)).astype(np.float32)
    assert np.array_equal(check_binary(X), X)


def test_positions_are_distinct_whole_numbers_within_their_range():
    assert check_positions("units", (np.int64(2), 0), 3) == [2, 0]


def test_errors_show_short_values_as_they_are_and_name_the_kind_of_others():
    assert described([1, 2]) == "[1, 2]"
    assert described(np.zeros((20, 20))) == "an array"
    assert described("word " * 100) == "a str"
    assert described(-(10**5000)) == "a whole number beyond the range of floats"
    kinds = {RBM(): "an RBM", SemiRBM(): "a SemiRBM", Ising(): "an Ising", RBM: "the class RBM"}
    assert [kind_of(each) for each in kinds] == list(kinds.values())
    assert kind_of(None) == "None"
