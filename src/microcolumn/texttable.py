"""Tables as plain text: the same in a terminal, in a file and in a notebook."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from io import StringIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

#: Columns of the page that a table is laid out on: wider than any, so that no cell is wrapped.
_WIDEST = 10_000
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def text_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: Collection[str] = (),
    indent: int = 0,
) -> str:
    """Lay out a table in columns of equal width, without lines or colours.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of sequence of str
        As many cells each as the header has; line breaks and control characters become spaces.
    left : collection of str
        Names of the columns that are aligned to the left; the others, of numbers, to the right.
    indent : int
        Spaces before each line.

    Examples
    --------
    >>> print(text_table(("unit", "Hz"), [("u1", "0.5"), ("u12", "11.0")], left=("unit",)))
    unit    Hz
    u1     0.5
    u12   11.0
    """
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for name in header:
        table.add_column(_cell(name), justify="left" if name in left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(_cell, row))
    file = StringIO()
    Console(file=file, width=_WIDEST, color_system=None, force_jupyter=False).print(table)
    return "\n".join(" " * indent + line.rstrip() for line in file.getvalue().splitlines())


def _cell(text: str) -> Text:
    return Text(_CONTROL.sub(" ", text))
