"""What was submitted to a cluster: which jobs each task does, and the numbers it goes by there.

Each submission is a numbered folder among the parts of its store: ``submission.json`` says what its
tasks do, ``slurm.json`` which jobs of SLURM they are; scripts and logs are beside them.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..atomic import atomic_write
from ._codec import row_of

_TASKS, _NUMBERS = "submission.json", "slurm.json"


@dataclass(frozen=True, slots=True)
class Submission:
    """Jobs of a plan, dealt to tasks; all but ``folder`` in the types of JSON."""

    folder: Path
    microcolumn: str  # the version that dealt the jobs
    plan: dict[str, Any]
    recordings: dict[str, list[Any]]  # fingerprint and number of units of each
    stages: list[list[list[str]]]  # digests of each task's jobs; a stage needs earlier ones alone
    flags: list[str]  # options that sbatch was given

    @property
    def logs(self) -> Path:
        """Folder of what tasks have printed."""
        return self.folder / "logs"

    def save(self) -> None:
        """Write what the tasks do, before any of them starts."""
        self.logs.mkdir(parents=True)
        _write(self.folder / _TASKS, row_of(self, "folder"))

    @classmethod
    def load(cls, folder: Path) -> Submission:
        """Read what the tasks of a submission do."""
        try:
            return cls(folder, **_read(folder / _TASKS))
        except (OSError, ValueError, TypeError) as error:
            raise ValueError(
                f"{folder} is no folder of a submission ({error}); submit the study again"
            ) from None

    @property
    def numbers(self) -> list[str]:
        """Jobs of SLURM that were submitted, in their order."""
        return list(_read(self.folder / _NUMBERS))

    def note_numbers(self, numbers: list[str]) -> None:
        """Keep the numbers that SLURM gave."""
        _write(self.folder / _NUMBERS, numbers)


def parts_folder(store: str | os.PathLike[str]) -> Path:
    """The folder of a store's parts; the same by whatever name or link the store is called."""
    real = Path(store).resolve()
    return real.with_name(f"{real.name}.parts")


def last_submission(store: Path) -> Submission | None:
    """The latest submission of a study that SLURM was given, if there is one."""
    given = [number for number in _numbered(store) if (_folder(store, number) / _NUMBERS).exists()]
    return Submission.load(_folder(store, max(given))) if given else None


def next_folder(store: Path) -> Path:
    """Where the next submission will be."""
    return _folder(store, max(_numbered(store), default=0) + 1)


def _numbered(store: Path) -> list[int]:
    """Numbers of all submissions."""
    return [int(each.name) for each in parts_folder(store).glob("*") if each.name.isdecimal()]


def _folder(store: Path, number: int) -> Path:
    return parts_folder(store) / str(number)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _write(path: Path, content: Any) -> None:
    with atomic_write(path) as file:
        file.write(json.dumps(content).encode())
