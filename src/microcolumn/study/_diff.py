"""What changed from one plan to another, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._plan import Plan


def changes(old: Plan, new: Plan) -> list[str]:
    """Each difference between two plans; empty where they plan the same.

    Examples
    --------
    >>> changes(Plan.of("B4", n_splits=5), Plan.of(["B4", "T6"]))
    ['recording T6 is new', 'instantaneous: n_splits was 5, is 10']
    """
    before, after = old.as_dict(), new.as_dict()
    return [
        *_differences("recording ", before["recordings"], after["recordings"]),
        *_differences("", before["experiments"], after["experiments"]),
    ]


def _differences(
    kind: str, before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    what = kind or "experiment "
    sentences = [f"{what}{name} is no longer planned" for name in before if name not in after]
    for name, settings in after.items():
        if name not in before:
            sentences.append(f"{what}{name} is new")
            continue
        for key in dict.fromkeys((*before[name], *settings)):
            was, now = before[name].get(key), settings.get(key)
            if was == now:
                continue
            if key == "in_memory" and was and now:
                sentences.append(f"{kind}{name}: its data in memory are not the same")
            else:
                sentences.append(f"{kind}{name}: {key} was {_told(was)}, is {_told(now)}")
    return sentences


def _told(value: Any) -> str:
    """A setting as a reader would write it."""
    if value is None:
        return "not set"
    if isinstance(value, list):
        return ", ".join(_told(entry) for entry in value) or "all"
    if isinstance(value, Mapping):
        return " and ".join(f"{key} {_told(entry)}" for key, entry in value.items())
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)
