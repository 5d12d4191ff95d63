"""Bad input to words: one sentence each that says what to do."""

import numpy as np
import pytest

from microcolumn.units import Units
from microcolumn.words import Words


def _words(**arguments):
    return Words.from_array(np.random.default_rng(0).random((40, 3)) < 0.3, **arguments)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"X": [[0, 2]]}, r"X\[0, 1\] is 2; words are binary"),
        (
            {"X": np.zeros((16, 104_000), bool)},
            "16 rows and 104,000 columns, .*transposed.* pass X.T",
        ),
        ({"X": np.zeros((999, 1000), bool)}, "999 rows and 1,000 columns, which looks transposed"),
        ({"X": np.ma.array(np.eye(3), mask=np.eye(3))}, "X has masked entries; fill them or drop"),
        ({"epoch_starts": np.ma.array([0, 2], mask=[0, 1])}, "epoch_starts has masked entries; "),
        ({"sample_weight": np.ma.array(np.ones(4), mask=np.ones(4))}, "sample_weight has masked "),
        ({"bin_width": 0}, "bin_width is 0; it must be a positive number of seconds"),
        ({"bin_width": np.nan}, "bin_width is nan; it must be a positive number"),
        ({"bin_width": 20}, "bin_width is 20, which looks like milliseconds; give seconds, for ex"),
        ({"bin_width": 10.0}, "bin_width is 10.0, which looks like milliseconds; give seconds"),
        ({"units": Units.numbered(3)}, "units has 3 entries but X has 2 columns; pass one unit"),
        ({"epoch_starts": []}, "epoch_starts must be a list of bin numbers that begins with 0"),
        ({"epoch_starts": [0.0]}, "epoch_starts must be a list of bin numbers"),
        ({"epoch_starts": [[0], [1, 2]]}, "epoch_starts must be a list of bin numbers"),
        ({"epoch_starts": [1, 2]}, "epoch_starts begins with 1; the first epoch starts at bin 0"),
        ({"epoch_starts": [0, 2, 2]}, r"epoch_starts\[2\] is 2 after 2; it must increase"),
        ({"epoch_starts": [0, 4]}, "epoch_starts ends with 4 but X has 4 bins; leave out"),
        ({"sample_weight": [1, 1]}, r"sample_weight has shape \(2,\) for 4 bins; it needs one per"),
        ({"sample_weight": list("abcd")}, r"sample_weight cannot be .*'a'\); pass one weight per"),
        ({"sample_weight": "balanced"}, r"sample_weight cannot be .*; pass one weight per bin"),
        (
            {"sample_weight": [[1], [1, 2]]},
            r"sample_weight cannot be read as real numbers \([^.]*\)",
        ),
        ({"sample_weight": [1, -1, 1, 1]}, r"sample_weight\[1\] is -1.0; weights must be finite"),
        ({"sample_weight": [1, 1, np.nan, 1]}, r"sample_weight\[2\] is nan; weights must be"),
        ({"sample_weight": [1, 1, 1, np.inf]}, r"sample_weight\[3\] is inf; weights must be"),
        ({"sample_weight": [0, 0, 0, 0]}, "sample_weight is zero for every bin; give some bin"),
    ],
)
def test_bad_input_is_one_sentence_that_says_what_to_do(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        Words.from_array(**{"X": np.eye(4, 2), **arguments})


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"bin_width": None}, "^bin_width is None; give seconds, for example 0.020$"),
        ({"bin_width": "20ms"}, "^bin_width is '20ms'; give seconds, for example 0.020$"),
        ({"bin_width": True}, "^bin_width is True; give seconds, for example 0.020$"),
        ({"units": ["a", "b"]}, r"^units is \['a', 'b'\]; pass a table, for example Units\(names"),
        ({"units": 2}, "^units is 2; pass a table"),
    ],
)
def test_input_of_the_wrong_type_is_one_sentence_that_says_what_to_do(arguments, sentence):
    with pytest.raises(TypeError, match=sentence):
        Words.from_array(**{"X": np.eye(4, 2), **arguments})


