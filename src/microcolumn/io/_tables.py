"""Text tables: separated by commas, semicolons, tabs or spaces, compressed by gzip or not."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from ..errors import BadFile, advice, damaged, name_list

if TYPE_CHECKING:
    from _csv import Reader as Rows

#: First bytes of a file compressed by gzip.
GZIP = b"\x1f\x8b"
#: Names of the column of units, as `plain_name` writes them.
UNIT_NAMES = ("unit", "unit_id", "cluster", "cluster_id", "neuron")
#: Bytes that any compressed file may hold, and how many times its size.
_FINE, _COMPRESSION = 1 << 26, 100
#: Characters of a line, so that a file without line ends does not fill the memory.
_LONGEST_LINE = 1 << 26
#: Columns of a table, unless it is a matrix.
_MOST_COLUMNS = 10_000


@contextmanager
def open_table(
    path: Path, title: str = "it", *, is_matrix: bool = False
) -> Iterator[tuple[list[str], Rows]]:
    """Header and rows of a table, while the block lasts; errors call the file ``title``."""
    try:
        with _opened(path) as file:
            lines = iter(partial(file.readline, _LONGEST_LINE), "")
            first = next(lines, "")
            if not first:
                raise BadFile(f"{title} is empty", "export or copy it again")
            if not first.strip():
                raise BadFile("its first line is empty", "it needs a header such as 'unit,time'")
            separator = next((mark for mark in "\t;," if mark in first), " ")
            if not is_matrix and first.count(separator) >= _MOST_COLUMNS:
                remedy = advice("export unit and time, or state the {bin_width} of counts")
                raise BadFile(f"{title} has more than {_MOST_COLUMNS:,} columns", remedy)
            shape: dict[str, Any] = {"delimiter": separator, "skipinitialspace": separator == " "}
            titles = first.strip() if separator == " " else first
            header = [name.strip() for name in next(csv.reader([titles], **shape), [])]
            yield header, csv.reader(lines, **shape)
    except UnicodeError as error:
        reason = getattr(error, "reason", error)
        raise BadFile(f"{title} is not UTF-8 text ({reason})", "save it as CSV in UTF-8") from None
    except csv.Error as error:
        raise BadFile(f"{title} cannot be read as a table ({error})", "save it as CSV") from None


def check_fields(rows: Iterable[list[str]], n_fields: int, first_line: int) -> None:
    """Refuse a row that has not as many fields as the first line."""
    for line, row in enumerate(rows, first_line):
        if len(row) != n_fields:
            problem = (
                f"has {len(row)} fields, the first {n_fields}; complete it, with decimal points"
            )
            raise BadFile(f"line {line} {'is empty; remove it' if is_blank(row) else problem}")


def is_blank(row: list[str]) -> bool:
    """Whether there is nothing in a row."""
    return not "".join(row).strip()


def _opened(path: Path) -> TextIO:
    """A text file, compressed or not, in UTF-8 or in UTF-16, which spreadsheets also write."""
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
    most = max(_FINE, _COMPRESSION * path.stat().st_size)
    opener: Any = gzip.open if packed else open
    with opener(path, "rb") as file:
        mark = file.read(2)
        while packed and file.read(1 << 20):
            if file.tell() > most:
                raise damaged(f"it unpacks to more than {most:,} bytes")
    encoding = "utf-16" if mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"
    return cast(TextIO, opener(path, "rt", encoding=encoding, newline=""))


def plain_name(name: str) -> str:
    """A column's name in lower case, with ``time_ms`` for ``time (ms)`` and ``time [ms]``."""
    joined = re.sub(r"[\s(\[]+", "_", name.lower()).rstrip(")]")
    return joined.replace("\u03bc", "µ")  # the Greek letter for the micro sign


def place_of(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Position of the column with the first of these names that the header has."""
    plain = list(map(plain_name, header))
    return next((plain.index(name) for name in names if name in plain), None)


def unit_rows(path: Path, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Entries of each unit by column; ``names`` are those that the column of units may have."""
    table: dict[str, dict[str, str]] = {}
    with open_table(path, path.name) as (header, rows):
        key = place_of(header, names)
        if key is None:
            raise BadFile(f"{path.name} has {name_list(header)} and no column {names[0]}", "add it")
        for line, row in enumerate(rows, start=2):
            entries = [entry.strip() for entry in row]
            if not any(entries):
                continue
            unit = entries[key] if key < len(entries) else ""
            if not unit or unit in table:
                problem = f"names unit {unit!r} again" if unit else "names no unit"
                raise BadFile(f"{path.name} line {line} {problem}", "keep one row per unit")
            fields = zip(header, entries, strict=False)
            table[unit] = {name: entry for name, entry in fields if name != header[key]}
    return table


def layer_table(path: Path) -> dict[str, str]:
    """Layer of each unit, from a table with columns ``unit`` and ``layer``."""
    rows = unit_rows(path, (*UNIT_NAMES, "id"))
    names = {name for entries in rows.values() for name in entries}
    column = next((name for name in names if plain_name(name) == "layer"), None)
    if column is None:
        raise BadFile(f"{path.name} has no column of layers", "it needs unit and layer")
    return {unit: entries[column] for unit, entries in rows.items() if column in entries}
