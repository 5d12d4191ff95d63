"""Numbers, lists and tables as text and as HTML, for terminals, files, captions and notebooks."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape
from io import StringIO
from typing import Any

from .safe_text import printable

#: Columns of the page that a table is laid out on: wider than any, so that no cell is wrapped.
_WIDEST = 10_000
#: Spaces between two columns.
_BETWEEN = 2
#: Letters of a column of text that is not made narrower where another may stand below instead.
_READABLE = 20
#: Most rows of a list that a notebook shows.
_MOST_ROWS = 200


def text_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: Collection[str] = (),
    indent: int = 0,
    width: int | None = None,
) -> str:
    """Lay out a table in columns of equal width, without lines or colours.

    Parameters
    ----------
    header : sequence of str
        Names of the columns; no line is printed for them if all are empty.
    rows : iterable of sequence of str
        As many cells each as the header has; line breaks in them become spaces.
    left : collection of str
        Names of the columns that are aligned to the left; the others, of numbers, to the right.
    indent : int
        Spaces before each line.
    width : int, optional
        Letters that a line may have: names of columns and text on the left are broken between
        words so that the table fits. Columns that do not fit all the same stand below the others,
        beside the first column again.

    Examples
    --------
    >>> print(text_table(("unit", "Hz"), [("u1", "0.5"), ("u12", "11.0")], left=("unit",)))
    unit    Hz
    u1     0.5
    u12   11.0
    """
    from rich.cells import cell_len  # pages and most commands have no need of it
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    one_line = str.maketrans("\n\t", "  ")
    cells = [[printable(each).translate(one_line) for each in row] for row in (header, *rows)]
    columns = list(zip(*cells, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    # Words of a column's name and of text stay on one line, and so do whole numbers.
    unbroken = [
        ["", *name.split(), *(" ".join(cells).split() if given in left else cells)]
        for given, (name, *cells) in zip(header, columns, strict=True)
    ]
    least = [max(map(cell_len, each)) for each in unbroken]
    file = StringIO()
    console = Console(file=file, width=_WIDEST, color_system=None, force_jupyter=False)
    for part in _fitting(widths, least, _WIDEST if width is None else width - indent):
        table = Table(box=None, padding=(0, 1), pad_edge=False, show_header=any(header))
        for k, letters in part.items():
            side: Any = "left" if header[k] in left else "right"
            table.add_column(Text(cells[0][k]), justify=side, width=letters)
        for row in cells[1:]:
            table.add_row(*(Text(row[k]) for k in part))
        console.print(table)
    return "\n".join(" " * indent + line.rstrip() for line in file.getvalue().splitlines())


def _fitting(widths: Sequence[int], least: Sequence[int], width: int) -> list[dict[int, int]]:
    """Parts of a table that fit into a line: the first column and others, each with its width."""
    parts = [[0]]
    for k in range(1, len(widths)):
        needed = [max(least[n], min(widths[n], _READABLE)) for n in (*parts[-1], k)]
        if len(needed) > 2 and sum(needed) + _BETWEEN * (len(needed) - 1) > width:
            parts.append([0])
        parts[-1].append(k)
    return [_narrowed(part, widths, least, width - _BETWEEN * (len(part) - 1)) for part in parts]


def _narrowed(
    part: Sequence[int], widths: Sequence[int], least: Sequence[int], width: int
) -> dict[int, int]:
    """Widths of columns, of which the widest are made narrower until all of them fit."""
    for most in range(max(widths), -1, -1):
        narrowed = {k: min(widths[k], max(least[k], most)) for k in part}
        if sum(narrowed.values()) <= width:
            break
    return narrowed


def html_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, left: Sequence[str] = ()
) -> str:
    """A table as HTML for a notebook, with whatever it says escaped; see :func:`text_table`.

    >>> html_table(("",), [("a<b",)], left=("",))
    '<table><tbody><tr><td style="padding:0 0.5em;text-align:left">a&lt;b</td></tr></tbody></table>'
    """
    sides = ["left" if name in left else "right;white-space:nowrap" for name in header]

    def line(cells: Sequence[str], tag: str) -> str:
        return "".join(
            f'<{tag} style="padding:0 0.5em;text-align:{side}">{html_text(cell)}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        )

    head = f"<thead><tr>{line(header, 'th')}</tr></thead>" if any(header) else ""
    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def html_list(columns: Mapping[str, Sequence[str]], noun: str, *, left: Sequence[str] = ()) -> str:
    """A table of columns by name as HTML, of whose many rows the first are shown.

    >>> html_list({"unit": ["u"] * 203}, "unit").count("<tr>")  # with the line of names
    201
    >>> html_list({"unit": ["u"] * 203}, "unit")[-23:]
    '<p>and 3 more units</p>'
    """
    rows = list(zip(*columns.values(), strict=True))
    rest = len(rows) - _MOST_ROWS
    more = f"<p>and {counted(rest, f'more {noun}')}</p>" if rest > 0 else ""
    return html_table(list(columns), rows[:_MOST_ROWS], left=left) + more


def html_text(text: str) -> str:
    """Text for HTML: none of it is markup, and characters that are not shown are spelt out."""
    return escape(printable(text))


def counted(n: int, noun: str) -> str:
    """``"1 unit"``, ``"1,200 units"``."""
    return f"{n:,} {noun}{'s' * (n != 1)}"


def number(value: float, digits: int = 2) -> str:
    """A number with fixed digits and never ``-0.00``; a dash for NaN."""
    return "-" if math.isnan(value) else f"{value:z.{digits}f}"


def rounded(value: float | None, digits: int = 4) -> float | None:
    """A number with some significant digits for JSON; None for what is not finite."""
    known = value is not None and math.isfinite(value)
    return float(f"{value:.{digits}g}") if known else None


def scientific(value: float) -> str:
    """A number such as a penalty: ``0``, ``2e-3``, ``0.5``."""
    if not 0.0 < value < 0.1:
        return f"{value:g}"
    digits, exponent = f"{value:.3e}".split("e")
    return f"{float(digits):g}e{int(exponent)}"


def duration(seconds: float) -> str:
    """Seconds in a unit that fits: ``"12 s"``, ``"60 min"``, ``"2.5 h"``."""
    if seconds < 120.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 7200.0 else f"{seconds / 3600.0:.1f} h"


def milliseconds(seconds: float) -> str:
    """A time that may be given back as it is printed: ``"20 ms"``, ``"33.3333333 ms"``."""
    return f"{seconds * 1e3:.9g} ms"


def enumeration(names: Sequence[str]) -> str:
    """``"a, b and c"``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
