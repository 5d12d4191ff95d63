"""Refusals of what a user passed, as objects: every check of the package raises one of these.

Any other ``ValueError`` or ``TypeError`` is a bug, and commands report it as one.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from string import Formatter
from types import MappingProxyType
from typing import NamedTuple

#: Characters of a list of names in a sentence, and of one name.
_LIST, _NAME = 160, 60


class Setting(NamedTuple):
    """An argument that a remedy names, with its value if it has one; commands write an option."""

    name: str
    value: object = ""

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}" if self.value != "" else f"{self.name}="


#: What to do: a text, or the parts of one that names settings.
Remedy = str | tuple[str | Setting, ...]


def advice(template: str, **values: object) -> tuple[str | Setting, ...]:
    """A remedy that names settings in braces, with a value after a colon or in ``values``.

    >>> advice("pass {units_in:rows} and {bin_width} in seconds")
    ('pass ', Setting(name='units_in', value='rows'), ' and ', Setting(name='bin_width', value=''),
     ' in seconds')
    """
    parts: list[str | Setting] = []
    for text, name, value, _ in Formatter().parse(template):
        parts += [text, *([Setting(name, values.get(name, value))] if name else [])]
    return tuple(part for part in parts if part)


class BadInput(ValueError):
    """What cannot be used, in one sentence: the problem, and what to do about it.

    Attributes
    ----------
    problem : str
        What is wrong; of an argument, what follows its name.
    remedy : str or tuple of str and Setting
        What to do, "" if there is nothing.
    argument : str
        The argument that is refused, "" if it is not one argument.
    path : str
        The file that was read, "" if none was.
    places : tuple of str
        Where it stands, outermost first: files, sections of a plan, columns.
    """

    argument = path = ""
    places: tuple[str, ...] = ()

    def __init__(self, problem: str, remedy: Remedy = "") -> None:
        super().__init__(problem, remedy)  # what unpickling calls the class with
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return self.sentence()

    def sentence(
        self,
        names: Mapping[str, str] = MappingProxyType({}),
        setting: Callable[[Setting], str] = str,
    ) -> str:
        """The sentence, with other ``names`` of arguments and settings as ``setting`` writes them.

        >>> BadArgument("n_hidden", "is -3", "it must be at least 1").sentence({"n_hidden": "-n"})
        '-n is -3; it must be at least 1'
        """
        parts = (self.remedy,) if isinstance(self.remedy, str) else self.remedy
        remedy = "".join(part if isinstance(part, str) else setting(part) for part in parts)
        clause = f"{self._subject(names)}{self.problem}"
        # An option says itself where it stands, except in which file.
        places = [p for p in self.places if p == self.path or self.argument not in names]
        return ": ".join([*places, f"{clause}; {remedy}" if remedy else clause])

    def _subject(self, names: Mapping[str, str]) -> str:
        """What the problem is said of, where it does not say so itself."""
        return ""


class BadArgument(BadInput):
    """An argument that cannot be used; ``"J[2, 2]"`` is an entry of the argument ``J``."""

    def __init__(self, argument: str, problem: str, remedy: Remedy = "") -> None:
        super().__init__(problem, remedy)
        self.args = (argument, problem, remedy)
        self.argument, bracket, index = argument.partition("[")
        self.entry = bracket + index

    def _subject(self, names: Mapping[str, str]) -> str:
        return f"{names.get(self.argument, self.argument)}{self.entry} "


class BadType(BadArgument, TypeError):
    """An argument of a type that cannot be used."""


class Unsupported(BadInput, TypeError):
    """What an object of this type cannot do."""


class BadFile(BadInput):
    """A file that cannot be read; its path is that of :func:`in_file`."""


@contextmanager
def within(place: str) -> Iterator[None]:
    """Name a place in front of what is refused inside."""
    try:
        yield
    except BadInput as error:
        error.places = (place, *error.places)
        raise


@contextmanager
def in_file(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say which file was read of what is refused inside."""
    try:
        yield
    except BadInput as error:
        if error.path != (name := os.fspath(path)):
            error.places = (name, *error.places)
        error.path = error.path or name
        raise


def damaged(problem: str) -> BadFile:
    """The error about a file that no program can have written like this."""
    return BadFile(problem, "it is damaged: export or copy it again")


def name_list(names: Iterable[object]) -> str:
    """As many names as a sentence has space for, and how many more there are."""
    shown = [f"{name!s:.{_NAME}}" for name in names]
    ends = accumulate(len(name) + 2 for name in shown)
    n_shown = max(1, sum(end <= _LIST for end in ends))
    more = f" and {len(shown) - n_shown} more" if len(shown) > n_shown else ""
    return ", ".join(shown[:n_shown]) + more or "none"
