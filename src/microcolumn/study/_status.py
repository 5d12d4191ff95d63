"""How far a study is, told from its store while a run may be at work on it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ._index import PlanIndex
from ._plan import Plan
from ._progress import DurationModel, duration
from ._store import Store

#: Failures that are shown.
_MOST_FAILURES = 5


@dataclass(frozen=True, slots=True)
class Status:
    """State of a study; printed, it is a few lines.

    Parameters
    ----------
    store : str
        The file.
    running : bool
        Whether a run is at work on it now.
    runner : str
        Which process that is or, where it did not end well, was.
    planned, done : dict of str to int
        Jobs by kind.
    failures : tuple of (str, str)
        Job and error of those that failed when last tried.
    left_s : float
        Seconds that the rest will take with as many workers as last time; NaN where unknown.
    n_other : int
        Finished jobs of earlier plans, which this one does not use.
    """

    store: str
    running: bool
    runner: str
    planned: dict[str, int]
    done: dict[str, int]
    failures: tuple[tuple[str, str], ...]
    left_s: float
    n_other: int

    @property
    def complete(self) -> bool:
        """Whether all planned jobs are done."""
        return self.done == self.planned

    def __str__(self) -> str:
        n_done, n_planned = sum(self.done.values()), sum(self.planned.values())
        lines = [f"{self.store}: {n_done:,} of {n_planned:,} jobs done, {self._state}"]
        lines += [
            f"  {kind:<9} {self.done[kind]:>6} of {self.planned[kind]}" for kind in self.planned
        ]
        if self.n_other:
            lines.append(f"  {self.n_other} finished jobs are of earlier plans")
        lines += [f"  failed: {job}: {error}" for job, error in self.failures[:_MOST_FAILURES]]
        if len(self.failures) > _MOST_FAILURES:
            lines.append(f"  and {len(self.failures) - _MOST_FAILURES} more failed")
        return "\n".join(lines)

    @property
    def _state(self) -> str:
        if self.running:
            return f"running ({self.runner}), {duration(self.left_s)} left"
        if not self.planned:
            return "nothing is planned yet; run the study"
        if self.complete:
            return "complete"
        return "some failed; run again to retry" if self.failures else "run again to go on"


def status(store: str | Path) -> Status:
    """Tell how far a study is; a run that is at work on it is not disturbed.

    Parameters
    ----------
    store : path
        The study's store.

    Returns
    -------
    Status
    """
    path = Path(store)
    with Store.open(path) as opened:
        facts = opened.read_study()
        recordings = {row["name"]: row for row in opened.rows("recordings")}
        seconds = {
            row["digest"]: row["seconds"]
            for row in opened.rows("jobs", columns=("digest", "seconds"))
        }
        failed = opened.rows("failures")
    plan = Plan.from_dict(json.loads(facts["plan"])) if "plan" in facts else None
    digests = {} if plan is None else PlanIndex(plan, recordings).digests
    ours = set(digests.values())
    pace = DurationModel()
    for job, digest in digests.items():
        if digest in seconds:
            pace.learn(job, seconds[digest])
    left = [job for job, digest in digests.items() if digest not in seconds]
    planned: Counter[str] = Counter(job.kind for job in digests)
    missing: Counter[str] = Counter(job.kind for job in left)
    return Status(
        store=str(path),
        running=Store.is_running(path),
        runner=facts.get("runner", ""),
        planned=dict(planned),
        done={kind: planned[kind] - missing[kind] for kind in planned},
        failures=tuple((row["job"], row["error"]) for row in failed if row["digest"] in ours),
        left_s=pace.remaining_s(left, int(facts.get("workers", 1))),
        n_other=len(seconds.keys() - ours),
    )
