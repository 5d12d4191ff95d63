"""What rivals count in words: how often units are active, alone and together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..kernels.loops.pair_counts import add_pairs, mirror
from ..kernels.loops.threads import threads_for
from ..packing import unique_rows
from ..validation import Bits, Floats, chunks
from ..words import Words

#: Words whose columns are packed at a time; those of 1,000 units then fit near memory.
_WORDS_AT_ONCE = 1 << 13


def scaled_counts(words: Words) -> Floats:
    """Counts of distinct words that add up to the number of bins or more, shape (n_distinct,).

    Whole weights count as that many bins. Weights that add up to less than the number of bins are
    relative; they are scaled to it, so that pseudo-counts mean the same beside them.
    """
    return words.counts * max(1.0, words.n_bins / float(words.counts.sum()))


def counted_pairs(words: Words) -> Floats:
    """Words in which both of two units are active, shape (n_dims, n_dims).

    The diagonal holds the words in which each unit is active. The matrix takes 800 MB for 10,000
    units, more than anything else here.
    """
    counts, n_units = scaled_counts(words), words.n_dims
    pairs = np.zeros((n_units, n_units))
    whole = counts.astype(np.int64)
    if not np.array_equal(whole, counts):
        for part in chunks(len(words), n_units):
            x = words.X[part].astype(np.float64)
            pairs += x.T @ (counts[part, None] * x)
        return pairs
    # Words that occur an odd number of times, then those whose count has the next binary digit.
    for digit in range(int(whole.max()).bit_length()):
        rows = np.flatnonzero(whole >> digit & 1)
        for start in range(0, rows.size, _WORDS_AT_ONCE):
            columns = _columns(words.X[rows[start : start + _WORDS_AT_ONCE]])
            with threads_for(0.1 * n_units * columns.size):
                add_pairs(columns, float(1 << digit), pairs)
    mirror(pairs)
    return pairs


def distinct_pasts(words: Words) -> tuple[Bits, NDArray[np.int32]]:
    """Distinct words without their newest bin, and which of them each word has."""
    if words.window == 1:
        return words.X[:1, :0], np.zeros(len(words), dtype=np.int32)
    return unique_rows(np.ascontiguousarray(words.X[:, : -words.n_units]))


def _columns(X: Bits) -> NDArray[np.uint64]:
    """Columns of words, 64 words in an integer, shape (n_units, n_integers)."""
    octets = np.packbits(X, axis=0)
    padded = np.zeros((X.shape[1], 8 * -(-octets.shape[0] // 8)), dtype=np.uint8)
    padded[:, : octets.shape[0]] = octets.T
    return padded.view(np.uint64)
