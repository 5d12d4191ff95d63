"""Bars in a terminal for what takes longer than a few seconds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tqdm import tqdm

#: What is done sooner shows no bar, seconds.
_PATIENCE = 5.0


def delayed_bar(total: int, what: str, steps: Iterable[Any] | None = None) -> tqdm[Any]:
    """A bar that goes when it is done: over ``steps``, or updated by hand; none of a single step.

    The time left follows from the ``total`` number of steps; ``what`` stands before the bar.
    """
    hidden = True if total < 2 else None  # None: where standard error is no terminal
    return tqdm(steps, what, total, delay=_PATIENCE, disable=hidden, leave=False)
