"""Words: the distinct binary patterns of a recording, how often and when each occurs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .concatenation import concatenated
from .errors import BadArgument, BadInput
from .formatting import counted
from .notebook import card, units_tables
from .packing import unique_rows
from .timeline import (
    FROM_ZERO,
    Clock,
    Places,
    checked_epoch_starts,
    deal_blocks,
    default_blocks,
    remaining_epochs,
    window_codes,
    windows,
    windows_apart,
)
from .trials import trials_in_time
from .units import Units
from .validation import (
    Bits,
    Floats,
    check_binary,
    check_orientation,
    check_positions,
    checked_weights,
    chunks,
    dense_bits,
    expect,
    one_of,
    positive_number,
    proper_share,
    random_generator,
    whole_number,
)


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Distinct words with their counts and their order in time (docs/method.md, section 1).

    Made by :meth:`from_array`. Objectives need only ``X`` and ``counts``; the rest keeps the
    time, for splits and for spatiotemporal words. Iterating gives pairs (word, count), and
    ``len`` is the number of distinct words.

    Attributes
    ----------
    X : ndarray of uint8, shape (n_distinct, n_dims)
        Distinct words in lexicographic order, the first column the most significant.
    counts : ndarray of float64, shape (n_distinct,)
        Bins (or their summed weights) in which each word occurs; all positive.
    bin_width : float
        Seconds.
    units : Units
        The recorded units.
    index : ndarray of int32, shape (n_bins,)
        Row of ``X`` of each bin, in time order. With ``window > 1`` these are windows, not bins.
    epoch_starts : ndarray of int64, shape (n_epochs,)
        First bin of each epoch; bins within an epoch are adjacent in time.
    bins : ndarray of int64, shape (n_bins,)
        Place of each bin (the oldest of each window) in the recording, increasing. It outlives
        splits, so that windows that share bins are known.
    window : int
        Consecutive bins in a word; 1 for instantaneous words.
    weights : ndarray of float64, shape (n_bins,), or None
        Weight of each bin; None where all are 1.
    clock : Clock
        When the recording's bins start, seconds; an array's follow each other from 0 on.

    Examples
    --------
    >>> words = Words.from_array([[0, 1], [0, 0], [0, 1], [1, 1]], bin_width=0.020)
    >>> words
    Words(2 units, 4 bins of 20 ms, 3 distinct words, mean rate 50.0 % per bin)
    >>> for word, count in words:
    ...     print(word, count)
    [0 0] 1.0
    [0 1] 2.0
    [1 1] 1.0
    >>> words.embed(2).X
    array([[0, 0, 0, 1],
           [0, 1, 0, 0],
           [0, 1, 1, 1]], dtype=uint8)
    """

    X: Bits
    counts: Floats
    bin_width: float
    units: Units
    index: NDArray[np.int32]
    epoch_starts: Places
    bins: Places
    window: int = 1
    weights: Floats | None = None
    clock: Clock = FROM_ZERO

    @classmethod
    def from_array(
        cls,
        X: Any,
        bin_width: float = 0.020,
        units: Units | None = None,
        epoch_starts: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        dims: str | None = None,
    ) -> Words:
        """Find the distinct words of a binary matrix.

        Parameters
        ----------
        X : array_like, shape (n_bins, n_units)
            Zeros and ones of any numeric type, bins in time order; dense, sparse, or with named
            axes as xarray has them. Where units were not observed: :class:`.IncompleteWords`.
        bin_width : float
            Seconds.
        units : Units, optional
            Table of the columns; by default they are numbered, and 1,000 or more need as many bins.
        epoch_starts : array_like of int, shape (n_epochs,), optional
            First bin of each epoch, beginning with 0; by default one epoch.
        sample_weight : array_like, shape (n_bins,), optional
            Non-negative weight of each bin. A bin of weight 0 counts as not recorded: it is left
            out, and an epoch ends before it.
        dims : str, optional
            Axes of an array with trials in their order, such as ``"units bins trials"``. Bins
            are then in order trial by trial, and each trial is an epoch by default.
        """
        if dims is not None:
            X, of_trials = trials_in_time(X, dims)
            epoch_starts = of_trials if epoch_starts is None else epoch_starts
        bits = check_binary(dense_bits(X) if cls is Words else X)
        n_bins, n_units = bits.shape
        width = checked_bin_width(bin_width)
        if cls is Words and units is None:  # a few words of many units may be scored
            check_orientation(n_bins, n_units)
        table = Units.numbered(n_units) if units is None else units
        expect("units", table, Units, "a table, for example Units(names)")
        if len(table) != n_units:
            problem = f"has {len(table)} entries for {n_units} columns of X"
            raise BadArgument("units", problem, "pass one unit per column")
        starts = checked_epoch_starts([0] if epoch_starts is None else epoch_starts, n_bins)
        weights = None if sample_weight is None else checked_weights(sample_weight, n_bins)
        distinct, index = unique_rows(bits)
        words = cls(
            X=distinct,
            counts=_counts(index, weights, distinct.shape[0]),
            bin_width=width,
            units=table,
            index=index,
            epoch_starts=starts,
            bins=np.arange(n_bins),
            weights=weights,
        )
        if weights is not None and not weights.all():
            return words._take(np.flatnonzero(weights))
        return words

    @property
    def n_bins(self) -> int:
        """Number of bins in time; with ``window > 1``, of windows."""
        return int(self.index.shape[0])

    @property
    def n_units(self) -> int:
        """Number of recorded units."""
        return len(self.units)

    @property
    def n_dims(self) -> int:
        """Number of bits of a word: ``n_units * window``."""
        return int(self.X.shape[1])

    @property
    def rates(self) -> Floats:
        """Weighted mean of each bit, shape (n_dims,): probability of a spike per bin."""
        active = np.zeros(self.n_dims)
        for part in chunks(len(self), self.n_dims, 1 << 22):
            active += self.counts[part] @ self.X[part].astype(np.float64)
        # Rounding may put an always active bit a hair above 1.
        rates: Floats = np.minimum(active / self.counts.sum(), 1.0)
        return rates

    @property
    def duration_s(self) -> float:
        """Recorded time that the words cover, in seconds; a bin in several windows counts once."""
        covered = np.minimum(np.diff(self.bins), self.window).sum() + self.window
        return float(covered * self.bin_width)

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __iter__(self) -> Iterator[tuple[Bits, float]]:
        return zip(self.X, self.counts.tolist(), strict=True)

    def __repr__(self) -> str:
        units = counted(self.n_units, "unit") + f" x {self.window} bins" * (self.window > 1)
        return (
            f"Words({units}, {self.n_bins:,} {'windows' if self.window > 1 else 'bins'} of "
            f"{self.bin_width * self.window * 1e3:g} ms, {len(self):,} distinct words, "
            f"mean rate {self.rates.mean() * 100:.1f} % per bin)"
        )

    def _repr_html_(self) -> str:
        percent = 100.0 * self.rates.reshape(self.window, -1).mean(axis=0)
        return card(repr(self), units_tables(self.units, "active, % of bins", percent))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """What :meth:`expand` gives, for NumPy and for scikit-learn's searches."""
        check_unweighted(self)  # an array has no weights
        if copy is False:
            raise BadInput("words are no array in memory", "leave out copy=False")
        return np.asarray(self.expand(), dtype)

    def expand(self) -> Bits:
        """All words in time order, shape (n_bins, n_dims)."""
        return self.X[self.index]

    def subset(self, positions: Iterable[int]) -> Words:
        """Words of the units at these positions, in the order the new words will have."""
        words = self.reordered(check_positions("positions", positions, self.n_units))
        distinct, renamed = unique_rows(words.X)
        counts = _counts(renamed, self.counts, distinct.shape[0])
        return replace(words, X=distinct, counts=counts, index=renamed[self.index])

    def reordered(self, order: Sequence[int] | NDArray[np.intp]) -> Words:
        """The words with their units in this order; rows of ``X`` stay where they are."""
        by_bin = self.X.reshape(len(self), self.window, self.n_units)[:, :, order]
        bits = np.ascontiguousarray(by_bin.reshape(len(self), -1))
        return replace(self, X=bits, units=self.units.take(order))

    def split(
        self,
        fraction: float = 0.5,
        by: Literal["words", "blocks"] = "blocks",
        random_state: int | np.random.Generator | None = 0,
        n_blocks: int | None = None,
    ) -> tuple[Words, Words]:
        """Deal the bins to two parts (docs/method.md, section 6).

        Parameters
        ----------
        fraction : float
            Share of the bins that the first part gets, to the nearest bin.
        by : {"blocks", "words"}
            ``"blocks"`` deals contiguous blocks at random, and leaves out the windows that would
            share a bin with the other part. ``"words"`` deals single bins at random: neighbours
            in time, which resemble each other, go to both parts, and windows share bins.
        random_state : int, numpy.random.Generator or None
            Seed of the deal; None takes fresh entropy.
        n_blocks : int, optional
            Number of blocks in both parts together; by default 20, or fewer so that a block is at
            least ten times as long as a word.

        Returns
        -------
        first, second : Words
            Both in time order; an epoch ends wherever the next bin went to the other part.
        """
        one_of("by", by, ("words", "blocks"))
        n_first = round(proper_share("fraction", fraction) * self.n_bins)
        if not 0 < n_first < self.n_bins:
            problem = f"a part would be empty: {fraction} of {self.n_bins} bins rounds to {n_first}"
            raise BadInput(problem, "use a fraction nearer to 0.5 or more data")
        rng = random_generator(random_state)
        if by == "words":
            if n_blocks is not None:
                raise BadArgument("n_blocks", "is for splits by blocks", "leave it out")
            in_first = np.zeros(self.n_bins, dtype=bool)
            in_first[rng.permutation(self.n_bins)[:n_first]] = True
            apart = np.ones(self.n_bins, dtype=bool)
        else:
            if n_blocks is None:
                n_blocks = default_blocks(self.n_bins, self.window)
            in_first = deal_blocks(self.n_bins, n_first, whole_number("n_blocks", n_blocks), rng)
            apart = windows_apart(in_first, self.bins, self.window)
        parts = np.flatnonzero(in_first & apart), np.flatnonzero(~in_first & apart)
        if not (parts[0].size and parts[1].size):
            problem = f"a part would be empty: no window of {self.window} bins fits into its blocks"
            raise BadInput(problem, "use a shorter window, fewer blocks or more data")
        return self._take(parts[0]), self._take(parts[1])

    @staticmethod
    def concatenate(parts: Iterable[Words]) -> Words:
        """Words of several sessions or epochs as one, in this order; no window crosses a boundary.

        They need the same units, in any order, the same bin width and the same window. The table of
        units is that of the first. A part that starts before the last one ended, as sessions that
        all start at 0 s do, is moved in time to where that ended.

        Examples
        --------
        >>> words = Words.from_array([[0, 1], [1, 1]])
        >>> both = Words.concatenate([words, words])
        >>> both.n_bins, both.embed(2).n_bins, both.duration_s
        (4, 2, 0.08)
        """
        given = list(parts)
        fields = concatenated(given, Words)
        return replace(given[0], **fields)

    def embed(self, window: int) -> Words:
        """Spatiotemporal words: windows of ``window`` consecutive bins, one window per bin.

        They have ``window * n_units`` bits, oldest bin first. Windows never cross an epoch's edge;
        epochs shorter than a window are left out.
        """
        n_bins_per_word = whole_number("window", window, least=1)
        check_single_bins(self)
        check_unweighted(self)  # windows of several bins cannot inherit them
        oldest, epoch_starts = windows(self.epoch_starts, self.n_bins, n_bins_per_word)
        codes = window_codes(self.index, oldest, n_bins_per_word, len(self))
        _, first, index = np.unique(codes, return_index=True, return_inverse=True)
        patterns = self.index[oldest[first][:, None] + np.arange(n_bins_per_word)]
        return replace(
            self,
            X=self.X[patterns].reshape(first.size, -1),
            counts=_counts(index, None, first.size),
            index=index.astype(np.int32),
            epoch_starts=epoch_starts,
            bins=self.bins[oldest],
            window=n_bins_per_word,
        )

    def _take(self, bins: NDArray[np.intp]) -> Words:
        """Words of the bins at ``bins`` (increasing); an epoch ends wherever bins are missing."""
        index = self.index[bins]
        weights = None if self.weights is None else self.weights[bins]
        counts = _counts(index, weights, len(self))
        occurs = counts > 0
        renamed = np.cumsum(occurs, dtype=np.int32) - np.int32(1)
        return replace(
            self,
            X=self.X[occurs],
            counts=counts[occurs],
            index=renamed[index],
            epoch_starts=remaining_epochs(self.epoch_starts, bins),
            bins=self.bins[bins],
            weights=weights,
        )


