"""How far a study is and how long the rest will take."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from datetime import timedelta
from types import TracebackType
from typing import Self

from tqdm.auto import tqdm

from ._jobs import Job


class DurationModel:
    """Seconds that jobs take, learnt from those like them.

    Examples
    --------
    >>> pace = DurationModel()
    >>> pace.learn(Job("fit", "B4", "instantaneous", 1, 0), 8.0)
    >>> pace.expected(Job("fit", "B4", "instantaneous", 1, 1))
    8.0
    """

    def __init__(self) -> None:
        self._count: dict[Hashable, int] = defaultdict(int)
        self._total: dict[Hashable, float] = defaultdict(float)
        self._size = self._seconds = 0.0

    def learn(self, job: Job, seconds: float) -> None:
        """Take note of a finished job."""
        for group in _alike(job):
            self._count[group] += 1
            self._total[group] += seconds
        self._size += _size(job)
        self._seconds += seconds

    def expected(self, job: Job) -> float:
        """Mean seconds of the most similar jobs, else by its size; NaN where nothing is known."""
        for group in _alike(job):
            if self._count[group]:
                return self._total[group] / self._count[group]
        return _size(job) * self._seconds / self._size if self._size else float("nan")

    def remaining_s(self, jobs: Iterable[Job], n_workers: int) -> float:
        """Seconds that these jobs will take together; NaN where nothing is known yet."""
        return sum(self.expected(job) for job in jobs) / n_workers


def _alike(job: Job) -> tuple[Hashable, ...]:
    """Groups of jobs that take about as long, from the most similar on."""
    own = (job.kind, job.experiment, job.window, job.variant)
    return (own, job.recording, job.penalty), (own, job.recording), own


def _size(job: Job) -> float:
    """Rough size of a job beside others: most of the time goes into fits with hidden units."""
    if job.kind == "fit":
        return float(job.window * (1 + (job.variant.n_hidden if job.variant else 0)))
    return job.window * (1.0 if job.kind == "normalise" else 0.3)


class Bar:
    """One bar with jobs done, rate and time left; in a terminal or notebook, quiet in logs.

    Parameters
    ----------
    n_jobs, n_done : int
        Jobs of the study, and those finished before.
    shown : bool, optional
        Show it; by default in a terminal and in a notebook only.
    """

    def __init__(self, n_jobs: int, n_done: int, shown: bool | None = None) -> None:
        self._bar = tqdm(
            total=n_jobs,
            initial=n_done,
            disable=not (is_interactive() if shown is None else shown),
            unit=" jobs",
            bar_format="{desc}{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} jobs "
            "[{elapsed}, {rate_fmt}{postfix}]",
            smoothing=0.05,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.close()

    def finished(self, job: Job, left_s: Callable[[], float]) -> None:
        """One more job is done; ``left_s`` tells how many seconds the rest will take."""
        if not self._bar.disable:
            self._bar.set_description(job.kind, refresh=False)
            self._bar.set_postfix_str(f"{duration(left_s())} left", refresh=False)
        self._bar.update()

    def tell(self, text: str) -> None:
        """Write a line above the bar."""
        self._bar.write(text, file=sys.stderr)


def duration(seconds: float) -> str:
    """Hours, minutes and seconds, such as 1:02:03; a question mark where unknown."""
    return "?" if seconds != seconds else str(timedelta(seconds=round(seconds)))


def is_interactive() -> bool:
    """Whether somebody sees a bar move: a terminal or a notebook, not a log."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    in_notebook = running is not None and hasattr(running, "kernel")
    return in_notebook or sys.stderr.isatty()
