"""Part files: what became of one job, written on any machine and merged into the store later.

No two machines write to the same file: a part appears under its name when it is complete, and a
store is written by the one process that merges parts into it. A part is a store of one job, which
gives the study's store the same bits as a run. Merged parts stay until the whole plan is done:
later jobs start from some of them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ..atomic import atomic_write
from ..errors import BadInput
from .progress import Progress
from .store import Store, StoreError
from .submission import parts_folder

_NAME = re.compile(r"[0-9a-f]{32}\.part")


@dataclass(frozen=True, slots=True)
class MergeResult:
    """What merging has done, by :func:`collect`."""

    merged: int  # jobs that are done
    failed: int  # jobs that raised an error, which the store keeps
    sentences: tuple[str, ...]  # about parts that could not be merged


def part_path(folder: Path, job: str) -> Path:
    """Where the part of the job of this digest is."""
    return folder / f"{job}.part"


def write_part(folder: Path, job: str, part: Store) -> None:
    """Write the part of a job, whole or not at all; on return it is on the disk."""
    with atomic_write(part_path(folder, job)) as file:
        file.write(part.content())


def read_part(path: Path) -> Store:
    """Read a part; a ValueError says in what way it is none."""
    try:
        part = Store.in_memory(path.read_bytes())
        part.check()
        names = part.finished() | {row["digest"] for row in part.rows("failures")}
    except StoreError:
        raise BadInput("it is damaged, or no part file of this version") from None
    if names != {path.stem}:
        raise BadInput("its name is not that of the job in it")
    return part


def has_result(path: Path) -> bool:
    """Whether a job has a part that is whole and not a failure."""
    try:
        return bool(read_part(path).finished())
    except (OSError, ValueError):
        return False


def merge_parts(store: Store, *, progress: bool | None = None) -> MergeResult:
    """Merge all parts that a locked store does not have; what is damaged is set aside."""
    waiting = _waiting(store)
    merged = failed = 0
    sentences = []
    with Progress(len(waiting), progress=progress if waiting else False) as bar:
        for path in waiting:
            try:
                part = read_part(path)
            except ValueError as error:
                aside = path.rename(path.with_suffix(".refused"))
                sentences.append(
                    f"{path} was not merged, because {error}; it is kept as {aside.name}, and its "
                    "job has to be done again"
                )
            else:
                for failure in part.rows("failures"):
                    del failure["happened"]
                    store.fail(**failure)
                    failed += 1
                    path.unlink()  # the next try may write another
                for name in part.finished():
                    store.finish(name, *part.job(name))
                    merged += 1
            bar.advance()
    if merged:
        clear_parts(store)
    return MergeResult(merged, failed, tuple(sentences))


def clear_parts(store: Store) -> None:
    """Remove all parts once the whole plan is in the store, and what killed tasks left behind."""
    folder = parts_folder(store.path)
    if folder.is_dir() and all(job["finished"] for job in store.rows("current_jobs")):
        for path in (*folder.glob("*.part"), *folder.glob(".*.partial")):
            path.unlink()


def collect(path: str | os.PathLike[str], *, progress: bool | None = None) -> MergeResult:
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

    Examples
    --------
    >>> collect("study.db").merged
    0
    """
    with Store.open(path) as reader:
        if not _waiting(reader):
            return MergeResult(0, 0, ())
    with Store.create(path) as store, store.lock():
        return merge_parts(store, progress=progress)


def _waiting(store: Store) -> list[Path]:
    """Parts of jobs that the store does not have."""
    parts = [each for each in parts_folder(store.path).glob("*") if _NAME.fullmatch(each.name)]
    known = store.finished() if parts else set()
    return sorted(each for each in parts if each.stem not in known)
