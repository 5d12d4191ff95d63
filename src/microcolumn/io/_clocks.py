"""Clocks of files: their units of time, and segments with clocks of their own put on one clock."""

from collections.abc import Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from ..epochs import HALF_NANOSECOND, Epochs
from ..errors import BadArgument, BadFile, advice
from ..validation import Floats, one_of

_PER_SECOND = {"s": 1.0, "ms": 1e3, "0.1 ms": 1e4, "us": 1e6, "ns": 1e9}
#: Seconds between segments whose own clocks do not say how they follow each other.
_GAP_S = 1.0
#: An example of each rate, Hz, and a limit: no microscope takes more frames.
_RATES = {"sampling_rate": (20_000, np.inf), "frame_rate": (30, 1e5)}


def ticks_per_second(time_unit: str, sampling_rate: float | None) -> float:
    """How many units of time make a second; only times in samples need a sampling rate."""
    one_of("time_unit", time_unit, (*_PER_SECOND, "samples"))
    if time_unit != "samples":
        if sampling_rate is not None:
            problem = f"is {sampling_rate!r} but times are in {time_unit}"
            remedy = advice("pass {time_unit:samples} or leave it out")
            raise BadArgument("sampling_rate", problem, remedy)
        return _PER_SECOND[time_unit]
    if not is_rate(sampling_rate):
        problem = f"its times are in samples and sampling_rate is {sampling_rate!r}"
        raise BadFile(problem, advice("pass {sampling_rate} in Hz"))
    return float(sampling_rate)


def is_rate(value: object) -> TypeGuard[Real]:
    """Whether a value is a positive and finite number."""
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < np.inf


def stated_rate(
    of_file: Any, stated: float | None, where: str, option: str
) -> tuple[float, list[str]]:
    """Samples or frames per second: what the caller states, else what ``where`` says; and a note.

    Callers state it by ``option``, ``"sampling_rate"`` or ``"frame_rate"``.
    """
    example, most = _RATES[option]
    rate, what = of_file if stated is None else stated, option.replace("_", " ")
    if not is_rate(rate) or float(rate) > most:
        problem = f"the {what} is {rate!r}"
        if rate is None:
            problem = f"{where} states no {what} as a plain number"
        raise BadFile(problem, advice(f"pass {{{option}}} in Hz, such as {example}"))
    if stated is None:
        return float(rate), [f"the {what} is {rate:g} Hz, as {where} says"]
    differs = of_file not in (None, stated)
    return float(rate), [f"the {what} is {rate:g} Hz as stated; {where} says {of_file}"] * differs


def whole_epoch(
    duration: float | None, trains: Sequence[Any], what: str
) -> tuple[Epochs | None, list[str]]:
    """From 0 to ``duration``, that of ``what``; None if that is no time, or ends before a spike."""
    if duration is None or not 0 < duration < np.inf:
        return None, []
    last = max((float(np.max(train)) for train in trains if np.size(train)), default=0.0)
    if last <= duration:
        return Epochs([[0.0, duration]]), []
    return None, [f"{what} ends at {duration:g} s, before the last spike at {last:g} s: not used"]


def align_segments(
    stretches: Sequence[tuple[float, float]],
    shared: Sequence[tuple[float, float]] | None = None,
    *,
    labelled: bool = True,
) -> tuple[Floats, Epochs, list[str]]:
    """Seconds to add to the times of each segment so that all share one clock, epochs, and notes.

    Segments that follow each other on their own clocks are not moved. If they overlap, as trials do
    that all start at 0, each begins 1 s after the one before it ends. ``stretches`` are start and
    stop of each segment on its own clock, seconds; all its spikes lie between them. The epochs are
    those of ``stretches``, or of their parts ``shared``, after the move; they are ``labelled``
    ``"segment 0"`` and so on.
    """
    shifts, notes = np.zeros(len(stretches)), []
    if any(later[0] <= stop - 2 * HALF_NANOSECOND for (_, stop), later in pairwise(stretches)):
        begin = max(stretches[0][0], 0.0)  # trials may begin before the event they are aligned to
        for k, (start, stop) in enumerate(stretches):
            shifts[k] = begin - start
            begin += stop - start + _GAP_S
        notes.append(
            f"{len(stretches)} segments put one after another with {_GAP_S:g} s between them"
        )
    spans = np.array(stretches if shared is None else shared).reshape(-1, 2) + shifts[:, None]
    spans[:-1, 1] = np.minimum(spans[:-1, 1], spans[1:, 0])  # rounding may make neighbours overlap
    labels = [f"segment {k}" for k in range(len(spans))] if labelled else None
    return shifts, Epochs(spans, labels), notes


def joined_trains(by_segment: Sequence[Sequence[Floats]], shifts: Floats) -> list[Floats]:
    """Spike times of each unit in all segments, after these were moved."""
    return [
        np.concatenate([train + shift for train, shift in zip(parts, shifts, strict=True)])
        for parts in zip(*by_segment, strict=True)
    ]
