"""Minimum of a quadratic function plus an L1 penalty, where curvature is diagonal plus low rank."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from ..layout import Layout, TiedLayout
from ..validation import Bits, Floats

#: Newton steps at most, and the residual, in standard deviations of a word, where they end.
_MOST_STEPS, _RESIDUAL = 40, 1e-4
#: Shortest part of such a step that is tried.
_SHORTEST = 1e-3


def proximal_step(
    x: Floats, gradient: Floats, diagonal: Floats, columns: Floats, strengths: Floats
) -> Floats:
    """The step d with the least g'd + d'(D + UU')d / 2 + sum_k s_k |x_k + d_k|.

    ``gradient`` g and the positive ``diagonal`` D are at ``x``, ``strengths`` s what absolute
    values cost, (n,) each, and ``columns`` U (n, rank) the low-rank part of the curvature. Given
    m = U'd, each coordinate follows by soft thresholding. Newton's method finds the m that
    agrees with the step it leads to (Becker and Fadili 2012).
    """

    def step_at(m: Floats) -> tuple[Floats, Floats]:
        target = x - (gradient + columns @ m) / diagonal
        d = np.sign(target) * np.maximum(np.abs(target) - strengths / diagonal, 0.0) - x
        return d, m - d @ columns

    m = np.zeros(columns.shape[1])
    d, residual = step_at(m)
    for _ in range(_MOST_STEPS):
        norm = float(np.linalg.norm(residual))
        if norm < _RESIDUAL:
            break
        moving = np.flatnonzero(x + d)
        of_moving = columns[moving]
        slopes = np.eye(m.size) + of_moving.T @ (of_moving / diagonal[moving, None])
        direction, length = np.linalg.solve(slopes, residual), 1.0
        while True:
            trial = m - length * direction
            d, residual = step_at(trial)
            if np.linalg.norm(residual) < (1.0 - 0.1 * length) * norm or length < _SHORTEST:
                break
            length *= 0.5
        m = trial
    return d


def unit_columns(
    layout: Layout, words: Bits, rank: int, at: np.ndarray[tuple[int], np.dtype[np.intp]]
) -> Floats:
    """Curvature by how the units of words vary together, shape (len(at), rank).

    A pair's product varies with its units: q_m x_n + q_n x_m, with their rates q. Of the units'
    covariance the leading eigenvectors count. ``at`` are coordinates of the layout.
    """
    if isinstance(layout, TiedLayout):  # each coordinate moves all that is tied
        every = np.arange(layout.untied.size)
        columns = np.zeros((layout.size, min(rank, words.shape[1])))
        np.add.at(columns, layout.shared, unit_columns(layout.untied, words, rank, every))
        return columns[at]
    bits = words.astype(np.float64)
    rates = bits.mean(axis=0)
    bits -= rates
    n_units = len(rates)
    leading = (max(n_units - rank, 0), n_units - 1)
    values, vectors = eigh(bits.T @ bits / len(bits), subset_by_index=leading)
    factors = vectors * np.sqrt(np.maximum(values, 0.0))
    is_pair = at < layout.couplings.stop
    rows, columns = (side[at[is_pair]] for side in layout.pairs)
    units = layout.free[at[~is_pair] - layout.couplings.stop]
    out = np.empty((at.size, factors.shape[1]))
    out[is_pair] = rates[columns, None] * factors[rows] + rates[rows, None] * factors[columns]
    out[~is_pair] = factors[units]
    return out * layout.multiplicity[at, None]
