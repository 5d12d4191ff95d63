"""Permutations of labels over units: all of them if they are few, else random ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation import chunks, whole_number

Codes = NDArray[np.integer[Any]]


def relabelled(
    codes: Codes, n_permutations: int, rng: np.random.Generator, width: int
) -> tuple[int, bool, Iterator[Codes]]:
    """Number of other arrangements of labels, whether these are all, and the arrangements.

    All are made if there are at most ``n_permutations``, else so many random ones. ``codes``
    (n_units,) are the given labels, numbered from 0. Arrangements come in chunks of rows; ``width``
    is the number of elements that the caller needs per arrangement.
    """
    n_wanted = whole_number("n_permutations", n_permutations, least=1)
    n_same = math.prod(map(math.factorial, np.bincount(codes).tolist()))
    n_others = math.factorial(codes.size) // n_same - 1
    if n_others <= n_wanted:
        others = _other_arrangements(codes)
        return n_others, True, (others[part] for part in chunks(n_others, width))
    sizes = [part.stop - part.start for part in chunks(n_wanted, width)]
    return n_wanted, False, (rng.permuted(np.tile(codes, (n, 1)), axis=1) for n in sizes)


def _other_arrangements(codes: Codes) -> Codes:
    """Every distinct arrangement of the labels except the given one, built unit by unit."""
    rows = np.zeros((1, 0), dtype=codes.dtype)
    for n in range(codes.size):
        room = [(rows == k).sum(axis=1) < size for k, size in enumerate(np.bincount(codes))]
        rows = np.concatenate([np.insert(rows[r], n, k, axis=1) for k, r in enumerate(room)])
    others: Codes = rows[(rows != codes).any(axis=1)]
    return others
