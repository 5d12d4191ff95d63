"""What rivals count in words: how often units are active, alone and together."""

from __future__ import annotations

import numpy as np

from ..kernels.cpu.pair_counts import list_active, list_members, pair_counts
from ..kernels.cpu.threads import threads_for
from ..validation import Floats
from ..words import Words


def scaled_counts(words: Words) -> Floats:
    """Counts of distinct words that add up to the number of bins or more, shape (n_distinct,).

    Whole weights count as that many bins. Weights that add up to less than the number of bins are
    relative; they are scaled to it, so that pseudo-counts mean the same beside them.
    """
    counts: Floats = words.counts * max(1.0, words.n_bins / float(words.counts.sum()))
    return counts


def counted_pairs(words: Words) -> Floats:
    """Words in which both of two units are active, shape (n_dims, n_dims).

    The diagonal holds the words in which each unit is active. The matrix takes 800 MB for 10,000
    units, more than anything else here.
    """
    n_units = words.n_dims
    n_active = words.X.sum(axis=1, dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(n_active)])
    active = np.empty(offsets[-1], dtype=np.int32)
    with threads_for(float(words.X.size)):
        list_active(words.X, offsets, active)
    starts = np.concatenate([[0], np.cumsum(np.bincount(active, minlength=n_units))])
    members = np.empty(active.size, dtype=np.int32)
    list_members(offsets, active, starts, members)
    pairs = np.empty((n_units, n_units))
    with threads_for(float((n_active**2).sum())):
        pair_counts(offsets, active, starts, members, scaled_counts(words), pairs)
    return pairs
