"""Blocks of time that are drawn anew, for errors of what is no mean (docs/method.md, section 6)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..errors import BadArgument, BadInput
from ..validation import Floats, whole_number
from ..words import Words, check_unweighted


def block_bins_of(words: Words, block_bins: int | None) -> int:
    """Length of a block in bins, checked.

    Unless asked, a hundredth of the words, so that the standard error is good to 6 % and blocks are
    long enough for drifts, at least ten windows, so that neighbours which share bins stay together,
    and at most a fifth of the words.
    """
    if block_bins is None:
        wanted = max(math.ceil(words.n_bins / 100), 10 * words.window)
        return max(1, min(wanted, words.n_bins // 5))
    length = whole_number("block_bins", block_bins)
    if not 1 <= length <= words.n_bins // 2:
        raise BadArgument(
            "block_bins",
            f"is {length} for {words.n_bins} words",
            "blocks must hold at least 1 word and at most half of them",
        )
    return length


def counted_blocks(words: Words, block_bins: int | None) -> NDArray[np.int64]:
    """Block of each bin of words that are counted one by one, shape (n_bins,).

    A short rest at the end goes to the last full block.
    """
    check_unweighted(words)
    if words.n_bins < 10:
        raise BadInput(f"there are {words.n_bins} words", "pass at least 10 for blocks of them")
    return time_blocks(words.n_bins, block_bins_of(words, block_bins))


def time_blocks(n_bins: int, length: int) -> NDArray[np.int64]:
    """Block of each bin, shape (n_bins,); a short rest at the end goes to the last full block."""
    return np.minimum(np.arange(n_bins) // length, max(n_bins // length, 1) - 1)


def block_table(
    index: NDArray[np.integer[Any]],
    block: NDArray[np.integer[Any]],
    n_distinct: int,
    weights: Floats | None = None,
) -> sparse.csr_array:
    """How often each distinct word ``index`` (n_words,) occurs in each block (n_words,)."""
    times = np.ones(index.size) if weights is None else weights
    return sparse.csr_array((times, (block, index)), shape=(int(block[-1]) + 1, n_distinct))
