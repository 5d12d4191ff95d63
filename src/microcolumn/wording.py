"""English of captions and reports: templates in files, into which values are filled."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from .formatting import counted, enumeration, scientific

if TYPE_CHECKING:
    from jinja2 import Environment


def worded(subpackage: str, name: str, **values: Any) -> str:
    """The template ``name`` of a subpackage with its values, as one line of text.

    It is ``templates/<name>.txt`` in its folder, in Jinja's language. Lines of it may
    be broken anywhere. Its filters are the functions of :mod:`microcolumn.formatting`, ``f`` for
    Python's format specifications, ``capital`` for a capital at the beginning and ``percent``.
    """
    text = _templates(subpackage).get_template(f"{name}.txt").render(values)
    return re.sub(r"[ \n]+", " ", text).strip()  # no-break spaces stay


def worded_lines(subpackage: str, name: str, **values: Any) -> list[str]:
    """As :func:`worded`, but a line for each of the template that is not empty, with its spaces."""
    text = _templates(subpackage).get_template(f"{name}.txt").render(values)
    return [line for line in text.splitlines() if line.strip()]


@cache
def _templates(subpackage: str) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # What is filled in is plain text; the page escapes all of it.
    loader = PackageLoader(f"microcolumn.{subpackage}")
    made = Environment(loader=loader, undefined=StrictUndefined, autoescape=False)
    made.filters |= {
        "capital": lambda text: f"{text[0].upper()}{text[1:]}",
        "counted": counted,
        "enumeration": enumeration,
        "f": format,
        "percent": lambda share: f"{100 * share:.3g}\N{NO-BREAK SPACE}%",
        "scientific": scientific,
    }
    return made
