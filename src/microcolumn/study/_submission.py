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
    """Jobs of a plan, dealt to tasks.

    Attributes
    ----------
    folder : Path
        Where it is kept.
    microcolumn : str
        The version that dealt the jobs.
    plan : dict
        The plan, in the types of JSON.
    recordings : dict of str to list
        Fingerprint and number of units of each recording.
    stages : list
        Digests of the jobs of each task of each stage; a stage needs earlier ones alone.
    flags : list of str
        Options that sbatch was given.
    """

    folder: Path
    microcolumn: str
    plan: dict[str, Any]
    recordings: dict[str, list[Any]]
    stages: list[list[list[str]]]
    flags: list[str]

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
            return cls(folder, **json.loads((folder / _TASKS).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise ValueError(
                f"{folder} is no folder of a submission ({error}); submit the study again"
            ) from None

    @property
    def numbers(self) -> list[str]:
        """Jobs of SLURM that were submitted, in their order; none where nothing was."""
        file = self.folder / _NUMBERS
        return list(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else []

    def note_numbers(self, numbers: list[str]) -> None:
        """Keep the numbers that SLURM gave."""
        _write(self.folder / _NUMBERS, numbers)


def parts_folder(store: str | os.PathLike[str]) -> Path:
    """The folder of a store's parts; the same by whatever name or link the store is called."""
    real = Path(store).resolve()
    return real.with_name(f"{real.name}.parts")


def last_submission(store: Path) -> Submission | None:
    """The latest submission of a study that SLURM was given, if there is one."""
    for folder in reversed(_folders(store)):
        if (folder / _NUMBERS).exists():
            return Submission.load(folder)
    return None


def next_folder(store: Path) -> Path:
    """Where the next submission will be."""
    last = max((int(folder.name) for folder in _folders(store)), default=0)
    return parts_folder(store) / str(last + 1)


def _folders(store: Path) -> list[Path]:
    """Folders of all submissions, in their order."""
    parts = parts_folder(store)
    found = parts.iterdir() if parts.is_dir() else ()
    return sorted(
        (each for each in found if each.name.isdecimal()), key=lambda each: int(each.name)
    )


def _write(path: Path, content: Any) -> None:
    with atomic_write(path) as file:
        file.write(json.dumps(content).encode())
