"""Stimulus drive: what repeats of a stimulus say of each unit's firing from moment to moment.

The rate of a unit at a moment of the stimulus is its count of spikes over repeats, smoothed in time
(docs/method.md, "Stimulus drive"). A bin is always given the rate of the *other* repeats, so that
neither its own spike nor what went on around it is in its drive. This holds for the words that
models are fitted to as for those they are scored on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from .errors import BadArgument, BadInput
from .formatting import counted
from .repeats import Repeats
from .timeline import Places
from .validation import Bits, Floats, real_array
from .words import Words, check_unweighted
from .words_info import WordsInfo, ordered

#: Widths of the kernel that are tried unless asked, in bins; infinite is no drive at all.
_WIDTHS_BINS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, math.inf)
#: A unit is called locked to the stimulus if its gain over repeats is above this quantile of
#: Student's t.
_SURE = 0.975
#: Standard deviations at which a kernel ends.
_REACH = 4.0
#: Bins at the unit's mean rate that may be added to those under the kernel. They keep rates off 0
#: and 1, and near the mean where the kernel holds little to go by.
PRIOR_BINS = (1.0, 8.0, 64.0, 512.0)


@dataclass(frozen=True, slots=True, eq=False)
class StimulusDrive:
    """Time-locked drive of each unit, from repeats of a stimulus; made by :meth:`from_words`.

    Parameters
    ----------
    repeats : Repeats
        When the stimulus was shown.
    words_info : WordsInfo
        Units and bins of the words that it was made of.
    spikes : ndarray of uint8, shape (n_repeats, n_moments, n_units)
        Bins with a spike of each repeat at each moment of the stimulus.
    observed : ndarray of uint8, shape (n_repeats, n_moments)
        Bins that were there; 0 where a repeat was cut short or belongs to another part.
    width_s : ndarray, shape (n_units,)
        Standard deviation of each unit's Gaussian kernel, seconds; 0 for single bins, infinite for
        a unit that is better predicted by a constant rate.
    prior_bins : ndarray, shape (n_units,)
        Bins at the mean rate that are added to those under the kernel.
    locked : ndarray of bool, shape (n_units,)
        Whether the rate in other repeats predicts a unit better than a constant one does, by more
        than chance differences between repeats would in 97.5 % of cases.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rate = np.where(np.arange(2000) % 50 < 10, 0.5, 0.05)  # 40 repeats of 50 bins
    >>> words = Words.from_array(rng.random((2000, 2)) < np.stack([rate, 0 * rate + 0.1], axis=1))
    >>> drive = StimulusDrive.from_words(words, Repeats(np.arange(40.0), duration_s=1.0))
    >>> drive
    StimulusDrive(2 units, 40 repeats of 1 s, 1 unit locked to the stimulus)
    >>> drive.psth_hz()[[5, 30], 0].round().tolist()
    [23.0, 3.0]
    """

    repeats: Repeats
    words_info: WordsInfo
    spikes: Bits
    observed: Bits
    width_s: Floats
    prior_bins: Floats
    locked: NDArray[np.bool_]

    @classmethod
    def from_words(
        cls, words: Words, repeats: Repeats, widths_s: Sequence[float] | None = None
    ) -> StimulusDrive:
        """Count the spikes of each moment, and choose the width of each unit's kernel.

        Width and bins at the mean rate are those under which each repeat is most probable given the
        rate in all others.

        Parameters
        ----------
        words : Words
            Single bins of at least two repeats: the training part. Bins outside repeats are
            refused; see :meth:`Repeats.within`.
        repeats : Repeats
            When the stimulus was shown, in these words and in those that will be scored.
        widths_s : sequence of float, optional
            Widths to choose from, seconds: 0 for none, infinite for a constant rate. By default
            both, and half a bin to 64 bins in factors of two.
        """
        repeat, moment = repeats.located(words)
        words_info = WordsInfo.of(words)
        assert words_info is not None  # plain arrays have been refused
        check_unweighted(words)
        n_present = np.unique(repeat).size
        if n_present < 2:
            raise BadInput("the words hold 1 repeat", "a drive needs at least 2")
        shape = len(repeats), repeats.n_moments(words.bin_width)
        spikes = np.zeros((*shape, words.n_units), dtype=np.uint8)
        observed = np.zeros(shape, dtype=np.uint8)
        # Epochs may cut a repeat so that two bins fall on one moment.
        np.add.at(observed, (repeat, moment), 1)
        np.add.at(spikes, (repeat, moment), words.expand())
        widths = _checked_widths(widths_s, words.bin_width)
        none = np.full(words.n_units, np.inf), np.ones(words.n_units), np.zeros(words.n_units, bool)
        return cls(repeats, words_info, spikes, observed, *none)._with_preferred_settings(widths)

    def _with_preferred_settings(self, widths: Floats) -> StimulusDrive:
        """The drive with the settings that left-out repeats prefer, for each unit."""
        by_repeat, units = self.left_out_log_likelihood(widths), np.arange(self.n_units)
        # Of equal settings the last, which says least.
        total = by_repeat[:, :-1].sum(axis=0).reshape(-1, self.n_units)
        best = len(total) - 1 - np.argmax(total[::-1], axis=0)
        width, prior = np.divmod(best, len(PRIOR_BINS))
        width_s = widths[width]
        # The rate of a unit that never or always fires is not known well enough to vary.
        n_active = self.spikes.sum(axis=(0, 1), dtype=np.int64)
        width_s[(n_active == 0) | (n_active == self.observed.sum(dtype=np.int64))] = np.inf
        gains = by_repeat[:, width, prior, units] - by_repeat[:, -1, 0]
        stderr = gains.std(axis=0, ddof=1) / math.sqrt(len(gains))
        clearly = gains.mean(axis=0) > stdtrit(len(gains) - 1, _SURE) * stderr
        prior_bins, locked = np.array(PRIOR_BINS)[prior], np.isfinite(width_s) & clearly
        return replace(self, width_s=width_s, prior_bins=prior_bins, locked=locked)

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.spikes.shape[2])

    @property
    def n_repeats(self) -> int:
        """Repeats that hold a bin of the words that the drive was made of."""
        return int(self._seen.sum())

    def __repr__(self) -> str:
        units, locked = counted(self.n_units, "unit"), counted(int(self.locked.sum()), "unit")
        shown = f"{units}, {self.n_repeats} repeats of {self.repeats.duration_s:g} s"
        return f"StimulusDrive({shown}, {locked} locked to the stimulus)"

    def psth_hz(self) -> Floats:
        """Smoothed rate of each unit at each moment, bins per second, (n_moments, n_units)."""
        return self._rates(None) / self.words_info.bin_width

    def offsets(self, words: Words) -> tuple[Floats, Places]:
        """Log odds of a spike relative to those at the unit's mean rate, from the other repeats.

        Parameters
        ----------
        words : Words
            Single bins inside repeats, of the same units in any order.

        Returns
        -------
        table : ndarray, shape (n_rows, n_units)
            Nats, in the drive's own order of units. Bins at the same moment of repeats that the
            drive has not seen share a row.
        row : ndarray of int64, shape (n_bins,)
            Row of each bin.
        """
        repeat, moment = self.repeats.located(ordered(words, self.words_info))
        seen = self._seen
        left_out = np.where(seen[repeat], repeat, -1)
        n_moments = self.observed.shape[1]
        keys, row = np.unique((left_out + 1) * n_moments + moment, return_inverse=True)
        table = np.empty((keys.size, self.n_units))
        first = np.searchsorted(keys, np.arange(len(self.repeats) + 2) * n_moments)
        for k in range(len(self.repeats) + 1):
            part = slice(first[k], first[k + 1])
            if part.start < part.stop:
                table[part] = self._log_odds(k - 1 if k else None)[keys[part] % n_moments]
        return table, row

    def left_out_log_likelihood(self, widths_s: Floats) -> Floats:
        """Log likelihood of each repeat given the rates in all others, nats.

        Of each unit by itself, for the repeats that the drive was made of, with each width of the
        kernel ``widths_s`` (n_widths,), seconds, a constant rate last, and each of ``PRIOR_BINS``:
        shape (n_repeats, n_widths + 1, n_priors, n_units).
        """
        widths = np.append(widths_s, np.inf)
        log_likelihood = np.zeros((self.n_repeats, widths.size, len(PRIOR_BINS), self.n_units))
        for total, r in zip(log_likelihood, np.flatnonzero(self._seen).tolist(), strict=True):
            spikes, silent = self.spikes[r], self.observed[r][:, None] - self.spikes[r]
            mean = self._mean_rate(r)
            for k, (hits, seen) in enumerate(self._smoothed(r, widths)):
                for i, prior in enumerate(PRIOR_BINS):
                    p = (hits + prior * mean) / (seen + prior)
                    total[k, i] = (spikes * np.log(p) + silent * np.log1p(-p)).sum(axis=0)
        return log_likelihood

    @property
    def _seen(self) -> NDArray[np.bool_]:
        """Repeats of the words that the drive was made of, shape (n_repeats of the stimulus,)."""
        return np.asarray(self.observed.any(axis=1))

    def _mean_rate(self, left_out: int | None) -> Floats:
        """Mean rate of each unit per bin, with half a spike and one bin added, (n_units,)."""
        hits, seen = self._counts(left_out)
        mean: Floats = (hits.sum(axis=0) + 0.5) / (seen.sum() + 1.0)
        return mean

    def _rates(self, left_out: int | None) -> Floats:
        """Each unit's rate with its own kernel, per bin, shape (n_moments, n_units)."""
        widths, mean = np.unique(self.width_s), self._mean_rate(left_out)
        rates = np.empty(self.spikes.shape[1:])
        for width, (hits, seen) in zip(widths, self._smoothed(left_out, widths), strict=True):
            chosen = self.width_s == width
            prior = self.prior_bins[chosen]
            rates[:, chosen] = (hits[:, chosen] + prior * mean[chosen]) / (seen + prior)
        return rates

    def _counts(self, left_out: int | None) -> tuple[Floats, Floats]:
        """Bins with a spike, (n_moments, n_units), and bins observed, (n_moments,)."""
        hits, seen = (x.sum(axis=0, dtype=np.float64) for x in (self.spikes, self.observed))
        if left_out is not None:
            hits, seen = hits - self.spikes[left_out], seen - self.observed[left_out]
        return hits, seen

    def _smoothed(self, left_out: int | None, widths_s: Floats) -> Iterator[tuple[Floats, Floats]]:
        """Sums under each kernel of both counts; of an infinite one nothing, which is the mean."""
        hits, seen = self._counts(left_out)
        for width in widths_s / self.words_info.bin_width:
            if math.isinf(width):
                yield np.zeros_like(hits), np.zeros((seen.size, 1))
            else:
                kernel = smoothing_kernel(width)
                yield _smoothed(hits, kernel), _smoothed(seen[:, None], kernel)

    def _log_odds(self, left_out: int | None) -> Floats:
        rates, mean = self._rates(left_out), self._mean_rate(left_out)
        relative: Floats = np.log(rates / mean) - np.log((1.0 - rates) / (1.0 - mean))
        return np.where(np.isinf(self.width_s), 0.0, relative)


