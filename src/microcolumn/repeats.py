"""When a stimulus was repeated, and which bins of a recording belong to which of its moments."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .epochs import Epochs
from .errors import BadArgument, BadInput, BadType
from .packing import unique_rows
from .timeline import Places
from .validation import (
    Floats,
    check_increasing,
    positive_number,
    proper_share,
    random_generator,
    real_array,
)
from .words import UnnamedWords, Words, check_single_bins, check_unweighted

#: Share of a bin by which times may be off through rounding.
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Repeats:
    """Repeats of one stimulus, such as a movie.

    A bin belongs to the repeat in which its middle lies. Its moment is the number of full bins from
    the start of the repeat to its middle, so that bins need not be aligned with the repeats.

    Parameters
    ----------
    starts_s : array_like, shape (n_repeats,)
        When each repeat starts, seconds on the recording's clock, increasing. A repeat that is not
        over when the next one starts ends there.
    duration_s : float
        Length of the whole stimulus, seconds.
    stops_s : array_like, shape (n_repeats,), optional
        When each repeat ends, for those that were cut short.

    Examples
    --------
    >>> repeats = Repeats([0.0, 0.06], duration_s=0.06)
    >>> repeats
    Repeats(2 of 0.06 s)
    >>> words = Words.from_array([[0], [0], [1], [0], [1], [1], [0]], bin_width=0.020)
    >>> repeat, moment = repeats.locate(words)
    >>> repeat.tolist(), moment.tolist()
    ([0, 0, 0, 1, 1, 1, -1], [0, 1, 2, 0, 1, 2, -1])
    """

    starts_s: Floats
    stops_s: Floats
    duration_s: float

    def __init__(
        self, starts_s: ArrayLike, duration_s: float, stops_s: ArrayLike | None = None
    ) -> None:
        starts = real_array("starts_s", starts_s, "pass the start of each repeat in seconds")
        remedy = "it must be a positive number of seconds"
        duration = positive_number("duration_s", duration_s, remedy)
        if starts.ndim != 1 or not starts.size or not np.isfinite(starts).all():
            raise BadArgument("starts_s", "must be a list of at least one finite time in seconds")
        check_increasing("starts_s", starts, "starts of repeats must increase")
        stops = np.minimum(starts + duration, np.append(starts[1:], np.inf))
        if stops_s is not None:
            given = real_array("stops_s", stops_s, "pass the end of each repeat in seconds")
            if given.shape != starts.shape or not (given > starts).all():
                raise BadArgument("stops_s", "must hold one time after each start of starts_s")
            stops = np.minimum(stops, given)
        starts.flags.writeable = stops.flags.writeable = False
        for name, value in (("starts_s", starts), ("stops_s", stops), ("duration_s", duration)):
            object.__setattr__(self, name, value)

    @classmethod
    def from_epochs(cls, epochs: Epochs, label: str | None = None) -> Repeats:
        """Each epoch, or each epoch of one label, as a repeat; the longest is the whole stimulus.

        Examples
        --------
        >>> Repeats.from_epochs(Epochs([[0, 30], [40, 70], [80, 95]], ["movie"] * 3), "movie")
        Repeats(3 of 30 s)
        """
        chosen = epochs if label is None else epochs.labelled(label)
        if not len(chosen):
            raise BadInput("there are no epochs", "pass one for each repeat of the stimulus")
        return cls(chosen.starts, float((chosen.stops - chosen.starts).max()), chosen.stops)

    def __len__(self) -> int:
        return int(self.starts_s.size)

    def __repr__(self) -> str:
        return f"Repeats({len(self)} of {self.duration_s:g} s)"

    def n_moments(self, bin_width: float) -> int:
        """Bins of ``bin_width`` seconds that cover the whole stimulus."""
        return max(1, math.ceil(self.duration_s / bin_width - _ROUNDING))

    def locate(self, words: Words) -> tuple[Places, Places]:
        """Repeat of each bin and its moment in the stimulus, each (n_bins,); -1 outside repeats."""
        if isinstance(words, UnnamedWords) or not isinstance(words, Words):
            problem = "is an array without times"
            raise BadType("words", problem, "pass Words, such as recording.bin(0.020)")
        check_single_bins(words)
        width = words.bin_width
        middle = words.clock.times_s(words.bins, width) + 0.5 * width
        repeat = np.searchsorted(self.starts_s - _ROUNDING * width, middle, side="right") - 1
        inside = repeat >= 0
        inside[inside] = middle[inside] < self.stops_s[repeat[inside]] - _ROUNDING * width
        moment = np.floor((middle - self.starts_s[repeat]) / width + _ROUNDING).astype(np.int64)
        moment = np.minimum(moment, self.n_moments(width) - 1)
        return np.where(inside, repeat, -1), np.where(inside, moment, -1)

    def within(self, words: Words) -> Words:
        """The words without the bins that belong to no repeat."""
        inside = self.locate(words)[0] >= 0
        if not inside.any():
            raise BadInput("no bin lies in a repeat", "give starts on the recording's clock")
        return words._take(np.flatnonzero(inside))

    def split(
        self,
        words: Words,
        fraction: float = 0.5,
        random_state: int | np.random.Generator | None = 0,
    ) -> tuple[Words, Words]:
        """Deal whole repeats to two parts in time order; bins of no repeat are in neither.

        Parameters
        ----------
        words : Words
            Single bins of a recording.
        fraction : float
            Share of the repeats that the first part gets, to the nearest repeat; each part gets
            at least one.
        random_state : int, numpy.random.Generator or None
            Seed of the deal; None takes fresh entropy.
        """
        share = proper_share("fraction", fraction)
        repeat, _ = self.locate(words)
        present: NDArray[np.int64] = np.unique(repeat[repeat >= 0])
        if present.size < 2:
            problem = f"the words hold {present.size} of the repeats"
            raise BadInput(problem, "a split by repeats needs at least 2")
        n_first = min(max(round(share * present.size), 1), present.size - 1)
        chosen = random_generator(random_state).permutation(present)[:n_first]
        in_first = np.isin(repeat, chosen)
        in_second = ~in_first & (repeat >= 0)
        return words._take(np.flatnonzero(in_first)), words._take(np.flatnonzero(in_second))

    def shuffled(self, words: Words, random_state: int | np.random.Generator | None = 0) -> Words:
        """The words with the repeats of each unit in an order of their own.

        What is locked to the stimulus stays, what units do together beyond it is gone: a control.
        At each moment of the stimulus a unit's bits are exchanged between the repeats that were
        observed there. Where the same repeats were, it is in the same order, so that whole repeats
        are exchanged.

        Parameters
        ----------
        words : Words
            Single bins inside repeats, without weights.
        random_state : int, numpy.random.Generator or None
            Seed of the orders; None takes fresh entropy.
        """
        repeat, moment = self.located(words)
        check_unweighted(words)
        rng = random_generator(random_state)
        bits = words.expand()
        mixed = bits.copy()
        by_moment = np.lexsort((repeat, moment))
        first = np.searchsorted(moment[by_moment], np.arange(moment.max() + 2))
        orders: dict[bytes, list[NDArray[np.intp]]] = {}
        for k in np.flatnonzero(np.diff(first)):
            bins = by_moment[first[k] : first[k + 1]]
            same = repeat[bins].tobytes()
            if same not in orders:
                orders[same] = [rng.permutation(bins.size) for _ in range(words.n_units)]
            for n, order in enumerate(orders[same]):
                mixed[bins, n] = bits[bins[order], n]
        distinct, index = unique_rows(mixed)
        counts = np.bincount(index, minlength=len(distinct)).astype(np.float64)
        return replace(words, X=distinct, counts=counts, index=index)

    def located(self, words: Words) -> tuple[Places, Places]:
        """What :meth:`locate` gives, for words that must all lie in a repeat."""
        repeat, moment = self.locate(words)
        outside = np.flatnonzero(repeat < 0)
        if outside.size:
            when = float(words.clock.times_s(words.bins[outside[:1]], words.bin_width)[0])
            problem = f"{outside.size} of {words.n_bins} bins, one at {when:g} s, lie in no repeat"
            raise BadInput(problem, "leave them out with repeats.within(words)")
        return repeat, moment