class UnnamedWords(Words):
    """Words of a plain array, which says neither whose they are nor how long a bin lasts."""

    __slots__ = ()


def as_words(X: Words | ArrayLike) -> Words:
    """``X`` itself if it is ``Words``, else the words of a binary matrix (n_bins, n_units)."""
    if isinstance(X, Words):
        return X
    words = UnnamedWords.from_array(X)
    check_orientation(words.n_bins, words.n_units)
    return words


def check_unweighted(words: Words) -> None:
    """Refuse words of which each does not count once."""
    if words.weights is not None:
        raise BadArgument("words", "carry weights", "pass words without them")


def check_single_bins(words: Words) -> None:
    """Refuse words that span several bins."""
    if words.window > 1:
        raise BadArgument("words", f"span {words.window} bins", "pass words of single bins")


def checked_bin_width(bin_width: float) -> float:
    """``bin_width`` in seconds, or a sentence about why it cannot be one."""
    width = positive_number("bin_width", bin_width, "it must be a positive number of seconds")
    if width >= 10.0:  # no spike train is binned this coarsely
        problem = f"is {bin_width}, which looks like milliseconds"
        raise BadArgument("bin_width", problem, "give seconds, such as 0.020")
    return width


def _counts(index: NDArray[Any], weights: Floats | None, n_distinct: int) -> Floats:
    return np.bincount(index, weights=weights, minlength=n_distinct).astype(np.float64)