def smoothing_kernel(width_bins: float) -> Floats:
    """Gaussian weights of neighbouring bins whose sum is the number of bins that they are worth.

    A mean with weights w of independent bins is as uncertain as a mean of (sum w)^2 / sum w^2 of
    them, so the weights are scaled to add up to that.
    """
    if width_bins == 0.0:
        return np.ones(1)
    reach = math.ceil(_REACH * width_bins)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width_bins) ** 2)
    scaled: Floats = weights * (weights.sum() / (weights**2).sum())
    return scaled


def _smoothed(counts: Floats, kernel: Floats) -> Floats:
    """Sums over neighbouring moments, (n_moments, n), not negative by rounding."""
    if kernel.size == 1:
        return counts
    from scipy.signal import fftconvolve  # slow to import

    return np.maximum(fftconvolve(counts, kernel[:, None], mode="same", axes=0), 0.0)


def _checked_widths(widths_s: Sequence[float] | None, bin_width: float) -> Floats:
    if widths_s is None:
        return np.array(_WIDTHS_BINS) * bin_width
    widths = real_array("widths_s", widths_s, "pass widths of the kernel in seconds")
    if widths.ndim != 1 or not widths.size or not (widths >= 0.0).all():
        raise BadArgument("widths_s", "must be a list of seconds, each 0 or more, not empty")
    return np.unique(widths)
