"""Labels dealt to units in other ways: every way where there are few, else at random."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..validation import whole_number

Codes = NDArray[np.integer[Any]]


def relabelled(
    codes: Codes, n_permutations: int, rng: np.random.Generator, step: int
) -> tuple[int, bool, Iterator[Codes]]:
    """Other arrangements of the labels, all of them where these are few, else random ones.

    Parameters
    ----------
    codes : ndarray of int, shape (n_units,)
        The given labels, counted from 0.
    n_permutations : int
        Most arrangements to make.
    rng : numpy.random.Generator
        Source of random ones.
    step : int
        Arrangements made at a time.

    Returns
    -------
    n_arrangements : int
        How many there are.
    exact : bool
        Whether these are all but the given one.
    chunks : iterator of ndarray, shape (at most step, n_units)
        The arrangements.
    """
    n_wanted = whole_number("n_permutations", n_permutations)
    if n_wanted < 1:
        raise ValueError(f"n_permutations is {n_wanted}; a p-value needs at least 1")
    sizes = np.bincount(codes).tolist()
    n_others = math.factorial(codes.size) // math.prod(map(math.factorial, sizes)) - 1
    if n_others <= n_wanted:
        others = _other_arrangements(codes)
        return n_others, True, (others[k : k + step] for k in range(0, n_others, step))
    n_rows = (min(step, n_wanted - k) for k in range(0, n_wanted, step))
    return n_wanted, False, (rng.permuted(np.tile(codes, (n, 1)), axis=1) for n in n_rows)


def _other_arrangements(codes: Codes) -> Codes:
    """Every distinct arrangement of the labels but the given one, grown unit by unit."""
    rows = np.zeros((1, 0), dtype=codes.dtype)
    for n in range(codes.size):
        room = [(rows == k).sum(axis=1) < size for k, size in enumerate(np.bincount(codes))]
        rows = np.concatenate([np.insert(rows[r], n, k, axis=1) for k, r in enumerate(room)])
    others: Codes = rows[(rows != codes).any(axis=1)]
    return others
