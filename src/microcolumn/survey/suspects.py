"""Units to check before a fit: silent, mixed or noisy units, and neurons sorted twice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import binom

from ..epochs import HALF_NANOSECOND
from ..recording import Recording
from ..validation import positive_number
from .cross_correlation import correlograms

#: Fewer shared spikes than this may be chance among many pairs of units.
_ENOUGH_SHARED = 10
#: Too many short intervals are suspect if chance makes them with a smaller probability than this.
_CHANCE = 0.01
#: Neighbouring lags that show how many spikes two units share by chance and by common drive, in
#: bins of twice the duplicates' window.
_FLANK = slice(3, 8)
#: A silent start is no chance if it lasts so many seconds and so many mean intervals of spikes.
_SILENT_S, _SILENT_INTERVALS = 10.0, 100.0
#: Suspects that are named after the first of their kind.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Suspect:
    """A unit, or a pair of units, that may not be what it seems (:func:`suspect_units`).

    Attributes
    ----------
    ids : tuple of str
        One unit; two for duplicates, the one with fewer spikes first.
    kind : {"silent", "refractory", "rate", "duplicate"}
        What is suspect.
    value : float
        0 spikes; share of short intervals; rate in Hz; share of spikes in common.
    sentence : str
        The same as a sentence.
    """

    ids: tuple[str, ...]
    kind: Literal["silent", "refractory", "rate", "duplicate"]
    value: float
    sentence: str


def suspect_units(
    recording: Recording,
    *,
    refractory_s: float = 0.0015,
    max_violations: float = 0.01,
    max_rate_hz: float = 100.0,
    duplicate_window_s: float = 0.0005,
    duplicate_share: float = 0.5,
) -> tuple[Suspect, ...]:
    """Name the units that deserve a look; none is dropped.

    Spikes outside the epochs are left out. Intervals and duplicates are not judged if the
    recording's own resolution is coarser than the time they are judged by.

    Parameters
    ----------
    recording : Recording
        Units flagged as multiunits have no refractory period to violate.
    refractory_s : float
        Shortest interval between spikes of one neuron, seconds.
    max_violations : float
        Share of shorter intervals that a single unit may have. A unit is suspect if it has more,
        and if this share gives as many with a probability below 0.01 (the upper tail of a binomial
        distribution): one short interval of 83 is no evidence.
    max_rate_hz : float
        Mean rate above which a unit is suspect.
    duplicate_window_s : float
        Spikes of two units at most this far apart may be one spike found twice, seconds.
    duplicate_share : float
        Two units are suspect if more than this share of the spikes of the one that has fewer have
        a partner in the other, corrected for the share expected from lags five to fifteen times as
        long, (share - expected) / (1 - expected), since high rates and common drive also make
        partners.

    Returns
    -------
    tuple of Suspect
        Silent units first, then intervals, rates and duplicates, each in the units' order.

    Examples
    --------
    >>> twice = np.arange(1.0, 20.0)
    >>> for suspect in suspect_units(Recording([twice, twice + 1e-4, []])):
    ...     print(suspect.sentence)
    unit '2' is silent
    units '0' and '1' share 100% of the spikes of '0' within 0.5 ms: perhaps one cell sorted twice
    """
    for name, limit in {
        "refractory_s": refractory_s,
        "max_violations": max_violations,
        "max_rate_hz": max_rate_hz,
        "duplicate_window_s": duplicate_window_s,
        "duplicate_share": duplicate_share,
    }.items():
        positive_number(name, limit, "it must be positive")
    rates, ids = recording.rates_hz, recording.units.ids
    suspects = [
        Suspect((ids[n],), "silent", 0.0, f"unit {ids[n]!r} is silent")
        for n in np.flatnonzero(rates == 0.0)
    ]
    if recording.resolution_s <= refractory_s:
        suspects += _refractory(recording, refractory_s, max_violations)
    for n in np.flatnonzero(rates > max_rate_hz):
        sentence = f"unit {ids[n]!r} fires at {rates[n]:.0f} Hz, above {max_rate_hz:g} Hz"
        suspects.append(Suspect((ids[n],), "rate", float(rates[n]), sentence))
    if recording.resolution_s <= duplicate_window_s:
        suspects += _duplicates(recording, duplicate_window_s, duplicate_share)
    return tuple(suspects)


def suspicions(suspects: Sequence[Suspect], most: int = 1) -> list[str]:
    """Sentences of each kind, or its first and how many are like it if it has over ``most``."""
    sentences = []
    for kind in dict.fromkeys(suspect.kind for suspect in suspects):
        first, *others = [suspect for suspect in suspects if suspect.kind == kind]
        if len(others) < most:
            sentences += [suspect.sentence for suspect in (first, *others)]
        else:
            named = ", ".join(" and ".join(map(repr, each.ids)) for each in others[:_NAMED])
            more = f"{named}{', ...' * (len(others) > _NAMED)}"
            sentences.append(f"{first.sentence} (and {len(others):,} more like this: {more})")
    return sentences


def late_start(recording: Recording) -> list[str]:
    """A sentence if nothing fires at first, so that the recording may have begun later."""
    inside = recording.spike_times[recording.epochs.locate(recording.spike_times) >= 0]
    if not inside.size:
        return []
    silent = float(inside.min() - recording.epochs.starts[0])
    if silent <= max(_SILENT_S, _SILENT_INTERVALS * float(np.ptp(inside)) / inside.size):
        return []
    return [
        f"no unit fires in the first {silent:.6g} s, which makes all rates lower; if the recording "
        "began later, say when (--start), or leave that time out (--epochs)"
    ]


def _refractory(recording: Recording, refractory_s: float, limit: float) -> Iterator[Suspect]:
    for n, train in enumerate(recording.trains):
        if recording.units.multiunit[n]:
            continue
        epoch = recording.epochs.locate(train)
        intervals = np.diff(train)[(epoch[1:] == epoch[:-1]) & (epoch[1:] >= 0)]
        n_short = int(np.count_nonzero(intervals < refractory_s - HALF_NANOSECOND))
        by_chance = binom.sf(n_short - 1, intervals.size, min(limit, 1.0))
        if n_short > limit * intervals.size and by_chance < _CHANCE:
            name, share = recording.units.ids[n], n_short / intervals.size
            of_all = f"{share:.1%} of its intervals ({n_short:,} of {intervals.size:,})"
            judged = f"has {of_all} below {refractory_s * 1e3:g} ms: perhaps several cells"
            yield Suspect((name,), "refractory", share, f"unit {name!r} {judged}")


def _duplicates(recording: Recording, window_s: float, limit: float) -> Iterator[Suspect]:
    width = 2.0 * window_s  # The central bin reaches to half of it on either side of zero.
    result = correlograms(recording, bin_width=width, max_lag_s=(_FLANK.stop - 1) * width)
    ids = recording.units.ids
    n_side = result.lags_s.size // 2
    ahead, behind = result.counts[:, :, n_side:], result.counts[:, :, n_side::-1]
    shared = ahead[:, :, 0]
    by_chance = (ahead[:, :, _FLANK] + behind[:, :, _FLANK]).mean(axis=2) / 2
    n_spikes = recording.spike_counts
    fewer = np.maximum(np.minimum(n_spikes[:, None], n_spikes), 1.0)
    share, expected = np.minimum(shared / fewer, 1.0), by_chance / fewer
    # If chance alone gives every spike a partner, there is no evidence.
    share = np.where(expected < 1.0, (share - expected) / (1.0 - np.minimum(expected, 0.999)), 0.0)
    for i, j in np.argwhere(np.triu((share > limit) & (shared >= _ENOUGH_SHARED), 1)):
        few, many = (ids[n] for n in ((i, j) if n_spikes[i] <= n_spikes[j] else (j, i)))
        within = f"{share[i, j]:.0%} of the spikes of {few!r} within {window_s * 1e3:g} ms"
        judged = f"units {few!r} and {many!r} share {within}: perhaps one cell sorted twice"
        yield Suspect((few, many), "duplicate", float(share[i, j]), judged)