def test_bins_just_short_of_ten_seconds_are_taken_as_seconds():
    assert Words.from_array(np.eye(2), bin_width=9.99).bin_width == 9.99


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (lambda w: w.concatenate([]), "parts is empty; pass at least one part"),
        (
            lambda w: w.concatenate([w, w.embed(2)]),
            "part 1 has words of 2 bins, not of 1; embed",
        ),
        (
            lambda w: w.concatenate([w, w.subset([0])]),
            "part 1 or part 0 has no unit '1'; select",
        ),
        (
            lambda w: w.concatenate([w, Words.from_array(w.expand(), bin_width=0.01)]),
            "part 1 has bins of 10 ms, not of 20 ms; bin all parts alike",
        ),
        (lambda w: w.split(0.0), "fraction is 0.0; it must lie between 0 and 1"),
        (lambda w: w.split(np.nan), "fraction is nan; it must lie between 0 and 1"),
        (lambda w: w.split(0.001), "a part would be empty: 0.001 of 40 bins rounds to 0; use a"),
        (lambda w: w.split(by="halves"), "by is 'halves'; split by 'words' or by 'blocks'"),
        (lambda w: w.split(by=np.arange(2)), r"by is array\(.*; split by 'words' or by 'blocks'"),
        (lambda w: w.split(random_state=-1), "random_state is -1; pass a whole number that is not"),
        (lambda w: w.split(by="words", n_blocks=4), "n_blocks is for splits by blocks; leave it"),
        (lambda w: w.split(by="blocks", n_blocks=1), "n_blocks is 1; it must lie between 2 and"),
        (lambda w: w.split(by="blocks", n_blocks=41), "n_blocks is 41; .* number of bins, 40"),
        (
            lambda w: w.embed(30).split(n_blocks=2),
            "a part would be empty: no window of 30 bins fits into its blocks",
        ),
        (lambda w: w.embed(0), "window is 0; it must be at least 1"),
        (
            lambda w: w.embed(41),
            "window is 41 but the longest epoch has 40 bins; use a shorter one",
        ),
        (lambda w: w.embed(2).embed(2), "these words already span 2 bins; embed single bins"),
        (lambda w: w.subset([]), "positions is empty; pick at least one unit"),
        (
            lambda w: w.subset([0, 3]),
            "positions names position 3; positions of 3 units run from 0 to 2",
        ),
        (
            lambda w: w.subset([-1]),
            "positions names position -1; positions of 3 units run from",
        ),
        (lambda w: w.subset([1, 1]), "positions names position 1 twice; pick each unit once"),
    ],
)
def test_an_impossible_request_is_one_sentence_that_says_what_to_do(request_, sentence):
    with pytest.raises(ValueError, match=sentence):
        request_(_words())


def test_weighted_bins_cannot_be_embedded():
    with pytest.raises(ValueError, match=r"these bins carry weights, .* embed words without"):
        _words(sample_weight=np.full(40, 2.0)).embed(2)


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (lambda w: w.embed(2.5), r"window is 2\.5; pass a whole number"),
        (lambda w: w.embed("a"), "window is 'a'; pass a whole number"),
        (lambda w: w.embed(np.array([2])), r"window is array\(\[2\]\); pass a whole number"),
        (lambda w: w.split("a"), "fraction is 'a'; it must lie between 0 and 1"),
        (lambda w: w.split(None), "fraction is None; it must lie between 0 and 1"),
        (lambda w: w.concatenate([w, w.X]), r"parts\[1\] is a ndarray; pass Words"),
        (lambda w: w.split(random_state="a"), "random_state is 'a'; pass a whole number"),
        (lambda w: w.split(by="blocks", n_blocks="2"), "n_blocks is '2'; pass a whole number"),
        (lambda w: w.subset([True, False, True]), r"positions\[0\] is True; pass a whole number"),
        (lambda w: w.subset(np.ones(3, dtype=bool)), r"positions\[0\] is np\.True_; pass a wh"),
        (lambda w: w.subset([0, 1.5]), r"positions\[1\] is 1\.5; pass a whole number"),
        (lambda w: w.subset(1), "positions is 1; pass a list of positions"),
    ],
)
def test_what_is_not_a_whole_number_is_a_type_error(request_, sentence):
    with pytest.raises(TypeError, match=sentence):
        request_(_words())
