"""What a fitted model is of: units, bin width, window, and the span of time it was trained on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import BadInput
from .formatting import counted
from .incomplete import AnyWords, IncompleteWords
from .units import Units
from .words import UnnamedWords, Words

SomeWords = TypeVar("SomeWords", Words, IncompleteWords, AnyWords)


@dataclass(frozen=True, slots=True, eq=False)
class WordsInfo:
    """Units, bin width, window and span of the words that a model was trained on.

    Parameters
    ----------
    units : Units
        The recorded units, in the order of the model's bits.
    bin_width : float
        Seconds.
    window : int
        Bins per word.
    start_s, stop_s : float
        Start of the first and end of the last bin, on the recording's clock. A split may have left
        out bins between them.
    n_bins : int
        Number of words, each starting in its own bin.

    Examples
    --------
    >>> words = Words.from_array([[0, 1], [0, 0], [1, 1]], bin_width=0.020, units=Units("ab"))
    >>> WordsInfo.of(words)
    WordsInfo(2 units, 3 words of 20 ms from 0 to 0.06 s)
    >>> WordsInfo.of(words).order_in(words.subset([1, 0]))
    array([1, 0])
    """

    units: Units
    bin_width: float
    window: int
    start_s: float
    stop_s: float
    n_bins: int

    @classmethod
    def of(cls, words: AnyWords) -> WordsInfo | None:
        """The info of a model trained on these words; None for those of a plain array."""
        if isinstance(words, UnnamedWords):
            return None
        first, last = words.clock.times_s(words.bins[[0, -1]], words.bin_width).tolist()
        stop = last + words.window * words.bin_width
        return cls(words.units, words.bin_width, words.window, first, stop, words.n_bins)

    def order_in(
        self, other: AnyWords | WordsInfo, name: str = "the words", this: str = "the model"
    ) -> NDArray[np.intp] | None:
        """Positions of these units in ``other``, shape (n_units,); None if the order is the same.

        ``other`` must have the same bin width, window and units; errors call the two by name.
        """
        if not math.isclose(self.bin_width, other.bin_width, rel_tol=1e-9):
            mine, theirs = self.bin_width, other.bin_width
            ms = f"{mine * 1000.0:g} ms, not of {theirs * 1000.0:g} ms"
            problem = f"{this} was fitted on bins of {ms} as in {name}"
            raise BadInput(problem, f"bin at {mine:g} s, or fit at {theirs:g} s")
        if self.window != other.window:
            mine, theirs = self.window, other.window
            problem = f"{this} was fitted on words of {mine} bins, not of {theirs} as in {name}"
            raise BadInput(problem, f"use words.embed({mine}), or fit to words of {theirs}")
        return self.order_among(other.units, name, this)

    def order_among(
        self, units: Units, name: str = "units", this: str = "the model"
    ) -> NDArray[np.intp] | None:
        """Positions of these units in a table of the same units; see :meth:`order_in`."""
        if units.ids == self.units.ids:
            return None
        place = {unit: position for position, unit in enumerate(units.ids)}
        remedy = "pass the same units, for example recording.select(ids=model.unit_ids_)"
        for unit in self.units.ids:
            if unit not in place:
                problem = f"{this} was fitted on unit {unit!r}, which is not in {name}"
                raise BadInput(problem, remedy)
        if len(units) > len(self.units):
            foreign = next(unit for unit in units.ids if unit not in set(self.units.ids))
            raise BadInput(f"unit {foreign!r} of {name} is none that {this} was fitted on", remedy)
        return np.array([place[unit] for unit in self.units.ids])

    def columns_in(self, other: Words | WordsInfo, **names: str) -> NDArray[np.intp] | None:
        """Bits of ``other`` in this order, bin by bin of the window; see :meth:`order_in`."""
        order = self.order_in(other, **names)
        if order is None:
            return None
        return (np.arange(self.window)[:, None] * order.size + order).ravel()

    def __repr__(self) -> str:
        return f"WordsInfo({counted(len(self.units), 'unit')}, {self.span})"

    @property
    def duration(self) -> str:
        """Time that the words cover if none of them overlap, at most, in seconds or minutes."""
        seconds = min(self.n_bins * self.window * self.bin_width, self.stop_s - self.start_s)
        return f"{seconds:.3g} s" if seconds < 120.0 else f"{seconds / 60.0:.3g} min"

    @property
    def span(self) -> str:
        """Which words they are, in a few words."""
        bins = f"{self.window} x " if self.window > 1 else ""
        return (
            f"{counted(self.n_bins, 'word')} of {bins}{self.bin_width * 1e3:g} ms from "
            f"{self.start_s:g} to {self.stop_s:g} s"
        )


def bit_names(units: Units, window: int) -> tuple[str, ...]:
    """Unit of each bit of a word; in windows with its bin, the newest 0, such as ``"7@-2"``."""
    if window == 1:
        return units.ids
    return tuple(f"{unit}@{k}" for k in range(1 - window, 1) for unit in units.ids)


def ordered(words: SomeWords, info: WordsInfo | None) -> SomeWords:
    """Words in a model's order of units; a plain array, or a model of one, is taken as it is."""
    if info is None or isinstance(words, UnnamedWords):
        return words
    order = info.order_in(words)
    return words if order is None else words.reordered(order)


def units_of(info: WordsInfo | None, units: Units | None) -> Units | None:
    """A table of units in a model's order, by default the model's own, if it knows them."""
    if info is None or units is None:
        return units if info is None else info.units
    order = info.order_among(units)
    return units if order is None else units.take(order)
