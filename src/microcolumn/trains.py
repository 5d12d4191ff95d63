"""The check of spike trains: times in seconds, in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .validation import Floats, listed, real_array

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


class UnitOfTimeError(ValueError):
    """Spike times that cannot be in seconds."""


def checked_trains(
    trains: Iterable[Any], ids: Sequence[str] | None, *, before_zero: bool = False
) -> list[Floats]:
    """Spike times of each unit in seconds: finite, in order, not negative unless ``before_zero``.

    Errors name units by ``ids``, by default by position.
    """
    entries = listed("trains", trains, "pass one array of spike times per unit")
    names = [str(n) for n in range(len(entries))] if ids is None else ids
    if len(names) != len(entries):
        raise ValueError(
            f"there are {len(entries)} spike trains for {len(names)} units; pass one per unit"
        )
    checked = [_checked(times, name) for times, name in zip(entries, names, strict=True)]
    for train, name in zip(checked, names, strict=True):
        if train.size and train[0] < 0 and not before_zero:
            raise ValueError(
                f"unit {name!r}: spike 0 is at {train[0]:.10g} s, before 0; state epochs that "
                "begin before it, or shift the times"
            )
    _check_mixed(checked, names)
    return checked


def check_length(trains: Sequence[Floats], duration_s: float) -> None:
    """Refuse a recording that lasts so long and holds so few spikes that it is not in seconds."""
    sizes = [train.size for train in trains if train.size]
    rate = float(np.median(sizes)) / duration_s if sizes and duration_s > 0 else np.inf
    if duration_s > _TOO_LONG or (duration_s > _LONG and rate < _RARE):
        raise UnitOfTimeError(
            f"the recording lasts {duration_s:.10g} s at a median of {rate:.2g} Hz, which looks "
            "like milliseconds or samples; give spike times and epochs in seconds"
        )


def _checked(times: Any, name: str) -> Floats:
    train = real_array(f"the train of unit {name!r}", times, "pass spike times in seconds")
    if train.size == 0:
        return train.reshape(0)
    if train.ndim != 1:
        raise ValueError(
            f"the train of unit {name!r} has shape {train.shape}; pass a list of spike times"
        )
    bad = np.flatnonzero(~np.isfinite(train))
    if bad.size:
        raise ValueError(
            f"unit {name!r}: spike {bad[0]} is at {train[bad[0]]} s; "
            "leave out spikes whose time is unknown"
        )
    behind = np.flatnonzero(train[1:] < train[:-1])
    if behind.size:
        k = behind[0] + 1
        raise ValueError(
            f"unit {name!r}: spike {k} at {train[k]:.10g} s comes after spike {k - 1} at "
            f"{train[k - 1]:.10g} s; sort each unit's spike times"
        )
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
    if (
        last[longest] > _LASTS_LONGER * last[shortest]
        and own_rate[longest] * _FIRES_RARER < own_rate[shortest]
    ):
        raise UnitOfTimeError(
            f"unit {names[spiking[longest]]!r} fires for {last[longest]:.10g} s but unit "
            f"{names[spiking[shortest]]!r} for {last[shortest]:.10g} s, which looks like mixed "
            "units of time; give all spike times in seconds"
        )
