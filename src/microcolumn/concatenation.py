"""Words of several recordings, or of several parts of one, as one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .packing import unique_rows
from .timeline import Clock, Places


def concatenated(parts: Sequence[Any], kind: type) -> dict[str, Any]:
    """Fields of the words of all parts, which must be of a kind; see :meth:`.Words.concatenate`."""
    for k, part in enumerate(parts):
        if not isinstance(part, kind):
            raise TypeError(f"parts[{k}] is a {type(part).__name__}; pass {kind.__name__}")
    if not parts:
        raise ValueError("parts is empty; pass at least one part")
    first = parts[0]
    alike = [first, *(_like_first(first, part, k) for k, part in enumerate(parts[1:], start=1))]
    X, renamed = unique_rows(np.concatenate([part.X for part in alike]))
    rows = np.split(renamed, np.cumsum([len(part) for part in alike])[:-1])
    index = np.concatenate([row[part.index] for row, part in zip(rows, alike, strict=True)])
    weights = np.concatenate(
        [np.ones(part.n_bins) if part.weights is None else part.weights for part in alike]
    )
    starts, bins, clock = _in_time(alike)
    return {
        "X": X,
        "counts": np.bincount(index, weights=weights, minlength=len(X)).astype(np.float64),
        "index": index,
        "epoch_starts": starts,
        "bins": bins,
        "weights": None if all(part.weights is None for part in alike) else weights,
        "clock": clock,
    }


def _like_first(first: Any, part: Any, k: int) -> Any:
    """A part with its units in the order of the first, if it fits."""
    if not math.isclose(part.bin_width, first.bin_width, rel_tol=1e-9):
        raise ValueError(
            f"part {k} has bins of {part.bin_width * 1e3:g} ms and part 0 of "
            f"{first.bin_width * 1e3:g} ms; bin all parts alike"
        )
    if part.window != first.window:
        raise ValueError(
            f"words of part {k} span {part.window} bins and those of part 0 {first.window}; "
            "concatenate single bins, and embed the whole"
        )
    other = set(first.units.ids) ^ set(part.units.ids)
    if other:
        raise ValueError(
            f"unit {min(other)!r} is not in both part 0 and part {k}; pass words of the same "
            "units, for example of recording.select(ids=...)"
        )
    if part.units.ids == first.units.ids:
        return part
    place = {unit: position for position, unit in enumerate(part.units.ids)}
    return part.reordered([place[unit] for unit in first.units.ids])


def _in_time(parts: Sequence[Any]) -> tuple[Places, Places, Clock]:
    """First bin of each epoch, place of each bin, and a clock that runs on from part to part."""
    starts, bins, first_bins, starts_s = [], [], [], []
    n_before, place, end_s = 0, 0, -math.inf
    for part in parts:
        width, used = part.bin_width, part.clock.first_bins <= part.bins[-1]
        begin_s, last_s = part.clock.times_s(part.bins[[0, -1]], width).tolist()
        shift_s = max(0.0, end_s - begin_s)
        starts.append(part.epoch_starts + n_before)
        bins.append(part.bins + place)
        first_bins.append(part.clock.first_bins[used] + place)
        starts_s.append(part.clock.starts_s[used] + shift_s)
        n_before += part.n_bins
        place += int(part.bins[-1]) + part.window
        end_s = last_s + shift_s + part.window * width
    clock = Clock(np.concatenate(first_bins), np.concatenate(starts_s))
    return np.concatenate(starts), np.concatenate(bins), clock
