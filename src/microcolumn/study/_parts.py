"""Part files: what became of one job, written on any machine and merged into the store later.

No two machines write to the same file: a part appears under its name when it is complete, and a
store is written by the one process that merges parts into it. A part is a line with a checksum,
then a store of one job, which gives the study's store the same bits as a run. Merged parts stay
until the whole plan is done: later jobs start from some of them.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from .. import __version__
from ..atomic import atomic_write
from ._status import progress_bar
from ._store import Store, StoreError
from ._submission import parts_folder

_FORMAT = b"microcolumn part 2"
_NAME = re.compile(r"[0-9a-f]{32}\.part")


@dataclass(frozen=True, slots=True)
class Collected:
    """What merging has done."""

    merged: int  # jobs that are done
    failed: int  # jobs that raised an error, which the store keeps
    sentences: tuple[str, ...]  # about parts that could not be merged


def part_path(folder: Path, job: str) -> Path:
    """Where the part of the job of this digest is."""
    return folder / f"{job}.part"


def write_part(folder: Path, job: str, part: Store) -> None:
    """Write the part of a job, whole or not at all; on return it is on the disk."""
    part.write_study(microcolumn=__version__)
    content = part.content()
    with atomic_write(part_path(folder, job)) as file:
        file.write(b"%b %b\n" % (_FORMAT, hashlib.sha256(content).hexdigest().encode()))
        file.write(content)


def read_part(path: Path) -> Store:
    """Read a part; a ValueError says in what way it is none of a job of this version."""
    first, _, content = path.read_bytes().partition(b"\n")
    if not first.startswith(_FORMAT + b" "):
        raise ValueError("it is no part file of this version of microcolumn")
    if first.split()[-1].decode("ascii", "replace") != hashlib.sha256(content).hexdigest():
        raise ValueError("its checksum does not fit")
    try:
        part = Store.in_memory(content)
        version = part.read_study().get("microcolumn")
        rows = part.rows("jobs")
        # With the models, which commands that only look do not wait for.
        from ._jobs import RecordingInfo, digest

        names = {digest(row["settings"], RecordingInfo(row["fingerprint"], 0)) for row in rows}
    except (StoreError, ValueError, TypeError):
        raise ValueError("it is not laid out as a part file") from None
    names |= {row["digest"] for row in part.rows("failures")}
    if names != {path.stem} or {row["digest"] for row in rows} - names:
        raise ValueError("its name is not that of the job in it")
    if version != __version__:
        raise ValueError(f"it was computed by microcolumn {version}, and this is {__version__}")
    return part


def has_result(path: Path) -> bool:
    """Whether a job has a part that is whole and not a failure."""
    try:
        return bool(read_part(path).finished())
    except (OSError, ValueError):
        return False


def merge_part(store: Store, part: Store) -> bool:
    """Keep in a store what became of a job; whether it is done."""
    for failure in part.rows("failures"):
        store.fail(*(failure[name] for name in ("digest", "job", "error", "traceback")))
    for name in part.finished():
        store.finish(name, *part.job(name))
    return bool(part.finished())


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
                is_done = merge_part(store, read_part(path))
            except ValueError as error:
                aside = path.rename(path.with_suffix(".refused"))
                sentences.append(
                    f"{path} was not merged, because {error}; it is kept as {aside.name}, and its "
                    "job has to be done again"
                )
            else:
                merged, failed = merged + is_done, failed + (not is_done)
                if not is_done:  # the store has it now, and the next try may write another
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
