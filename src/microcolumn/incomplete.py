"""Words of which some units were not observed: what was seen, and all that they may have been."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .epochs import HALF_NANOSECOND, Epochs, as_epochs
from .errors import BadArgument, BadInput
from .formatting import counted
from .packing import unique_rows
from .trials import trials_in_time
from .units import Units
from .validation import Bits, Floats, chunks, expect, real_array
from .words import Words, check_single_bins

#: Words that incomplete ones may be, at most, each counted for every one that it completes.
_MOST_COMPLETIONS = 1 << 22
#: Where completions are dealt weights, rates are kept this far from never and always.
_LEAST_RATE = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IncompleteWords:
    """Distinct words with cells that were not observed, in which nobody knows what a unit did.

    Made by :meth:`from_array` of a matrix with NaN, or by :meth:`from_intervals` of words and the
    times in which units were observed. Bins in which no unit was observed are left out.

    Independent, BernoulliMixture, Ising, RBM, SemiRBM and GaussianRBM are fitted to them by
    likelihood, and every model of words scores them: log p(observed cells) is the log of the sum
    of p over all that the other cells may have been. That is right where cells are missing whatever
    the units did (missing at random); a unit that is lost whenever it bursts is not.

    Attributes
    ----------
    units : Units
        The recorded units.
    cells : Words
        What was seen as ordinary words, in each bin a bit for the spike of each unit (0 where it
        was not observed), then one for each unit that was not observed.

    Examples
    --------
    >>> words = IncompleteWords.from_array([[0, 1], [1, np.nan], [0, np.nan], [0, 1]])
    >>> words
    IncompleteWords(2 units, 4 bins of 20 ms, 3 distinct words, 25.0 % of the cells missing)
    >>> words.rates.tolist()
    [0.25, 1.0]
    >>> mc.Independent().fit(words).score_samples(words).round(2).tolist()
    [-0.47, -1.39, -0.29, -0.47]
    """

    units: Units
    cells: Words

    @classmethod
    def from_array(
        cls,
        X: Any,
        bin_width: float = 0.020,
        units: Units | None = None,
        epoch_starts: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        dims: str | None = None,
    ) -> IncompleteWords:
        """Find the distinct words of a matrix of 0, 1 and NaN.

        Parameters
        ----------
        X : array_like, shape (n_bins, n_units)
            Zeros and ones, and NaN (or a mask) where a unit was not observed.
        bin_width, units, epoch_starts, sample_weight, dims
            As for :meth:`.Words.from_array`.
        """
        array = real_array("X", np.ma.getdata(X) if np.ma.is_masked(X) else X, "pass 0, 1 and NaN")
        missing = np.isnan(array) | np.ma.getmask(X)
        seen = np.where(missing, 0.0, array)
        words = Words.from_array(seen, bin_width, units, epoch_starts, sample_weight, dims)
        missing = missing if dims is None else trials_in_time(missing, dims)[0]
        return cls.from_words(words, missing[words.bins])

    @classmethod
    def from_words(cls, words: Words, missing: ArrayLike) -> IncompleteWords:
        """Words of which some cells were not observed; what they hold there does not matter.

        Parameters
        ----------
        words : Words
            Words of single bins.
        missing : array_like of bool, shape (n_bins, n_units)
            Where a unit was not observed.
        """
        check_single_bins(expect("words", words, Words, "words, for example recording.bin(0.020)"))
        mask = np.asarray(missing)
        if mask.dtype != np.bool_ or mask.shape != (words.n_bins, words.n_units):
            problem = f"has shape {mask.shape} and dtype {mask.dtype}"
            remedy = f"pass truth values, {words.n_bins} bins by {words.n_units} units"
            raise BadArgument("missing", problem, remedy)
        for n in np.flatnonzero(mask.all(axis=0))[:1]:
            problem = f"unit {words.units.ids[n]!r} was observed in no bin"
            raise BadInput(problem, "leave it out")
        seen = np.where(mask, np.uint8(0), words.expand())
        X, index = unique_rows(np.concatenate([seen, mask.astype(np.uint8)], axis=1))
        counts = np.bincount(index, words.weights, len(X)).astype(np.float64)
        units = Units.numbered(2 * words.n_units)
        cells = replace(words, X=X, counts=counts, index=index, units=units)
        observed = np.flatnonzero(~mask.all(axis=1))
        return cls(words.units, cells if len(observed) == len(mask) else cells._take(observed))

    @classmethod
    def from_intervals(
        cls, words: Words, observed: Mapping[str, Epochs | ArrayLike]
    ) -> IncompleteWords:
        """Words of units that were observed in stretches of time of their own.

        Parameters
        ----------
        words : Words
            Words of single bins.
        observed : mapping of str to Epochs or array_like, shape (n_intervals, 2)
            When some units were observed, by id: start and stop of each stretch, seconds. A bin
            counts that lies in one as a whole. Units that are not named were always observed.

        Examples
        --------
        >>> words = mc.Words.from_array([[0, 1], [1, 1], [0, 0]], 0.020)
        >>> IncompleteWords.from_intervals(words, {"1": [[0.0, 0.050]]}).expand().tolist()
        [[0.0, 1.0], [1.0, 1.0], [0.0, nan]]
        """
        expect("words", words, Words, "words, for example recording.bin(0.020)")
        starts = words.clock.times_s(words.bins, words.bin_width)
        missing = np.zeros((words.n_bins, words.n_units), dtype=bool)
        for unit, intervals in observed.items():
            if unit not in words.units.ids:
                raise BadArgument("observed", f"names {unit!r}, which is no unit", "use their ids")
            epochs = as_epochs(intervals)
            place = epochs.locate(starts)
            ends = np.append(epochs.stops, -np.inf)[place] + HALF_NANOSECOND
            missing[:, words.units.ids.index(unit)] = starts + words.bin_width > ends
        return cls.from_words(words, missing)

    @property
    def X(self) -> Bits:
        """Spikes that were seen, 0 where a unit was not observed, shape (n_distinct, n_dims)."""
        return self._bits(0)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Cells that were not observed, shape (n_distinct, n_dims)."""
        return self._bits(1).astype(np.bool_)

    def _bits(self, which: int) -> Bits:
        by_bin = self.cells.X.reshape(len(self), self.window, 2, self.n_units)[:, :, which]
        return np.ascontiguousarray(by_bin).reshape(len(self), self.n_dims)

    #: What ``cells`` know of words and time, as ``Words`` have it.
    counts = property(attrgetter("cells.counts"))
    index = property(attrgetter("cells.index"))
    weights = property(attrgetter("cells.weights"))
    bins = property(attrgetter("cells.bins"))
    clock = property(attrgetter("cells.clock"))
    bin_width = property(attrgetter("cells.bin_width"))
    window = property(attrgetter("cells.window"))
    n_bins = property(attrgetter("cells.n_bins"))

    @property
    def n_units(self) -> int:
        """Number of recorded units."""
        return len(self.units)

    @property
    def n_dims(self) -> int:
        """Number of bits of a word: ``n_units * window``."""
        return self.n_units * self.cells.window

    @property
    def observed(self) -> Floats:
        """Weight of the bins in which each bit was observed, shape (n_dims,)."""
        return self.cells.counts @ ~self.missing

    @property
    def rates(self) -> Floats:
        """Probability of a spike per bin in which the unit was observed, shape (n_dims,)."""
        return np.minimum(self.cells.counts @ self.X / self.observed, 1.0)

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        share = 1.0 - self.observed.sum() / (self.counts.sum() * self.n_dims)
        units = counted(self.n_units, "unit") + f" x {self.window} bins" * (self.window > 1)
        return (
            f"IncompleteWords({units}, {self.n_bins:,} {'windows' if self.window > 1 else 'bins'} "
            f"of {self.bin_width * self.window * 1e3:g} ms, {len(self):,} distinct words, "
            f"{share * 100:.1f} % of the cells missing)"
        )

    def expand(self) -> Floats:
        """All words in time order with NaN in missing cells, shape (n_bins, n_dims)."""
        return np.where(self.missing, np.nan, self.X)[self.cells.index]

    def split(self, *arguments: Any, **options: Any) -> tuple[IncompleteWords, IncompleteWords]:
        """Deal the bins to two parts; arguments are those of :meth:`.Words.split`."""
        first, second = self.cells.split(*arguments, **options)
        return replace(self, cells=first), replace(self, cells=second)

    def embed(self, window: int) -> IncompleteWords:
        """Windows of consecutive bins; see :meth:`.Words.embed`."""
        return replace(self, cells=self.cells.embed(window))

    def reordered(self, order: Sequence[int] | NDArray[np.intp]) -> IncompleteWords:
        """The words with their units in this order."""
        both = [*order, *(place + self.n_units for place in order)]
        return replace(self, units=self.units.take(order), cells=self.cells.reordered(both))

    def completions(self) -> Completions:
        """All complete words that these may be; refused where they are over four million."""
        X, missing, units = self.X, self.missing, self.units
        rates = np.clip(self.rates, _LEAST_RATE, 1.0 - _LEAST_RATE)
        n_missing = missing.sum(axis=1)
        # Powers of two as floats: there may be hundreds of missing cells.
        if (total := (2.0**n_missing).sum()) > _MOST_COMPLETIONS:
            problem = f"may be {total:.2g} complete words, one of them 2^{n_missing.max()}"
            remedy = f"leave out units or bins that miss most: {_MOST_COMPLETIONS:,} can be summed"
            raise BadInput(f"the words with missing cells {problem}", remedy)
        sizes = 1 << n_missing
        starts = np.cumsum(sizes) - sizes
        word = np.repeat(np.arange(len(self)), sizes)
        place = np.maximum(np.cumsum(missing, axis=1) - 1, 0)  # of a cell among the missing ones
        bits, shares = np.empty((word.size, self.n_dims), np.uint8), self.counts[word]
        for part in chunks(*bits.shape):
            at = word[part]
            state = np.arange(part.start, part.start + at.size) - starts[at]
            active = state[:, None] >> place[at] & 1
            bits[part] = np.where(missing[at], active, X[at])
            chances = np.where(active, rates, 1.0 - rates)
            shares[part] *= np.where(missing[at], chances, 1.0).prod(axis=1)
        distinct, rows = unique_rows(bits)
        counts = np.bincount(rows, shares, len(distinct)).astype(np.float64)
        index = rows[starts][self.index]
        complete = replace(self.cells, X=distinct, counts=counts, index=index, units=units)
        return Completions(complete, rows, starts, sizes)


