"""Public names that have changed: the old one answers with the new one, and nothing else."""

import difflib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import lazy_loader  # type: ignore[import-untyped]

#: New name of each attribute that was renamed, of whichever class has it.
ATTRIBUTES = {
    "false_mass": "spurious_mass",
    "has_false_mode": "has_spurious_mode",
    "is_light": "is_fast",
    "lift": "dirichlet_gain",
    "light_above": "fast_above_bits",
    "only_live": "drop_dead_units",
    "silenced": "negative_units",
    "whole": "full",
}


def attach(
    package: str, file: str, renamed: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The lazy names of a package's stub; old names are refused in a sentence with the new one."""
    load, names, public = lazy_loader.attach_stub(package, file)

    def find(name: str) -> Any:
        if name in renamed:
            raise AttributeError(f"{package}.{name} is {renamed[name]} now")
        if name in public:
            return load(name)
        close = difflib.get_close_matches(name, public, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise AttributeError(f"{package} has no attribute {name!r}{hint}")

    return find, names, public


class Renamed:
    """Base of classes whose attributes were renamed."""

    __slots__ = ()

    if not TYPE_CHECKING:  # or every misspelt attribute would pass for Any

        def __getattr__(self, name: str) -> Any:
            kind, new = type(self).__name__, ATTRIBUTES.get(name, "")
            now = f"; it is {new} now" if hasattr(type(self), new) else ""
            raise AttributeError(f"{kind} has no attribute {name!r}{now}", name=name, obj=self)
