"""Spike trains of files in the order of time, and when a recording begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..epochs import Epochs
from ..recording import Recording, silent_start_s
from ..validation import real_number


def in_order(trains: Sequence[ArrayLike]) -> tuple[list[Any], list[str]]:
    """The trains, sorted where a file has them out of order; and a note if any was."""
    found = [np.asarray(train) for train in trains]
    n_sorted = 0
    for n, train in enumerate(found):
        # What else is wrong with a train is said where it is checked.
        is_plain = train.ndim == 1 and train.dtype.kind in "iuf" and np.isfinite(train).all()
        if is_plain and (train[1:] < train[:-1]).any():
            found[n] = np.sort(train)
            n_sorted += 1
    return found, [f"spike times out of order were sorted (units: {n_sorted})"] * (n_sorted > 0)


def begun(trains: Sequence[Any], start: float | None, stated: object) -> Epochs | None:
    """The epoch from a stated ``start`` to the last spike; None if no start is stated.

    ``stated`` are epochs of the file or of the caller, which leave nothing to state.
    """
    first, last = _span(trains)
    if start is None:
        if stated is None and first < 0:
            raise ValueError(
                f"its first spike is at {first:.10g} s, before 0; say when the recording began: "
                f"start={np.floor(first):.10g}"
            )
        return None
    begin = real_number("start", start, "give seconds")
    if stated is not None:
        raise ValueError("it is stated when it was recorded; leave start= out, or choose epochs=")
    if not begin < last:
        raise ValueError(
            f"start is {begin:g} s but the last spike is at {last:.10g} s; give seconds on the "
            "clock of the spikes"
        )
    return Epochs([[begin, last]])


def start_notes(recording: Recording, start: float | None, *, stated: bool) -> list[str]:
    """What a recording begins with, where that may be wrong.

    ``stated`` tells whether the file or the caller says when it was recorded.
    """
    if stated:
        early = recording.spike_times[recording.spike_times < 0]
        outside = int((recording.epochs.locate(early) < 0).sum())
        return [f"spikes before 0 that lie outside the epochs: {outside}"] * (outside > 0)
    begin = float(recording.epochs.starts[0])
    if start is None and begin > 0:
        return [
            f"the first spike is at {begin:.6g} s, and the recording is taken to begin there; "
            "start= states when it began"
        ]
    silent = silent_start_s(recording)
    if not silent:
        return []
    return [
        f"no unit fires in the first {silent:.6g} s, which makes all rates lower; start= states "
        "when the recording began"
    ]


def _span(trains: Sequence[Any]) -> tuple[float, float]:
    """First and last spike; 0 and 0 where there is none."""
    spiking = [train for train in trains if train.ndim == 1 and train.size]
    numbers = [train for train in spiking if train.dtype.kind in "iuf"]
    ends = [(float(train[0]), float(train[-1])) for train in numbers]
    return (min(first for first, _ in ends), max(last for _, last in ends)) if ends else (0.0, 0.0)
