"""Standard errors of means over time, also of activity that changes slowly (method, section 6).

The variance of a mean over a recording is the power of the series at frequency zero. Its slowest
cosine waves are nearly independent and have nearly that power, so that ten of them give a standard
error with ten degrees of freedom (Lazarus, Lewis, Stock & Watson 2018, HAR inference:
recommendations for practice). It holds for any correlation that is short beside a tenth of the
recording; there is no length of blocks to choose. ``benchmarks/nulls.py`` measures how often
intervals and tests are wrong.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..validation import Floats
from .significance import p_value

#: Stretches of equal length that a recording is summed up in; the waves are far longer.
N_CELLS = 200
#: Slowest waves that the error comes from: its degrees of freedom.
N_WAVES = 10


class MeanOverTime(NamedTuple):
    """A mean, its standard error, and the error's degrees of freedom; NaN where not known."""

    value: float
    stderr: float
    df: float


def cells_of(places: NDArray[np.int64], n_places: int) -> NDArray[np.int64]:
    """Cell of each place among ``n_places`` of a recording."""
    return places * min(N_CELLS, n_places) // n_places


def wave_variance(influence: Floats) -> float:
    """Variance of the sum of a series (n_cells,) that adds up to zero; NaN for a single cell."""
    waves = _waves(influence)
    return float(np.mean(waves**2)) if waves.size else math.nan


def _waves(influence: Floats) -> Floats:
    """What each of the slowest waves has of a series, (n_waves,), as much as its sum may have."""
    n = influence.size
    waves = np.arange(1, min(N_WAVES, n - 1) + 1)
    phases = np.outer(waves, np.arange(n) + 0.5) * (math.pi / n)
    return np.asarray(math.sqrt(2.0) * (np.cos(phases) @ influence))


def trend_p_value(influence: Floats) -> float:
    """P that the slowest wave, from one half to the other, has no more than the next ones have.

    Two-sided, Student's t; NaN for few cells.
    """
    first, *others = _waves(influence).tolist() or [math.nan]
    if len(others) < 2:
        return math.nan
    return p_value(first, math.sqrt(float(np.mean(np.square(others)))), len(others))


def mean_stderr(values: Floats, weights: Floats | None = None) -> float:
    """Standard error of a mean over bins, (n_bins,) in time order; NaN for a single one.

    Its degrees of freedom are :data:`N_WAVES`. Gaps between epochs are passed over.
    """
    share = np.full(values.size, 1.0 / values.size) if weights is None else weights / weights.sum()
    influence = share * (values - share @ values)
    cells = cells_of(np.arange(values.size), values.size)
    by_cell = np.zeros(int(cells[-1]) + 1)
    np.add.at(by_cell, cells, influence)
    return math.sqrt(wave_variance(by_cell))


def mean_over_splits(gains: Floats, shares: Floats, train_share: float) -> MeanOverTime:
    """Mean over splits of what was gained on their test parts.

    Parameters
    ----------
    gains : ndarray, shape (n_splits, n_cells)
        What each cell adds to the mean over a split's test part.
    shares : ndarray, shape (n_splits, n_cells)
        Share of the test part's words that lie in the cell.
    train_share : float
        Share of all words that a split trains on; not used for one split.

    Notes
    -----
    The error has two parts. Test words: the influence of each cell on the mean, with all splits
    that test it, by waves. Training words: what is left of differences between splits once the
    cells that they test are accounted for, by least squares. Training parts overlap, and what they
    have in common does not show between splits. A loss near its minimum is quadratic in the
    parameters, so that two splits' losses correlate by the square of the share of training words
    in common.
    """
    n_splits = len(gains)
    mean = float(gains.sum() / n_splits)
    of_test = wave_variance((gains - shares * mean).sum(axis=0) / n_splits)
    if n_splits == 1 or math.isnan(of_test):
        return MeanOverTime(mean, math.sqrt(of_test), N_WAVES)
    common = train_share**2
    shift = _split_effects(gains, shares)
    of_train = float(shift @ shift) / (n_splits - 1) * (common / (1.0 - common) + 1.0 / n_splits)
    both = of_test + of_train
    # Satterthwaite's degrees of freedom of a sum of two variances.
    spread = of_test**2 / N_WAVES + of_train**2 / (n_splits - 1)
    return MeanOverTime(mean, math.sqrt(both), both**2 / spread if spread else float(N_WAVES))


def _split_effects(gains: Floats, shares: Floats) -> Floats:
    """By how much each split's test part gained more than its cells explain, (n_splits,)."""
    tested = shares.sum(axis=0) > 0.0
    gains, shares = gains[:, tested], shares[:, tested]
    expected = shares / shares.sum(axis=0)
    information = np.diag(shares.sum(axis=1)) - expected @ shares.T
    excess = gains.sum(axis=1) - expected @ gains.sum(axis=0)
    effects = np.linalg.lstsq(information, excess, rcond=1e-9)[0]
    return np.asarray(effects - effects.mean())
