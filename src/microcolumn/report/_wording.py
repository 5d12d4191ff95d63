"""The English of a report: its templates, and the texts of numbers that they share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..evaluate.assembly import MEANING, STABLE
from ..evaluate.significance import FEWEST_SPLITS, LEVEL, p_text, with_error
from ..formatting import duration, number
from ..wording import worded


def text(name: str, **values: Any) -> str:
    """The template ``name`` of the report, filled in: see :func:`microcolumn.wording.worded`."""
    return worded("report", name, **_SHARED, **values)


def span(values: Iterable[float], form: str = "z.2f") -> str:
    """The smallest and the largest number, or the only one: ``"1.90 to 3.01"``."""
    listed = list(values)
    ends = min(listed), max(listed)
    return " to ".join(dict.fromkeys(format(end, form) for end in ends))


_SHARED: dict[str, Any] = {
    "duration": duration,
    "fewest": FEWEST_SPLITS,
    "level": LEVEL,
    "number": number,
    "p_text": p_text,
    "meaning": MEANING,
    "span": span,
    "stable": STABLE,
    "with_error": with_error,
}
