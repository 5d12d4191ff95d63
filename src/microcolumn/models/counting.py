"""What alternatives count in words: how often each came, and what was before it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..packing import unique_rows
from ..validation import Bits, Floats
from ..words import Words


def scaled_counts(words: Words) -> Floats:
    """Counts of distinct words that add up to the number of bins or more, shape (n_distinct,).

    Whole weights count as that many bins. Weights that add up to less than the number of bins are
    relative; they are scaled to it, so that pseudo-counts mean the same beside them.
    """
    return words.counts * max(1.0, words.n_bins / float(words.counts.sum()))


def distinct_pasts(words: Words) -> tuple[Bits, NDArray[np.int32]]:
    """Distinct words without their newest bin, and which of them each word has."""
    if words.window == 1:
        return words.X[:1, :0], np.zeros(len(words), dtype=np.int32)
    return unique_rows(np.ascontiguousarray(words.X[:, : -words.n_units]))
