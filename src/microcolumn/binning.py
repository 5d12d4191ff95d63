"""Spike trains: their check, and the words they are binned into (docs/method.md, section 1)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .epochs import HALF_NANOSECOND, Epochs
from .errors import BadInput
from .notebook import AsText
from .packing import unique_packed, unpacked
from .timeline import Clock, Places
from .units import Units
from .validation import Floats, listed, real_array
from .words import Words

#: Bins of a recording, at most; each takes tens of bytes. Those of a day in milliseconds fit.
_MOST_BINS = 100_000_000
#: A train with fewer spikes is not used to detect a wrong unit of time.
_ENOUGH_SPIKES = 20
#: Two trains are in different units of time if one lasts this many times longer ...
_LASTS_LONGER = 300.0
#: ... and fires this many times more rarely over its own length.
_FIRES_RARER = 100.0
#: Seconds (28 hours) and Hz: a recording longer than this whose median unit fires more rarely is
#: not in seconds.
_LONG, _RARE = 1e5, 0.02
#: Seconds (ten days): no recording is longer.
_TOO_LONG = 864_000.0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Binning(AsText):
    """Words of a recording and what binning did to its spikes.

    Attributes
    ----------
    words : Words
        One binary word per bin.
    single_fraction, multiple_fraction : float
        Shares of all bins of all units that hold exactly one spike, and more than one; both count
        as 1 in a word.
    n_binned : int
        Spikes that lie in a bin.
    n_in_tails : int
        Spikes after the last full bin of their epoch.
    n_outside : int
        Spikes outside all epochs. With the two above they add up to the recording's spikes.
    """

    words: Words
    single_fraction: float
    multiple_fraction: float
    n_binned: int
    n_in_tails: int
    n_outside: int

    def __str__(self) -> str:
        left_out = self.n_in_tails + self.n_outside
        return (
            f"{self.words.n_bins:,} bins of {self.words.bin_width * 1e3:g} ms: "
            f"{self.single_fraction:.2%} with one spike, {self.multiple_fraction:.2%} with more; "
            f"{self.n_binned:,} spikes binned, {left_out:,} left out ({self.n_in_tails:,} behind "
            f"an epoch's last full bin, {self.n_outside:,} outside epochs)"
        )


def bin_trains(trains: Sequence[Floats], units: Units, epochs: Epochs, bin_width: float) -> Binning:
    """Bin sorted spike trains, one array per unit, into words; times are in seconds.

    Bin k of an epoch that starts at s covers [s + k·w, s + (k + 1)·w), its edges compared with
    spikes to the nanosecond; an epoch holds only full bins. Bits go straight into packed
    words: extra memory is about 1/8 of a byte per bin and unit for any number of spikes.
    """
    n_bins = _bins_of_epochs(epochs, bin_width)
    total, lasting = int(n_bins.sum()), n_bins > 0
    keys = np.zeros((-(-len(units) // 64), total), dtype=np.uint64)
    n_binned = n_inside = n_occupied = n_multiple = 0
    for n, train in enumerate(trains):
        bins, n_in_epochs = _bins_of_spikes(train, epochs, n_bins, bin_width)
        occupied, n_spikes = np.unique(bins, return_counts=True)
        keys[n // 64, occupied] |= np.uint64(1 << (63 - n % 64))
        n_binned += bins.size
        n_inside += n_in_epochs
        n_occupied += occupied.size
        n_multiple += int((n_spikes > 1).sum())
    places, index = unique_packed(keys)
    clock = Clock((np.cumsum(n_bins) - n_bins)[lasting], epochs.starts[lasting])
    words = Words(
        X=unpacked(keys[:, places], len(units)),
        counts=np.bincount(index).astype(np.float64),
        bin_width=bin_width,
        units=units,
        index=index,
        epoch_starts=clock.first_bins,
        bins=np.arange(index.size),
        clock=clock,
    )
    return Binning(
        words,
        single_fraction=(n_occupied - n_multiple) / (total * len(units)),
        multiple_fraction=n_multiple / (total * len(units)),
        n_binned=n_binned,
        n_in_tails=n_inside - n_binned,
        n_outside=sum(train.size for train in trains) - n_inside,
    )


def count_trains(trains: Sequence[Floats], epochs: Epochs, bin_width: float) -> NDArray[np.int64]:
    """Spikes of each train in each bin of :func:`bin_trains`, shape (n_bins, n_units)."""
    n_bins = _bins_of_epochs(epochs, bin_width)
    counts = np.zeros((n_bins.sum(), len(trains)), dtype=np.int64)
    for n, train in enumerate(trains):
        bins, _ = _bins_of_spikes(train, epochs, n_bins, bin_width)
        counts[:, n] = np.bincount(bins, minlength=len(counts))
    return counts


def _bins_of_epochs(epochs: Epochs, bin_width: float) -> Places:
    """Number of full bins of each epoch, or a sentence if there are none or too many."""
    if epochs.duration_s / bin_width > _MOST_BINS:
        problem = f"{epochs.duration_s:g} s in bins of {bin_width:g} s are over {_MOST_BINS:,} bins"
        raise BadInput(problem, f"use bins of {epochs.duration_s / _MOST_BINS:.2g} s or more")
    n_bins = np.maximum(_full_bins(epochs.starts, epochs.stops, bin_width), 0)
    if not n_bins.any():
        longest = float((epochs.stops - epochs.starts).max(initial=0.0))
        problem = f"no epoch holds a full bin of {bin_width:g} s (the longest lasts {longest:g} s)"
        raise BadInput(problem, "use narrower bins or longer epochs")
    return n_bins


def _bins_of_spikes(
    train: Floats, epochs: Epochs, n_bins: Places, bin_width: float
) -> tuple[Places, int]:
    """Bin of each spike that lies in a full one, in order, and how many spikes lie in epochs."""
    epoch = epochs.locate(train)
    inside = epoch >= 0
    epoch = epoch[inside]
    within = _full_bins(epochs.starts[epoch], train[inside], bin_width)
    first_bins = np.cumsum(n_bins) - n_bins
    return (first_bins[epoch] + within)[within < n_bins[epoch]], epoch.size


def _full_bins(starts: Floats, times: Floats, width: float) -> Places:
    """Full bins from each start to each time: the largest n whose last edge is not after it.

    That is also the bin in which a spike at this time lies. The division may be one bin off.
    """
    reach = times + HALF_NANOSECOND
    n_bins = np.floor((reach - starts) / width)
    n_bins -= starts + n_bins * width > reach
    n_bins += starts + (n_bins + 1) * width <= reach
    return n_bins.astype(np.int64)


class UnitOfTimeError(BadInput):
    """Spike times that cannot be in seconds."""


def checked_trains(
    trains: Iterable[Any], ids: Sequence[str] | None, *, before_zero: bool = False
) -> list[Floats]:
    """Spike times of each unit in seconds: finite, in order, from 0 on unless ``before_zero``."""
    entries = listed("trains", trains, "pass one array of spike times per unit")
    names = list(map(str, range(len(entries)))) if ids is None else ids
    if len(names) != len(entries):
        raise BadInput(f"there are {len(entries)} trains for {len(names)} units", "pass one each")
    checked = [_checked(*each, before_zero) for each in zip(entries, names, strict=True)]
    _check_mixed(checked, names)
    return checked


def check_length(trains: Sequence[Floats], duration_s: float) -> None:
    """Refuse a recording that lasts so long and holds so few spikes that it is not in seconds."""
    sizes = [train.size for train in trains if train.size]
    rate = float(np.median(sizes)) / duration_s if sizes and duration_s > 0 else np.inf
    if duration_s > _TOO_LONG or (duration_s > _LONG and rate < _RARE):
        looks = "which looks like milliseconds or samples"
        problem = f"the recording lasts {duration_s:.10g} s at a median of {rate:.2g} Hz, {looks}"
        raise UnitOfTimeError(problem, "give spike times and epochs in seconds")


def _checked(times: Any, name: str, before_zero: bool) -> Floats:
    train = real_array(f"the train of unit {name!r}", times, "pass spike times in seconds")
    if train.size == 0:
        return train.reshape(0)
    if train.ndim != 1:
        raise BadInput(f"the train of unit {name!r} has shape {train.shape}", "pass a list")
    bad = np.flatnonzero(~np.isfinite(train))
    if bad.size:
        raise BadInput(f"unit {name!r}: spike {bad[0]} is at {train[bad[0]]} s", "leave it out")
    if train[0] < 0 and not before_zero:
        problem = f"unit {name!r}: spike 0 is at {train[0]:.10g} s, before 0"
        raise BadInput(problem, "state epochs that begin before it, or shift the times")
    behind = np.flatnonzero(train[1:] < train[:-1])
    if behind.size:
        k = behind[0] + 1
        problem = f"spike {k} at {train[k]:.10g} s comes after one at {train[k - 1]:.10g} s"
        raise BadInput(f"unit {name!r}: {problem}", "sort each unit's spike times")
    return train


def _check_mixed(trains: list[Floats], names: Sequence[str]) -> None:
    """Refuse trains of which some are in milliseconds or samples."""
    spiking = [n for n, train in enumerate(trains) if train.size >= _ENOUGH_SPIKES]
    if not spiking:
        return
    # A clock need not start with the recording, so times are taken from the first spike on.
    begin = min(trains[n][0] for n in spiking)
    last = np.array([max(trains[n][-1] - begin, np.finfo(float).tiny) for n in spiking])
    own_rate = np.array([trains[n].size for n in spiking]) / last
    longest, shortest = int(np.argmax(last)), int(np.argmin(last))
    lasts_longer = last[longest] > _LASTS_LONGER * last[shortest]
    if lasts_longer and own_rate[longest] * _FIRES_RARER < own_rate[shortest]:
        both = (f"{names[spiking[n]]!r} fires for {last[n]:.10g} s" for n in (longest, shortest))
        problem = f"unit {', '.join(both)}, which looks like mixed units of time"
        raise UnitOfTimeError(problem, "give all spike times in seconds")
