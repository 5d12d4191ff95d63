"""Functions that make recordings of other libraries' objects and that save recordings.

The data modules open no file and import no reader. The package's ``__init__``, which knows every
subpackage, registers here how to get the module with these functions; it is imported on the first
call.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

_providers: list[Callable[[], ModuleType]] = []


def register(provider: Callable[[], ModuleType]) -> None:
    """Let ``provider`` give the module of conversions."""
    _providers[:] = [provider]


def conversion(name: str) -> Callable[..., Any]:
    """The function called ``name`` in the registered module."""
    (provider,) = _providers
    function: Callable[..., Any] = getattr(provider(), name)
    return function
