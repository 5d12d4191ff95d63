"""A lower bound of log Z that nothing can talk away: the sum over words that are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..energy import log_weight
from ..packing import unique_rows
from ..parameters import Parameters
from ..validation import Bits

#: Words with two units flipped are added around a peak in models of at most so many units.
_MOST_UNITS_OF_PAIRS = 200


class LowerBound(NamedTuple):
    """Log of the sum of p~ over distinct words (nats), and what they are."""

    value: float
    n_words: int
    heaviest: Bits  # the word with the largest p~, shape (n_units,)


def lower_bound(theta: Parameters, words: Sequence[Bits], peaks: Bits) -> LowerBound:
    """Sum over the given words, the peaks of modes, and all words one or two flips away from them.

    ``words`` are arrays (n_words, n_units) of which repetitions count once, ``peaks`` (n_modes,
    n_units) the most probable words of the modes.
    """
    distinct, _ = unique_rows(np.concatenate([*words, *map(_neighbours, peaks)]))
    logs = log_weight(theta, distinct)
    value = float(np.logaddexp.reduce(logs))
    return LowerBound(value, len(distinct), distinct[np.argmax(logs)])


def _neighbours(peak: Bits) -> Bits:
    """A word and those that differ from it in one unit, or two where there are few units."""
    n = peak.size
    flips = [np.zeros((1, n), dtype=np.uint8), np.eye(n, dtype=np.uint8)]
    if n <= _MOST_UNITS_OF_PAIRS:
        first, second = np.triu_indices(n, 1)
        pairs = np.zeros((first.size, n), dtype=np.uint8)
        pairs[np.arange(first.size), first] = pairs[np.arange(first.size), second] = 1
        flips.append(pairs)
    return np.concatenate(flips) ^ peak
