"""How often alternatives count each word."""

from __future__ import annotations

from ..validation import Floats
from ..words import Words


def scaled_counts(words: Words) -> Floats:
    """Counts of distinct words that add up to the number of bins or more, shape (n_distinct,).

    Whole weights count as that many bins. Weights that add up to less than the number of bins are
    relative; they are scaled to it, so that pseudo-counts mean the same beside them.
    """
    return words.counts * max(1.0, words.n_bins / float(words.counts.sum()))
