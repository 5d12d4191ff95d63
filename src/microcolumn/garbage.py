"""Collecting garbage by hand where very many objects come and go together."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: New objects that take about 200 MB, as those of 50 figures do. Fewer are not worth freeing.
MANY = 1_000_000


@contextmanager
def collected_by_hand() -> Iterator[Callable[[], object]]:
    """Look for garbage only when told to in this block, which gets a function that does it.

    Python looks through all new objects after every 700, and through all there are from time to
    time. Where libraries are imported and figures are drawn, nearly all of them are in use, and
    looking takes a fifth of the time. The function frees what became garbage since the block began
    or since its last call, such as figures whose artists know each other, once there are many new
    objects.
    """
    was_on = gc.isenabled()
    gc.disable()
    _keep_all()
    try:
        yield _collect_new
    finally:
        if was_on:
            _keep_all()  # or Python would look through all at once
            gc.enable()


def _collect_new() -> None:
    if gc.get_count()[0] > MANY:
        gc.collect(1)


def _keep_all() -> None:
    """Take all that there is for long in use, without looking."""
    if not gc.get_freeze_count():  # what others froze would not stay so
        gc.freeze()
        gc.unfreeze()
