"""All states of a few units, and tables over them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..validation import Floats


def states(n_units: int, numbers: NDArray[np.int64] | None = None) -> Floats:
    """Binary states as rows of floats, unit k being bit k of a state's number.

    All 2^n_units states in order, or those with the given numbers.
    """
    if numbers is None:
        numbers = np.arange(1 << n_units, dtype=np.int64)
    return ((numbers[:, None] >> np.arange(n_units, dtype=np.int64)) & 1).astype(np.float64)


@lru_cache(maxsize=16)
def all_states(n_units: int) -> Floats:
    """All states of a few units, as :func:`states`, kept for the next evaluation; read-only."""
    kept = states(n_units)
    kept.flags.writeable = False
    return kept


def sums_over_states(rows: Floats) -> Floats:
    """Sum of the rows (n_units, ...) of the active units, for all states in order, by doubling."""
    table = np.zeros((1 << rows.shape[0], *rows.shape[1:]))
    for k, row in enumerate(rows):
        np.add(table[: 1 << k], row, out=table[1 << k : 2 << k])
    return table


def sum_over_sets(values: Floats, supersets: bool) -> None:
    """Replace ``values`` (2^n_units,) by sums over all subsets, or supersets, of each state.

    A state is the set of its active units (Yates 1937). A function of states that is a sum of
    products of bits has one coefficient per set, and its values are the sums over subsets. The
    probability that all units of a set are active is the sum over supersets.
    """
    for k in range(values.size.bit_length() - 1):
        without, with_unit = values.reshape(-1, 2, 1 << k).swapaxes(0, 1)
        if supersets:
            without += with_unit
        else:
            with_unit += without


def pairwise_log_weights(b: Floats, J: Floats, X: Floats | None = None) -> Floats:
    """Find b'x + x'Jx of the states in the rows of ``X``, nats; of all states in order without."""
    X = all_states(b.size) if X is None else X
    return X @ b + np.einsum("xn,xn->x", X @ J, X)
