"""Blocks of time that are drawn anew, for errors of what is no mean (docs/method.md, section 6)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..errors import BadArgument, BadInput
from ..validation import whole_number
from ..words import Words, check_unweighted


def default_block_bins(n_bins: int, window: int) -> int:
    """Length of a block in bins unless asked.

    A hundredth of the words, so that the standard error is good to 6 % and blocks are long enough
    for drifts, at least ten windows, so that neighbours which share bins stay together, and at most
    a fifth of the words.
    """
    wanted = max(math.ceil(n_bins / 100), 10 * window)
    return max(1, min(wanted, n_bins // 5))


def block_bins_of(words: Words, block_bins: int | None) -> int:
    """Length of a block in bins, checked; see :func:`default_block_bins`."""
    if block_bins is None:
        return default_block_bins(words.n_bins, words.window)
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
