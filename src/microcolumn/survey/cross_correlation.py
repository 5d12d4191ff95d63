"""Correlations of units over bins, and correlograms: pairs of spikes by their lag."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, diags_array

from ..epochs import Epochs
from ..errors import BadArgument
from ..kernels.loops.coincidences import coincidences
from ..kernels.loops.threads import threads_for
from ..recording import Recording
from ..units import Units
from ..validation import Floats, chunks, real_number
from ..words import Words, as_words

#: Seconds; the nanosecond around an edge must stay a small part of a bin.
_NARROWEST_BIN = 1e-6
#: Pairs of spikes that are worth one more thread: about half a millisecond.
PAIRS_PER_THREAD = 2.0**18
#: Pairs of spikes of one compiled call: a fraction of a second, so that Ctrl-C is heard.
_PAIRS_PER_CALL = 1e7


@dataclass(frozen=True, slots=True, eq=False)
class Correlograms:
    """Auto- and cross-correlograms of all units, by :func:`correlograms`.

    Bins are centred on lags 0, ±w, ±2w, ...; a pair of spikes whose lag lies within half a
    nanosecond of an edge between two bins counts half in either. So ``counts[i, j]`` is exactly
    ``counts[j, i]`` read backwards, and no bin is favoured when spike times are samples of a clock
    (at 30 kHz one pair in 200 lies on an edge of the default bins).

    Attributes
    ----------
    counts : ndarray of float64, shape (n_units, n_units, n_lags)
        Pairs of spikes of units i and j in the same epoch with t_j - t_i in each bin, in exact
        multiples of one half; a spike makes no pair with itself.
    lags_s : ndarray of float64, shape (n_lags,)
        Bin centres, seconds; the middle one is 0.
    bin_width : float
        Seconds.
    units : Units
        The recorded units.
    rates_hz : ndarray of float64, shape (n_units,)
        Rate of each unit within the epochs.
    exposure_s2 : ndarray of float64, shape (n_lags,)
        Chance level of a pair of independent units that fire at 1 Hz each: bin width times the
        recorded time in which both ends of such a lag fit into one epoch.
    """

    counts: Floats
    lags_s: Floats
    bin_width: float
    units: Units
    rates_hz: Floats
    exposure_s2: Floats

    @property
    def chance(self) -> Floats:
        """Counts expected of independent trains of these rates, in the shape of ``counts``.

        Rates are taken as constant, so slow common changes of rate exceed this level too.
        """
        rates = self.rates_hz
        return rates[:, None, None] * rates[:, None] * self.exposure_s2

    def __repr__(self) -> str:
        longest = self.lags_s[-1] + self.bin_width / 2
        return (
            f"Correlograms({len(self.units)} units, {self.lags_s.size} bins of "
            f"{self.bin_width * 1e3:.3g} ms up to ±{longest * 1e3:.4g} ms)"
        )


def correlograms(
    recording: Recording, *, bin_width: float = 1 / 150, max_lag_s: float = 0.2
) -> Correlograms:
    """Count the pairs of spikes of all pairs of units by their lag.

    Parameters
    ----------
    recording : Recording
        Spikes outside its epochs are left out, and pairs never reach from one to another.
    bin_width : float
        Seconds; 6.7 ms as in the paper by default (docs/method.md, section 1).
    max_lag_s : float
        Largest bin centre, seconds; rounded down to a whole number of bins.

    Examples
    --------
    >>> together = Recording([[0.100, 0.500], [0.103, 0.503]], epochs=[[0.0, 1.0]])
    >>> result = correlograms(together, bin_width=0.001, max_lag_s=0.005)
    >>> result.counts[0, 1]
    array([0., 0., 0., 0., 0., 0., 0., 0., 2., 0., 0.])
    >>> bool((result.counts[1, 0] == result.counts[0, 1, ::-1]).all())
    True
    """
    width, n_side = checked_bins(bin_width, max_lag_s)
    spikes = merged(recording)
    n_units = recording.n_units
    ahead = np.empty((n_units, n_units, n_side + 2), dtype=np.int64)
    # Numbers of 16 bits are sorted by their digits, ten times as fast as by comparisons.
    few = spikes.units.astype(np.uint16) if n_units <= 2**16 else spikes.units
    members = np.argsort(few, kind="stable")
    offsets = np.concatenate(([0], np.cumsum(np.bincount(spikes.units, minlength=n_units))))
    expected_pairs = spikes.times.size**2 * max_lag_s / max(recording.epochs.duration_s, max_lag_s)
    n_calls = min(n_units, 1 + int(expected_pairs / _PAIRS_PER_CALL))
    with threads_for(expected_pairs, PAIRS_PER_THREAD):
        for first, last in pairwise(np.linspace(0, n_units, n_calls + 1, dtype=np.int64)):
            coincidences(*spikes, members, offsets[first : last + 1], width, ahead[first:last])
    return Correlograms(
        counts=_both_ways(ahead[:, :, :-1]),
        lags_s=bin_centres(width, n_side),
        bin_width=width,
        units=recording.units,
        rates_hz=recording.rates_hz,
        exposure_s2=exposure(recording.epochs, width, n_side),
    )


class Merged(NamedTuple):
    """The spikes of all units that lie in epochs, in time order."""

    times: Floats
    units: NDArray[np.uint32]
    #: One past the last spike of the epoch that each spike lies in.
    stops: NDArray[np.int64]


def merged(recording: Recording) -> Merged:
    """The spikes of all units that lie in epochs, in time order."""
    times = recording.spike_times
    units = np.repeat(np.arange(recording.n_units, dtype=np.uint32), np.diff(recording.offsets))
    epoch = recording.epochs.locate(times)
    order = np.argsort(times, kind="stable")
    order = order[epoch[order] >= 0]
    epoch = epoch[order]
    stops = np.searchsorted(epoch, epoch, side="right").astype(np.int64)
    return Merged(times[order], units[order], stops)


def bin_centres(width: float, n_side: int) -> Floats:
    """Lags at the bins' centres, shape (2 n_side + 1,), seconds."""
    return np.multiply(np.arange(-n_side, n_side + 1), width, dtype=np.float64)


