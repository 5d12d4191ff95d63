"""Tables of an ALF folder: text, and Parquet (``.pqt``), which pyarrow reads in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from .._failures import BadFileError, as_bad_file
from .._limits import check_claim
from .._sandbox import load_sandboxed
from .._tables import open_table

Columns = dict[str, Sequence[Any]]

#: Older versions of pyarrow unpickle types that a file defines (CVE-2023-47248).
_SAFE_VERSION = 15


def columns_of(path: Path) -> Columns:
    """Columns of a table by name; entries of a text table are text."""
    if path.suffix == ".pqt":
        # The sandbox hands back whatever the function returns.
        return cast("Columns", load_sandboxed(_parquet, path, ("pyarrow.parquet",)))
    with open_table(path, path.name) as (header, rows):
        lines = [row or [""] for row in rows]  # an empty line is an empty entry of one column
    while lines and not any(lines[-1]):
        lines.pop()
    for number, row in enumerate(lines, start=1):
        if len(row) != len(header):
            raise BadFileError(
                f"{path.name} row {number} has {len(row)} entries for {len(header)} columns; "
                "export or copy it again"
            )
    return {name: [row[n].strip() for row in lines] for n, name in enumerate(header)}


def _parquet(path: Path) -> Any:
    """Columns of numbers, truth values and text of a Parquet file."""
    with as_bad_file(path.name, "alf"):
        import pyarrow
        from pyarrow import parquet, types

        if int(pyarrow.__version__.partition(".")[0]) < _SAFE_VERSION:
            raise BadFileError(
                f"pyarrow {pyarrow.__version__} would run code of {path.name} if it had any; "
                "update it: pip install 'microcolumn[alf]'"
            )
        # Arrow's own pools reserve more address space than the sandbox allows.
        pyarrow.set_memory_pool(pyarrow.system_memory_pool())
        with parquet.ParquetFile(path, memory_map=False, pre_buffer=False) as file:
            text = (types.is_string, types.is_large_string)
            kinds = (types.is_integer, types.is_floating, types.is_boolean, *text)
            names = [
                column.name
                for column in file.schema_arrow
                if any(is_kind(column.type) for is_kind in kinds)
            ]
            check_claim(path, file.metadata.num_rows * 8 * max(len(names), 1), path.name)
            content = file.read(columns=names, use_threads=False)
            check_claim(path, content.nbytes, path.name)
        return {name: content.column(name).to_pylist() for name in names}
