"""How long blocks of time are that are drawn anew."""

import numpy as np
import pytest

from microcolumn.evaluate.bootstrap import block_bins_of
from microcolumn.words import Words


@pytest.mark.parametrize(
    ("n_bins", "window", "expected"),
    [(1, 1, 1), (4, 1, 1), (40, 1, 8), (500, 1, 10), (20_000, 1, 200), (5009, 10, 100)],
)
def test_default_blocks_are_a_hundredth_but_ten_words_long_and_at_least_five(
    n_bins, window, expected
):
    words = Words.from_array(np.zeros((n_bins, 1)))
    if window > 1:
        words = words.embed(window)
    assert block_bins_of(words, None) == expected