def exposure(epochs: Epochs, width: float, n_side: int) -> Floats:
    """Chance level of a pair of trains of 1 Hz in each bin, shape (2 n_side + 1,), s².

    The integral over the bin of sum_e max(0, T_e - |lag|), T_e the length of epoch e.
    """
    edges = np.concatenate(([0.0], (np.arange(n_side + 1) + 0.5) * width))
    lengths = (epochs.stops - epochs.starts)[:, None]
    inside = np.minimum(edges, lengths)
    up_to_edge = (lengths * inside - inside**2 / 2).sum(axis=0)
    bins = np.diff(up_to_edge)
    bins[0] *= 2.0  # The central bin reaches to both sides of zero.
    return mirrored(bins)


def mirrored(half: Floats) -> Floats:
    """A symmetric curve over all lags from its values at lags from zero on."""
    return np.concatenate((half[:0:-1], half))


def checked_bins(bin_width: float, max_lag_s: float) -> tuple[float, int]:
    """Bin width in seconds and the number of bins on either side of the central one."""
    width = real_number("bin_width", bin_width, "give seconds, for example 0.005")
    if not _NARROWEST_BIN <= width < math.inf:
        raise BadArgument("bin_width", f"is {bin_width} s", "it must be a microsecond or more")
    reach = real_number("max_lag_s", max_lag_s, "give seconds, for example 0.2")
    if not width <= reach < math.inf:
        problem = f"is {max_lag_s} s for bins of {width:.4g} s"
        raise BadArgument("max_lag_s", problem, "it must hold one")
    return width, math.floor(reach / width * (1 + 1e-12))


def _both_ways(ahead: NDArray[np.int64]) -> Floats:
    """Pairs at all lags from twice the pairs with j after i."""
    behind = ahead.transpose(1, 0, 2)[:, :, ::-1]
    counts = np.concatenate((behind[:, :, :-1], ahead), axis=2, dtype=np.float64)
    counts[:, :, ahead.shape[2] - 1] += behind[:, :, -1]
    counts /= 2
    return counts


def pairwise_correlations(words: Words | ArrayLike) -> Floats:
    """Pearson correlation of the bits of all pairs of units over the words.

    Parameters
    ----------
    words : Words or array_like, shape (n_bins, n_units)
        Binary words, each counted with its weight.

    Returns
    -------
    ndarray of float64, shape (n_dims, n_dims)
        Symmetric with ones on the diagonal; NaN in row and column of a bit that is never or always
        1. Words of several bins have a row for each unit and bin.

    Examples
    --------
    >>> pairwise_correlations([[0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 0]]).round(3)
    array([[1.   , 0.577,   nan],
           [0.577, 1.   ,   nan],
           [  nan,   nan,   nan]])
    """
    words = as_words(words)
    # Sums of counts are exact as long as they are whole numbers.
    together = np.zeros((words.n_dims, words.n_dims))
    for part in chunks(len(words), words.n_dims):
        # Sparse: few units spike in a bin.
        x = csr_array(words.X[part], dtype=np.float64)
        together += csr_array(x.T @ diags_array(words.counts[part]) @ x).toarray()
    together /= words.counts.sum()
    rates = together.diagonal()
    varies = words.X.any(axis=0) & ~words.X.all(axis=0)
    scale = np.sqrt(np.where(varies, rates * (1.0 - rates), np.nan))
    correlations: Floats = (together - np.outer(rates, rates)) / np.outer(scale, scale)
    correlations = np.clip(0.5 * (correlations + correlations.T), -1.0, 1.0)
    np.fill_diagonal(correlations, np.where(varies, 1.0, np.nan))
    return correlations


def lagged_correlations(words: Words, first: int, second: int, n_lags: int) -> Floats:
    """Correlation of one unit with another some bins later, shape (2 * n_lags + 1,).

    Lags go from -n_lags, where the second unit leads, to n_lags; in the middle is the correlation
    of the pair. NaN at lags longer than all epochs, and everywhere if a unit never or always
    spikes. Words are of single bins; two bins of different epochs are no pair, and weights are not
    used.
    """
    a, b = (words.X[:, unit][words.index].astype(np.float64) for unit in (first, second))
    epoch = np.searchsorted(words.epoch_starts, np.arange(words.n_bins), side="right")
    correlations = np.full(2 * n_lags + 1, np.nan)
    if not (a.std() and b.std()):
        return correlations
    for lag in range(min(n_lags, words.n_bins - 1) + 1):
        early, late = slice(0, words.n_bins - lag), slice(lag, words.n_bins)
        inside = epoch[early] == epoch[late]
        for sign, x, y in ((1, a, b), (-1, b, a)):
            if inside.any():
                covariance = (x[early] * y[late])[inside].mean() - a.mean() * b.mean()
                correlations[n_lags + sign * lag] = covariance / (a.std() * b.std())
    return correlations