#: Words, with missing cells or without.
AnyWords = Words | IncompleteWords


@dataclass(frozen=True, slots=True, eq=False)
class Completions:
    """All complete words that incomplete ones may be.

    Attributes
    ----------
    words : Words
        Each of them once. Their counts are those of the incomplete words, dealt to the complete
        ones as if units were independent, so that rates are those of the observed cells; in time
        stand those without further spikes.
    rows : ndarray of int, shape (n_pairs,)
        Rows of ``words.X`` that complete each incomplete word, one incomplete word after another.
    starts, sizes : ndarray of int, shape (n_incomplete,)
        Where the rows of each begin, and how many there are.
    """

    words: Words
    rows: NDArray[np.int32]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]

    def log_sums(self, log_weights: Floats) -> tuple[Floats, Floats]:
        """Log of the summed weights of each incomplete word, shape (n_incomplete,).

        Also the share that each of ``rows`` has of its word, (n_pairs,). ``log_weights`` (nats) are
        of the complete words, shape (n_complete,).
        """
        of_rows = log_weights[self.rows]
        tops = np.maximum.reduceat(of_rows, self.starts)
        shares = np.exp(of_rows - np.repeat(tops, self.sizes))
        totals = np.add.reduceat(shares, self.starts)
        return tops + np.log(totals), shares / np.repeat(totals, self.sizes)
