"""Standard errors of means over time, also of activity that changes slowly (method, section 6)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

from ..errors import BadInput
from ..validation import Floats
from ..words import Words, check_unweighted
from .significance import p_value

#: Stretches of equal length that a recording is summed up in; the waves are far longer.
N_CELLS = 200
#: Slowest waves that the error comes from: its degrees of freedom.
N_WAVES = 10
#: Chance that waves of equal power are held for a fall of the power.
_FLAT_LEVEL = 0.05


class MeanOverTime(NamedTuple):
    """A mean, its standard error, and the error's degrees of freedom; NaN where not known."""

    value: float
    stderr: float
    df: float


def cells_of(places: NDArray[np.int64], n_places: int, n_cells: int = N_CELLS) -> NDArray[np.int64]:
    """Cell of each place among ``n_places`` of a recording."""
    return places * min(n_cells, n_places) // n_places


def checked_cells(words: Words) -> NDArray[np.int64]:
    """One of a hundred cells for each bin of words that are counted one by one, (n_bins,)."""
    check_unweighted(words)
    if words.n_bins < 10:
        raise BadInput(f"there are {words.n_bins} words", "pass at least 10 for errors over time")
    return cells_of(np.arange(words.n_bins), words.n_bins, 100)


def cell_table(
    index: NDArray[np.integer[Any]],
    cell: NDArray[np.integer[Any]],
    n_distinct: int,
    weights: Floats | None = None,
) -> sparse.csr_array:
    """How often each distinct word ``index`` (n_words,) occurs in each cell (n_words,)."""
    times = np.ones(index.size) if weights is None else weights
    return sparse.csr_array((times, (cell, index)), shape=(int(cell[-1]) + 1, n_distinct))


def wave_variance(influence: Floats) -> float:
    """Variance of the sum of a series (n_cells,) that adds up to zero; NaN for a single cell."""
    waves = slow_waves(influence.size) @ influence
    return float(np.mean(waves**2)) if waves.size else math.nan


def slow_waves(n_cells: int, n_waves: int = N_WAVES) -> Floats:
    """The slowest cosine waves over cells, (n_waves, n_cells), with a mean square of 1.

    The mean square of their products with the cells' influence on a sum is the sum's variance.
    """
    waves = np.arange(1, min(n_waves, n_cells - 1) + 1)
    phases = np.outer(waves, np.arange(n_cells) + 0.5) * (math.pi / n_cells)
    return np.asarray(math.sqrt(2.0) * np.cos(phases))


def flat_waves(power: Floats) -> int:
    """How many of the slowest waves have the same power, by the powers of all (n_waves,).

    :data:`N_WAVES`, or twice as many as often as the next waves are not clearly weaker, up to all.
    """
    n = N_WAVES
    while 2 * n <= power.size:
        slow, next_ones = float(power[:n].mean()), float(power[n : 2 * n].mean())
        if slow > next_ones * stats.f.isf(_FLAT_LEVEL, n, n):
            return n
        n *= 2
    return power.size


def moderated(ratios: Floats, telling: NDArray[np.bool_], df: float) -> tuple[Floats, float]:
    """Variances over expected ones, each moved towards what they have in common, and their df.

    Each of ``ratios`` has few degrees of freedom ``df``; the spread of the ``telling`` ones beyond
    that says how much they differ in truth (Smyth 2004, moderated t-statistics).
    """
    known = ratios[telling & (ratios > 0.0)]
    if known.size < 2:
        return ratios, df
    logs = np.log(known) - digamma(df / 2.0) + math.log(df / 2.0)
    beyond = float(np.var(logs, ddof=1) - polygamma(1, df / 2.0))
    largest = float(polygamma(1, 1e-3))
    half = 1e4  # that is, nothing but noise
    if (beyond := min(beyond, largest)) > float(polygamma(1, half)):
        half = brentq(lambda at: float(polygamma(1, at)) - beyond, 1e-3, half)
    prior, common = 2.0 * half, math.exp(float(logs.mean() + digamma(half)) - math.log(half))
    moved = (prior * common + df * ratios) / (prior + df)
    return moved, min(prior + df, known.size * df)


def _degrees_of_freedom(weights: Floats) -> float:
    """Those of :func:`wave_variance` where cells count by ``weights`` (n_cells,).

    With equal weights waves are independent and this is their number. Test words that lie in a few
    blocks show fewer.
    """
    waves = slow_waves(weights.size) * weights
    products = waves @ waves.T
    total = float(np.sum(products**2))
    return float(np.trace(products)) ** 2 / total if total else math.nan


def trend_p_value(influence: Floats) -> float:
    """P that the slowest wave, from one half to the other, has no more than the next ones have.

    Two-sided, Student's t; NaN for few cells.
    """
    first, *others = (slow_waves(influence.size) @ influence).tolist() or [math.nan]
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
    return math.sqrt(wave_variance(np.bincount(cells, influence).astype(np.float64)))


def mean_over_splits(gains: Floats, shares: Floats, train_share: float) -> MeanOverTime:
    """Mean over splits of what was gained on their test parts (docs/method.md, section 6).

    ``gains`` (n_splits, n_cells) are what each cell adds to the mean over a split's test part,
    ``shares`` (n_splits, n_cells) the shares of the test part's words that lie in the cell, and
    ``train_share`` is that of all words that a split trains on; not used for one split.
    """
    n_splits = len(gains)
    mean = float(gains.sum() / n_splits)
    of_test = wave_variance((gains - shares * mean).sum(axis=0) / n_splits)
    df = _degrees_of_freedom(shares.sum(axis=0))
    if n_splits == 1 or math.isnan(of_test):
        return MeanOverTime(mean, math.sqrt(of_test), df)
    common = train_share**2
    shift = _split_effects(gains, shares)
    of_train = float(shift @ shift) / (n_splits - 1) * (common / (1.0 - common) + 1.0 / n_splits)
    both = of_test + of_train
    # Satterthwaite's degrees of freedom of a sum of two variances.
    spread = of_test**2 / df + of_train**2 / (n_splits - 1)
    return MeanOverTime(mean, math.sqrt(both), both**2 / spread if spread else df)


def _split_effects(gains: Floats, shares: Floats) -> Floats:
    """By how much each split's test part gained more than its cells explain, (n_splits,)."""
    tested = shares.sum(axis=0) > 0.0
    gains, shares = gains[:, tested], shares[:, tested]
    expected = shares / shares.sum(axis=0)
    information = np.diag(shares.sum(axis=1)) - expected @ shares.T
    excess = gains.sum(axis=1) - expected @ gains.sum(axis=0)
    effects = np.linalg.lstsq(information, excess, rcond=1e-9)[0]
    return np.asarray(effects - effects.mean())
