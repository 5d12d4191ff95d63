"""Which arrays of a file hold times and units, as the user states it: ``times=`` and ``units=``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..safe_text import as_text
from ..validation import Floats
from ._arrays import check_same_length, flat_numbers, split_by_unit
from ._failures import BadFileError, name_list
from ._session import Session

#: Parts of names that times and units go by, the likeliest first.
_TIME_PARTS = ("spike_time", "spiketime", "time", "sample", "stamp", "ts")
_UNIT_PARTS = ("cluster", "unit", "neuron", "cell", "label", "clu", "id")


class Arrays(NamedTuple):
    """Arrays of a file that times and units are chosen from."""

    names: Sequence[str]
    #: Gives the array of a name.
    read: Callable[[str], NDArray[Any]]
    #: What separates the parts of a name, and what a file calls its arrays.
    separator: str
    what: str


def mapped_session(
    arrays: Arrays, times: str | None, units: str | None, per_second: float
) -> Session:
    """Session of the arrays that the caller names.

    ``times`` and ``units`` name the time and the unit of each spike; or ``times`` is a pattern
    such as ``unit_*`` of arrays that hold the times of one unit each.
    """
    if times is not None and "*" in times:
        found = matching(arrays.names, times, arrays.separator)
        refuse("one array of times per unit", units=units)
        if not found:
            raise BadFileError(f"nothing is called {times!r}; {offer(arrays.names, arrays.what)}")
        trains = [_numbers(arrays.read(name), name) / per_second for name in found.values()]
        return Session(list(found), trains)
    chosen = [_chosen(arrays, name) for name in (times, units)]
    ticks = _numbers(arrays.read(chosen[0]), chosen[0])
    labels = _labels(arrays.read(chosen[1]), chosen[1])
    check_same_length(chosen[0], ticks, chosen[1], labels)
    return Session(*by_unit(ticks / per_second, labels))


def _chosen(arrays: Arrays, name: str | None) -> str:
    """The full name of an array that the caller named."""
    wanted = str(name).strip(arrays.separator)
    for known in arrays.names:
        if name is not None and known.strip(arrays.separator) == wanted:
            return known
    problem = f"nothing is called {name!r}" if name is not None else "times and units are not known"
    raise BadFileError(f"{problem}; {offer(arrays.names, arrays.what)}")


def _numbers(times: NDArray[Any], name: str) -> Floats:
    return flat_numbers(_row_as_column(times), name).astype(np.float64)


def matching(names: Sequence[str], pattern: str, separator: str) -> dict[str, str]:
    """Names that match a pattern such as ``unit_*``, by the unit that each stands for.

    A star stands for anything between two separators; units go by the parts that have one.
    """
    wanted = pattern.strip(separator).split(separator)
    found = {}
    for name in names:
        parts = name.strip(separator).split(separator)
        if len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted)):
            own = (part for part, want in zip(parts, wanted, strict=True) if part != want)
            found[separator.join(own)] = name
    return {unit: found[unit] for unit in sorted(found, key=natural)}


def by_unit(times: Floats, labels: NDArray[Any]) -> tuple[list[str], list[Floats]]:
    """Units in the natural order of their names, and spike times of each."""
    found, codes = np.unique(labels, return_inverse=True)
    names = [str(label) for label in found.tolist()]
    trains = split_by_unit(times, codes.ravel(), len(names))
    order = sorted(range(len(names)), key=lambda n: natural(names[n]))
    return [names[n] for n in order], [trains[n] for n in order]


def natural(name: str) -> tuple[list[Any], str]:
    """Key that sorts runs of digits by their value and everything else as text."""
    parts: list[Any] = re.split("([0-9]+)", name)
    values = [digits.lstrip("0") for digits in parts[1::2]]
    parts[1::2] = [(len(value), value) for value in values]
    return parts, name


def offer(names: Sequence[str], what: str, shown: Sequence[object] | None = None) -> str:
    """Advice to name times and units among the ``what`` of a file, with the likeliest of them.

    It lists the names, or what is ``shown`` in their place.
    """
    time, unit = _likeliest(names, _TIME_PARTS), _likeliest(names, _UNIT_PARTS)
    if time is None or unit is None or time == unit:
        time, unit = "...", "..."
    return (
        f"name the {what} of times and of units, for example times={time!r} units={unit!r} "
        f"({what}: {name_list(shown or names)})"
    )


def refuse(content: str, **options: Any) -> None:
    """Refuse options that were given and do not apply to ``content``."""
    for name in (name for name, value in options.items() if value is not None):
        raise BadFileError(f"{name}= does not apply to {content}; leave it out")


def _likeliest(names: Sequence[str], parts: Sequence[str]) -> str | None:
    found = (name for part in parts for name in names if part in name.lower())
    return next(found, None)


def _row_as_column(array: NDArray[Any]) -> NDArray[Any]:
    return array.T if array.ndim == 2 and array.shape[0] == 1 else array


def _labels(units: NDArray[Any], name: str) -> NDArray[Any]:
    """Names of units: text, or whole numbers, which files may hold as floating-point numbers."""
    flat = _row_as_column(units)
    flat = flat[:, 0] if flat.ndim == 2 and flat.shape[1] == 1 else flat
    if flat.ndim == 1 and flat.dtype.kind in "USO":
        return np.array([as_text(label) for label in flat.tolist()], dtype=np.str_)
    numbers = flat_numbers(flat, name)
    if numbers.dtype.kind != "f":
        return numbers
    bad = np.flatnonzero(~np.isfinite(numbers) | (numbers != np.trunc(numbers)))
    if bad.size:
        raise BadFileError(
            f"{name} holds {numbers[bad[0]]}, which names no unit; name whole numbers or text with "
            "units="
        )
    return numbers.astype(np.int64)
