"""Part files: what became of one job, written on any machine and merged into the store later.

No two machines write to the same file: a part appears under its name when it is complete, and a
store is written by the one process that merges parts into it. A part is a line with a checksum,
then JSON. It holds what :meth:`Store.finish` is given, so that the store has the same bits as
after a run. Merged parts stay until the whole plan is done: later jobs start from some of them.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import __version__
from ..atomic import atomic_write
from ._codec import plain
from ._status import progress_bar
from ._store import Store
from ._submission import parts_folder

Row = Mapping[str, Any]

_FORMAT = b"microcolumn part 1"
_NAME = re.compile(r"[0-9a-f]{32}\.part")
#: In a part's JSON, stands for bytes.
_BYTES = "base64"


@dataclass(frozen=True, slots=True)
class Part:
    """What became of a job: its rows, or the error that it raised."""

    digest: str
    job: str  # in words
    row: Row  # columns of the table of jobs
    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict)  # by table
    error: str = ""  # one line; empty where there is none
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Collected:
    """What merging has done."""

    merged: int  # jobs that are done
    failed: int  # jobs that raised an error, which the store keeps
    sentences: tuple[str, ...]  # about parts that could not be merged


def part_path(folder: Path, digest: str) -> Path:
    """Where a job's part is."""
    return folder / f"{digest}.part"


def write_part(folder: Path, part: Part) -> None:
    """Write a part, whole or not at all; on return it is on the disk."""
    body = json.dumps(
        {
            "digest": part.digest,
            "job": part.job,
            "row": _encoded(part.row),
            "rows": {table: [_encoded(row) for row in rows] for table, rows in part.rows.items()},
            "error": part.error,
            "trace": part.trace,
        }
    ).encode()
    with atomic_write(part_path(folder, part.digest)) as file:
        file.write(b"%b %b\n" % (_FORMAT, hashlib.sha256(body).hexdigest().encode()))
        file.write(body)


def read_part(path: Path) -> Part:
    """Read a part; a ValueError says in what way it is none of a job of this version."""
    first, _, body = path.read_bytes().partition(b"\n")
    if not first.startswith(_FORMAT + b" "):
        raise ValueError("it is no part file of this version of microcolumn")
    if first.split()[-1].decode("ascii", "replace") != hashlib.sha256(body).hexdigest():
        raise ValueError("its checksum does not fit")
    try:
        found = json.loads(body)
        rows = {table: [_decoded(row) for row in each] for table, each in found["rows"].items()}
        part = Part(**{**found, "row": _decoded(found["row"]), "rows": rows})
        key = json.dumps([part.row["fingerprint"], part.row["settings"]], sort_keys=True)
        version = part.row["environment"]["microcolumn"]
        texts = (part.job, part.error, part.trace)
        is_whole = math.isfinite(part.row["seconds"]) and all(isinstance(t, str) for t in texts)
    except Exception:  # whatever a forged part makes of decoding
        is_whole = False
    if not is_whole:
        raise ValueError("it is not laid out as a part file")
    if part.digest != hashlib.sha256(key.encode()).hexdigest()[:32] or path.stem != part.digest:
        raise ValueError("its name is not that of the job in it")
    if version != __version__:
        raise ValueError(f"it was computed by microcolumn {version}, and this is {__version__}")
    return part


def merge_part(store: Store, part: Part) -> None:
    """Keep in a store what became of a job."""
    if part.error:
        store.fail(part.digest, part.job, part.error, part.trace)
    else:
        store.finish(part.digest, part.row, part.rows)


def merge_parts(store: Store, *, progress: bool | None = None) -> Collected:
    """Merge all parts that a store does not have yet; the caller holds its lock.

    What is damaged or foreign is set aside and told, and its job counts as not done.
    """
    folder = parts_folder(store.path)
    waiting = _waiting(folder, store)
    merged = failed = 0
    sentences = []
    with progress_bar(len(waiting), 0, progress if waiting else False) as bar:
        for path in waiting:
            try:
                part = read_part(path)
                merge_part(store, part)
            except ValueError as error:
                aside = path.rename(path.with_suffix(".refused"))
                sentences.append(
                    f"{path} was not merged, because {error}; it is kept as {aside.name}, and its "
                    "job has to be done again"
                )
            else:
                merged, failed = merged + (not part.error), failed + bool(part.error)
                if part.error:  # the store has it now, and the next try may write another
                    path.unlink()
            bar.update()
    if merged:
        clear_parts(store)
    return Collected(merged, failed, tuple(sentences))


def clear_parts(store: Store) -> None:
    """Remove all parts once the whole plan is in the store, and what killed tasks left behind."""
    folder = parts_folder(store.path)
    if folder.is_dir() and all(job["finished"] for job in store.rows("current_jobs")):
        for path in (*folder.glob("*.part"), *folder.glob(".*.partial")):
            path.unlink()


def collect(path: str | os.PathLike[str], *, progress: bool | None = None) -> Collected:
    """Merge the parts of a study into its store.

    Parameters
    ----------
    path : path
        The study's store.
    progress : bool, optional
        Show a bar; by default in a terminal and in a notebook only.

    Raises
    ------
    StoreError
        Where the store cannot be written, or a run is at work on it.
    """
    with Store.open(path) as reader:
        if not _waiting(parts_folder(path), reader):
            return Collected(0, 0, ())
    with Store.create(path) as store, store.lock():
        return merge_parts(store, progress=progress)


def _waiting(folder: Path, store: Store) -> list[Path]:
    """Parts of jobs that the store does not have."""
    if not folder.is_dir():
        return []
    known = store.finished()
    found = (each for each in folder.iterdir() if _NAME.fullmatch(each.name))
    return sorted(each for each in found if each.stem not in known)


def _encoded(row: Row) -> dict[str, Any]:
    """A row in the types of JSON; numbers that are not finite are as Python's JSON writes them."""
    return {column: _encoded_value(value) for column, value in row.items()}


def _encoded_value(value: Any) -> Any:
    single = value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
    if isinstance(single, bytes):
        return {_BYTES: base64.b64encode(single).decode()}
    return single if isinstance(single, float) else plain(single)


def _decoded(row: Row) -> dict[str, Any]:
    return {
        column: base64.b64decode(value[_BYTES], validate=True)
        if isinstance(value, dict) and list(value) == [_BYTES]
        else value
        for column, value in row.items()
    }
