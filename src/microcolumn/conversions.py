"""Functions that make recordings of other libraries' objects and that save recordings.

The data modules open no file and import no reader. The package's ``__init__``, which knows every
subpackage, sets the provider here; the module is imported on the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

#: Gives the module with these functions.
provider: Callable[[], ModuleType] | None = None


def conversion(name: str) -> Callable[..., Any]:
    """The function called ``name`` in the registered module."""
    assert provider is not None
    function: Callable[..., Any] = getattr(provider(), name)
    return function
