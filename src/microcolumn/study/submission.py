"""What was submitted to a cluster: which jobs each task does, and the numbers it goes by there.

Each submission is a numbered folder among the parts of its store: ``submission.json`` says what its
tasks do and which jobs of SLURM they are; scripts and logs are beside it.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..atomic import atomic_write
from ..errors import BadInput
from ._slurm import script
from .codec import row_of

_FILE = "submission.json"


@dataclass(frozen=True, slots=True)
class Submission:
    """Jobs of a plan, dealt to tasks; all but ``folder`` in the types of JSON, by :func:`submit`.

    ``numbers`` are jobs of SLURM, one for each script; none where nothing was submitted.
    """

    folder: Path  # among the parts of its store
    microcolumn: str  # the version that dealt the jobs
    plan: dict[str, Any]
    recordings: dict[str, list[Any]]  # fingerprint and number of units of each
    stages: list[list[list[str]]]  # digests of each task's jobs; a stage needs earlier ones alone
    flags: list[str]  # options that sbatch was given
    numbers: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)  # what else there is to know; not kept

    @property
    def logs(self) -> Path:
        """Folder of what tasks have printed."""
        return self.folder / "logs"

    @property
    def tasks(self) -> list[list[str]]:
        """Digests of the jobs of all tasks, stage by stage."""
        return [task for stage in self.stages for task in stage]

    @property
    def n_jobs(self) -> int:
        """Jobs of all tasks."""
        return sum(map(len, self.tasks))

    @property
    def scripts(self) -> dict[Path, str]:
        """Text of each script by its path, in the order they have to run; the last one collects."""
        store = self.folder.parent.with_suffix("")
        study = re.sub(r"[^\w.-]", "_", store.stem)
        scripts = {}
        for stage, tasks in enumerate(self.stages, 1):
            call = ["study", "work", str(self.folder), "--stage", str(stage)]
            scripts[self.folder / f"stage-{stage}.sh"] = script(
                call, name=f"{study}-{stage}", log=self.logs, flags=self.flags, n_tasks=len(tasks)
            )
        if scripts:
            small = [flag for flag in self.flags if not flag.startswith("--gres=")]
            scripts[self.folder / "collect.sh"] = script(
                ["study", "collect", str(store)],
                name=f"{study}-collect",
                log=self.logs,
                flags=small,
                n_tasks=None,
            )
        return scripts

    def save(self) -> None:
        """Write what the tasks do, before any of them starts, and again with SLURM's numbers."""
        self.logs.mkdir(parents=True, exist_ok=True)
        with atomic_write(self.folder / _FILE) as file:
            file.write(json.dumps(row_of(self, "folder", "sentences")).encode())

    @classmethod
    def load(cls, folder: Path) -> Submission:
        """Read what the tasks of a submission do."""
        try:
            return cls(folder, **json.loads((folder / _FILE).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            problem = f"{folder} is no folder of a submission ({error})"
            raise BadInput(problem, "submit the study again") from None


def parts_folder(store: str | os.PathLike[str]) -> Path:
    """The folder of a store's parts; the same by whatever name or link the store is called."""
    real = Path(store).resolve()
    return real.with_name(f"{real.name}.parts")


def last_submission(store: Path) -> Submission | None:
    """The latest submission of a study that SLURM was given, if there is one."""
    folders = (parts_folder(store) / str(number) for number in _numbers(store))
    saved = (Submission.load(folder) for folder in folders if (folder / _FILE).exists())
    return next((each for each in saved if each.numbers), None)


def next_folder(store: Path) -> Path:
    """Where the next submission will be."""
    return parts_folder(store) / str(next(iter(_numbers(store)), 0) + 1)


def _numbers(store: Path) -> list[int]:
    """Numbers of all submissions, the latest first."""
    names = [each.name for each in parts_folder(store).glob("*") if each.name.isdecimal()]
    return sorted(map(int, names), reverse=True)
