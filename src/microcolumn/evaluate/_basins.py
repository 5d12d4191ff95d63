"""Energy basins: the local minima of a model's energy that words descend to, and when."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..formatting import number, text_table
from ..models import PopulationModel
from ..notebook import AsText
from ..tables import AsTable
from ..validation import Bits, Floats, chunks, expect, whole_number
from ..words import Words
from ..words_info import bit_names
from .inputs import words_for

#: Falls of the energy by less than this (nats) are rounding.
_LEAST_FALL = 1e-9
#: Basins that are printed, and units of each that are named.
_PRINTED, _NAMED = 12, 12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Basins(AsText, AsTable):
    """Local minima of the energy and the words that descend to them, those with most words first.

    Parameters
    ----------
    names : tuple of str
        Unit of each bit, with its bin in windows.
    minima : ndarray of uint8, shape (n_basins, n_bits)
        The word at the bottom of each basin: no single flip lowers its energy.
    units : tuple of str
        Active units of each minimum, joined by spaces; ``"-"`` for silence.
    energy : ndarray of float64, shape (n_basins,)
        Energy of each minimum above that of the silent word, nats.
    occupancy : ndarray of float64, shape (n_basins,)
        Share of all words in each basin.
    index : ndarray of int64, shape (n_bins,)
        Basin of each word, in time order.
    times_s : ndarray of float64, shape (n_bins,)
        When each word starts, seconds.
    """

    _columns = ("units", "energy", "occupancy")

    names: tuple[str, ...]
    minima: Bits
    units: tuple[str, ...]
    energy: Floats
    occupancy: Floats
    index: NDArray[np.int64]
    times_s: Floats

    def over_time(self, n_stretches: int = 100) -> Floats:
        """Share of the words in each basin in stretches of equally many, (n_stretches, n_basins).

        There are at most as many stretches as words.
        """
        n_parts = min(whole_number("n_stretches", n_stretches, least=1), self.index.size)
        parts = np.array_split(self.index, n_parts)
        n = len(self.minima)
        return np.array([np.bincount(part, minlength=n) / part.size for part in parts])

    def __str__(self) -> str:
        header = ("active at the minimum", "share of words", "energy, nats")
        rows = []
        for row in self.to_rows()[:_PRINTED]:
            active = row["units"].split(" ")
            more = f" and {len(active) - _NAMED} more" if len(active) > _NAMED else ""
            share = f"{100.0 * row['occupancy']:.3g} %"
            rows.append((" ".join(active[:_NAMED]) + more, share, number(row["energy"])))
        title = f"{len(self.minima):,} basins of {self.index.size:,} words"
        return f"{title}\n{text_table(header, rows, left=header[:1])}"


def basins(model: PopulationModel, words: Words | ArrayLike) -> Basins:
    """Find the local minima of the energy that each word descends to, and their share of the words.

    From each word, the bit is flipped that lowers the energy most, again and again until none does.
    Minima are collective modes: patterns that noise around them is taken for.

    Parameters
    ----------
    model : PopulationModel
        A fitted model; hidden units are summed out.
    words : Words or array_like, shape (n_words, n_units)
        Words in time order.

    Examples
    --------
    >>> theta = mc.Parameters(b=[-2.0, -2.0, -2.0], J=np.array([[0, 3, 0], [3, 0, 0], [0, 0, 0]]))
    >>> words = [[0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1]]
    >>> basins(mc.Ising.from_parameters(theta), words).minima.tolist()
    [[0, 0, 0], [1, 1, 0]]
    """
    remedy = "a fitted model with an energy, such as an Ising"
    fitted = expect("model", model, PopulationModel, remedy)
    given = words_for(fitted, words, None)
    bottoms = np.concatenate(
        [_descended(fitted, given.X[part]) for part in chunks(len(given), given.n_dims)]
    )
    minima, basin = np.unique(bottoms, axis=0, return_inverse=True)
    index = basin.ravel()[given.index]
    shares = np.bincount(index, weights=given.weights, minlength=len(minima))
    order = np.argsort(-shares, kind="stable")
    place = np.argsort(order)
    minima, silent = minima[order], np.zeros((1, given.n_dims), dtype=np.uint8)
    names = bit_names(given.units, given.window)
    active = (" ".join(np.array(names)[word > 0].tolist()) or "-" for word in minima)
    return Basins(
        names=names,
        minima=minima,
        units=tuple(active),
        energy=fitted.energy(minima) - fitted.energy(silent),
        occupancy=shares[order] / shares.sum(),
        index=place[index],
        times_s=given.clock.times_s(given.bins, given.bin_width),
    )


def _descended(model: PopulationModel, words: Bits) -> Bits:
    """The minimum that greedy descent from each word ends in."""
    bottoms = np.array(words)
    moving = np.arange(len(bottoms))
    while moving.size:
        bits = bottoms[moving]
        falls = (1.0 - 2.0 * bits) * model.log_odds(bits)  # of the energy, by flipping each bit
        steepest = falls.argmax(axis=1)
        lower = falls[np.arange(moving.size), steepest] > _LEAST_FALL
        moving, steepest = moving[lower], steepest[lower]
        bottoms[moving, steepest] ^= 1
    return bottoms
