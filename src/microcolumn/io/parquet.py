"""Parquet and Feather: tables with one row per spike, as of CSV, which pyarrow reads."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import BadFile
from ._mapping import SpikeTable
from ._session import Session
from .failures import ARRAYS, check_claim

#: Older versions of pyarrow unpickle types that a file defines (CVE-2023-47248).
_SAFE_VERSION = 15


def load(
    path: Path,
    *,
    times: str | None = None,
    units: str | None = None,
    time_unit: str | None = None,
    sampling_rate: float | None = None,
    well: str | None = None,
) -> Session:
    """A table of spikes, with the columns of a CSV.

    Parameters
    ----------
    path : Path
        The file: Parquet, or Feather of version 2, which is Arrow's file format.
    times, units, time_unit, sampling_rate, well
        As of a CSV; durations have a unit of their own.
    """
    if path.is_dir():
        raise BadFile("it is a folder", "name one of its files, or save the table as one file")
    with opened(path) as (schema, batches):
        table = SpikeTable(schema.names, times, units, "row", 1, well)
        time, unit = schema.field(table.time), schema.field(table.unit)
        for column, wanted in ((time, "time in seconds"), (unit, "name of a unit")):
            if not is_plain(column.type, number=column is time):
                problem = f"its column {column.name!r} is of type {column.type}"
                raise BadFile(problem, f"save one {wanted} per row, and one row per spike")
        for name in [name for name in table.columns if not is_plain(schema.field(name).type)]:
            table.leave_out(name, "hold neither numbers nor text")
        if str(time.type).startswith("duration"):
            table.time_unit = time.type.unit
        per_second = table.ticks_per_second(time_unit, sampling_rate)
        for batch in batches:
            table.add(
                list(map(_unit_name, entries(batch.column(unit.name)))),
                np.array(entries(batch.column(time.name)), dtype=np.float64),
                {name: entries(batch.column(name)) for name in table.columns},
            )
    return table.session(per_second)


@contextmanager
def opened(path: Path) -> Iterator[tuple[Any, Iterator[Any]]]:
    """Schema of a table, and batches of its plain columns, while the block lasts.

    Text of Parquet stays in its dictionary, since kilobytes of a file may repeat it to terabytes.
    """
    import pyarrow
    from pyarrow import ipc, parquet

    if int(pyarrow.__version__.partition(".")[0]) < _SAFE_VERSION:
        problem = f"pyarrow {pyarrow.__version__} would run code of {path.name} if it had any"
        raise BadFile(problem, "update it: pip install 'microcolumn[parquet]'")
    with pyarrow.OSFile(str(path)) as file:
        head = file.read(6)
        if head.startswith(b"FEA1"):
            raise BadFile("it is Feather of version 1", "save it as Parquet or as version 2")
        if head == b"ARROW1":
            schema = ipc.open_file(file).schema
            plain = [n for n, column in enumerate(schema) if is_plain(column.type)]
            options = ipc.IpcReadOptions(included_fields=plain, use_threads=False)
            reader = ipc.open_file(file, options=options)
            batches: Iterable[Any] = map(reader.get_batch, range(reader.num_record_batches))
        else:
            schema = parquet.read_schema(file)
            names = [column.name for column in schema if is_plain(column.type)]
            table = parquet.ParquetFile(file, read_dictionary=names, pre_buffer=False)
            check_claim(path, 8 * table.metadata.num_rows * len(names), path.name, most=ARRAYS)
            batches = table.iter_batches(columns=names, use_threads=False)
        yield schema, _checked(path, batches)


def _checked(path: Path, batches: Iterable[Any]) -> Iterator[Any]:
    """The batches, as long as they are sound and no more than a file of this size may hold."""
    n_bytes = 0
    for batch in batches:
        batch.validate(full=True)
        n_bytes += max(batch.nbytes, 8 * batch.num_rows)
        check_claim(path, n_bytes, path.name, most=ARRAYS)
        yield batch


def is_plain(kind: Any, *, number: bool = False) -> bool:
    """Whether a column of this type has one ``number`` or duration per row, or else also a text."""
    from pyarrow import types

    if types.is_dictionary(kind) and not number:
        return is_plain(kind.value_type)
    numbers = (types.is_integer, types.is_floating, types.is_duration)
    others = () if number else (types.is_boolean, types.is_string, types.is_large_string)
    return any(is_kind(kind) for is_kind in (*numbers, *others))


def entries(column: Any) -> list[Any]:
    """Values of a plain column, None where they are missing; durations as whole numbers."""
    plain = column.cast("int64") if str(column.type).startswith("duration") else column
    encoded = plain.dictionary_encode()
    values = [None if value != value else value for value in encoded.dictionary.to_pylist()]
    return [None if place is None else values[place] for place in encoded.indices.to_pylist()]


def _unit_name(entry: Any) -> str:
    """Name of a unit, "" if it has none; pandas makes numbers floats where some are missing."""
    whole = isinstance(entry, float) and entry.is_integer()
    return "" if entry is None else str(int(entry) if whole else entry).strip()
