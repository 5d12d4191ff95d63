"""What a model is of: units by name, bin width, window, and the span it was trained on."""

import numpy as np
import pytest

from microcolumn.recording import Recording
from microcolumn.units import Units
from microcolumn.words import UnnamedWords, Words
from microcolumn.words_info import WordsInfo, bit_names, ordered

UNITS = Units("abc", depth_um=[300.0, np.nan, 900.0], layer=["II/III", "", "V/VI"])


def _words(window=1, bin_width=0.020, units=UNITS):
    X = np.random.default_rng(0).integers(0, 2, (60, len(units)))
    return Words.from_array(X, bin_width=bin_width, units=units).embed(window)


def test_the_span_is_on_the_recordings_clock():
    recording = Recording(
        [[10.001, 10.045, 30.01], [30.05]], epochs=[[10.0, 10.06], [30.0, 30.1]], units=Units("ab")
    )
    bins = WordsInfo.of(recording.bin(0.020))
    assert (bins.start_s, bins.stop_s, bins.n_bins) == (10.0, pytest.approx(30.1), 8)
    windows = WordsInfo.of(recording.bin(0.020).embed(2))
    assert (windows.start_s, windows.stop_s, windows.n_bins) == (10.0, pytest.approx(30.1), 6)
    later = WordsInfo.of(recording.restrict([[30.0, 30.1]]).bin(0.020))
    assert (later.start_s, later.stop_s) == (30.0, pytest.approx(30.1))


def test_a_plain_array_has_no_origin():
    assert WordsInfo.of(UnnamedWords.from_array([[0, 1], [1, 1]])) is None
    assert WordsInfo.of(UnnamedWords.from_array([[0, 1]] * 3, sample_weight=[1, 0, 1])) is None


def test_a_part_of_words_has_the_origin_of_its_own_units_and_bins():
    first, _ = _words().split(0.5, by="blocks", n_blocks=2, random_state=0)
    assert WordsInfo.of(first).n_bins == first.n_bins
    assert WordsInfo.of(first.subset([2, 0])).units.ids == ("c", "a")


@pytest.mark.parametrize("window", [1, 3])
def test_words_are_put_into_the_order_of_the_units_bin_by_bin(window):
    words = _words(window)
    turned = words.subset([2, 0, 1])
    back = ordered(turned, WordsInfo.of(words))
    assert back.units.ids == words.units.ids
    assert np.array_equal(back.expand(), words.expand())
    assert back.X.flags.c_contiguous
    columns = WordsInfo.of(words).columns_in(turned)
    assert np.array_equal(turned.X[:, columns], back.X)


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (_words(bin_width=0.005), ["20 ms", "5 ms", "0.02 s", "0.005 s"]),
        (_words(window=3), ["words of 1 bins", "not of 3"]),
        (_words(units=Units("axc")), ["'b'", "not in the words"]),
        (_words(units=Units("abcx")), ["'x'"]),
        (_words(units=Units("ac")), ["'b'"]),
    ],
)
def test_other_bins_windows_or_units_are_one_sentence_with_both_sides(words, facts):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        ordered(words, WordsInfo.of(_words()))
    sentence = str(caught.value)
    assert all(fact in sentence for fact in facts), sentence
    assert "; " in sentence
    assert "\n" not in sentence


def test_bits_are_named_by_unit_and_bin_before_the_newest():
    assert bit_names(UNITS, 1) == ("a", "b", "c")
    assert bit_names(UNITS, 3) == tuple(f"{unit}@{k}" for k in (-2, -1, 0) for unit in "abc")
