"""Which hidden units of a fit come back in other fits, against chance (docs/method.md, section 8).

Hidden units have no names, so they are paired one to one by their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ..parameters import Parameters
from ..validation import Floats

#: Smallest cosine of two hidden units that are the same: half of their squares in common.
SAME = 0.7071
#: Largest share of permuted hidden units that match as well as one that recurs.
LEVEL = 0.05
#: Permutations of the units for each other fit.
_PERMUTATIONS = 999
#: Cosines that differ by less are ties, up to rounding.
_TIE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Recurrence:
    """How well each hidden unit of a fit is matched in each other fit, (n_others, n_hidden)."""

    similarity: Floats  # cosine with the hidden unit that it is paired with, 0 where there is none
    # Share of permutations of its weights over units with as large a cosine with any hidden unit
    # of the other fit.
    p_value: Floats
    partner: NDArray[np.intp]  # hidden unit of the other fit that it is paired with, 0 where none

    @property
    def recurs(self) -> NDArray[np.bool_]:
        """Whether it is there again: alike, and more so than an arbitrary group would be."""
        return (self.similarity >= SAME) & (self.p_value <= LEVEL)


def oriented_weights(theta: Parameters) -> Floats:
    """Weights (n_bits, n_hidden) of hidden units that are off in the silent word."""
    turned, _ = theta.canonical_sign()
    return np.zeros((theta.n_visible, 0)) if turned.W is None else turned.W


def by_unit(weights: Floats, n_units: int) -> Floats:
    """Weight of the bin of the window in which each unit has its strongest, shape (n_units,)."""
    by_bin = weights.reshape(-1, n_units)
    return np.asarray(by_bin[np.abs(by_bin).argmax(axis=0), np.arange(n_units)])


def recurrence(
    weights: Floats, others: Sequence[Floats], n_units: int, rng: np.random.Generator
) -> Recurrence:
    """Match the hidden units of one fit with those of each other fit.

    ``weights`` (n_bits, n_hidden) are of the fit, each hidden unit off in the silent word, and
    ``others`` those of the other fits, bits in the same order. A permutation moves each of the
    ``n_units`` recorded units with all its bins of the window.
    """
    unit = unit_length(weights)
    by_bin = unit.reshape(len(unit) // n_units, n_units, unit.shape[1])
    shape = (len(others), weights.shape[1])
    similarity, p, partner = np.zeros(shape), np.ones(shape), np.zeros(shape, dtype=np.intp)
    for k, other in enumerate(others):
        against = unit_length(other)
        rows, columns = paired(unit.T @ against)
        similarity[k, rows], partner[k, rows] = (unit.T @ against)[rows, columns], columns
        as_large = np.ones(shape[1])
        for _ in range(_PERMUTATIONS):
            # Units in another order, the same for all hidden units.
            permuted = by_bin[:, rng.permutation(n_units)].reshape(unit.shape)
            best = (permuted.T @ against).max(axis=1, initial=0.0)
            as_large += best >= similarity[k] - _TIE
        p[k] = as_large / (1 + _PERMUTATIONS)
    return Recurrence(similarity, p, partner)


def mean_weights(weights: Floats, others: Sequence[Floats], again: Recurrence) -> Floats:
    """Means (n_bits, n_hidden) over a fit and those others in which the hidden unit recurs."""
    total = weights.copy()
    for other, recurs, partner in zip(others, again.recurs, again.partner, strict=True):
        total[:, recurs] += other[:, partner[recurs]]
    return np.asarray(total / (1 + again.recurs.sum(axis=0)))


def paired(similarity: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of the one-to-one pairing of positive entries with the largest sum."""
    rows, columns = linear_sum_assignment(np.maximum(similarity, 0.0), maximize=True)
    alike = similarity[rows, columns] > 0.0
    return rows[alike], columns[alike]


def unit_length(weights: Floats) -> Floats:
    """Columns of length 1; those without weights stay 0."""
    length = np.linalg.norm(weights, axis=0)
    return weights / np.where(length > 0.0, length, 1.0)
