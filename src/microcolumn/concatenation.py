"""Words of several recordings, or of several parts of one, as one."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import BadArgument, BadType
from .packing import unique_rows
from .timeline import Clock, Places
from .validation import kind_of


def concatenated(parts: Sequence[Any], kind: type) -> dict[str, Any]:
    """Fields of the words of all parts, which must be of a kind; see :meth:`.Words.concatenate`."""
    for k, part in enumerate(parts):
        if not isinstance(part, kind):
            raise BadType(f"parts[{k}]", f"is {kind_of(part)}", f"pass {kind.__name__}")
    if not parts:
        raise BadArgument("parts", "is empty", "pass at least one part")
    alike = [_like_first(parts[0], part, k) for k, part in enumerate(parts)]
    X, renamed = unique_rows(np.concatenate([part.X for part in alike]))
    rows = np.split(renamed, np.cumsum([len(part) for part in alike])[:-1])
    index = np.concatenate([row[part.index] for row, part in zip(rows, alike, strict=True)])
    known = [part.weights for part in alike]
    weights = [np.ones(p.n_bins) if w is None else w for p, w in zip(alike, known, strict=True)]
    starts, bins, clock = _in_time(alike)
    return {
        "X": X,
        "counts": np.bincount(index, weights=np.concatenate(weights), minlength=len(X)),
        "index": index,
        "epoch_starts": starts,
        "bins": bins,
        "weights": None if all(w is None for w in known) else np.concatenate(weights),
        "clock": clock,
    }


def _like_first(first: Any, part: Any, k: int) -> Any:
    """A part with its units in the order of the first, if it fits."""
    mine, width = first.bin_width, part.bin_width
    if not math.isclose(width, mine, rel_tol=1e-9):
        problem = f"has bins of {width * 1e3:g} ms, not of {mine * 1e3:g} ms"
        raise BadArgument(f"parts[{k}]", problem, "bin all parts alike")
    if part.window != first.window:
        problem = f"has words of {part.window} bins, not of {first.window}"
        raise BadArgument(f"parts[{k}]", problem, "embed them afterwards")
    if other := set(first.units.ids) ^ set(part.units.ids):
        problem = f"or the first part has no unit {min(other)!r}"
        raise BadArgument(f"parts[{k}]", problem, "select the same units of all recordings")
    place = {unit: position for position, unit in enumerate(part.units.ids)}
    return part.reordered([place[unit] for unit in first.units.ids])


def _in_time(parts: Sequence[Any]) -> tuple[Places, Places, Clock]:
    """First bin of each epoch, place of each bin, and a clock that runs on from part to part."""
    rows: list[tuple[Any, ...]] = []
    n_before, place, end_s = 0, 0, -math.inf
    for part in parts:
        clock, used = part.clock, part.clock.first_bins <= part.bins[-1]
        begin_s, last_s = clock.times_s(part.bins[[0, -1]], part.bin_width).tolist()
        later_s = max(0.0, end_s - begin_s)
        times = clock.first_bins[used] + place, clock.starts_s[used] + later_s
        rows.append((part.epoch_starts + n_before, part.bins + place, *times))
        n_before, place = n_before + part.n_bins, place + int(part.bins[-1]) + part.window
        end_s = last_s + later_s + part.window * part.bin_width
    starts, bins, first_bins, starts_s = map(np.concatenate, zip(*rows, strict=True))
    return starts, bins, Clock(first_bins, starts_s)
