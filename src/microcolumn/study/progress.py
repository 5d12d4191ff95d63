"""How far a study is, while it runs and from its store; a store is read by SQLite alone.

Of a study that was submitted, SLURM is asked, too.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ..safe_text import printable
from ..wording import worded_lines
from ._slurm import SlurmError, is_alive, shortages, tasks_by_state
from .store import Store
from .submission import last_submission

if TYPE_CHECKING:
    from tqdm.auto import tqdm

#: Failures that are shown.
_MOST_FAILURES = 5
#: Seconds between two lines of progress in a log, and before the first.
_LOGGED_S = 30.0
#: Seconds after which a step is said to take long.
_SLOW_S = 0.5
#: Seconds between two looks at the clock of a bar in a terminal.
_TICK_S = 1.0


@dataclass(frozen=True, slots=True)
class Status:
    """State of a study; printed, it is a few lines (:func:`status`)."""

    store: str
    running: bool  # a run is at work on it now
    runner: str  # which process that is or, where it did not end well, was
    planned: dict[str, int]  # jobs by kind
    done: dict[str, int]
    failures: tuple[tuple[str, str], ...]  # job and error of those that failed when last tried
    n_other: int  # finished jobs of earlier plans, which this one does not use
    tasks: dict[str, int]  # of the last submission to SLURM by their state; empty where unknown
    logs: str  # folder of what these tasks have printed; empty where nothing was submitted

    @property
    def complete(self) -> bool:
        """Whether all planned jobs are done."""
        return self.done == self.planned

    def __str__(self) -> str:
        lines = worded_lines(
            "study",
            "status",
            status=self,
            on_slurm=is_alive(self.tasks),
            shortages=shortages(self.tasks),
            most_failures=_MOST_FAILURES,
        )
        return "\n".join(lines)


def status(store: str | Path) -> Status:
    """How far a study is; a run that is at work on its store is not disturbed.

    >>> status("study.db").running
    False
    """
    path = Path(store)
    submission = last_submission(path)
    tasks: dict[str, int] = {}
    with suppress(SlurmError):  # a store may be looked at where SLURM cannot be asked
        tasks = tasks_by_state(submission.numbers) if submission else {}
    with Store.open(path) as opened:
        opened.check()
        about = opened.read_study()
        jobs = opened.rows("current_jobs")
        n_finished = len(opened.finished())
    planned = Counter(job["kind"] for job in jobs)
    done = Counter(job["kind"] for job in jobs if job["finished"])
    return Status(
        store=str(path),
        running=Store.is_running(path),
        runner=about.get("runner", ""),
        planned=dict(planned),
        done={kind: done[kind] for kind in planned},
        failures=tuple((job["failed"], job["error"]) for job in jobs if job["failed"]),
        n_other=n_finished - done.total(),
        tasks=tasks,
        logs="" if submission is None else str(submission.logs),
    )


def progress_bar(n_jobs: int, n_done: int, progress: bool | None = None) -> tqdm[NoReturn]:
    """Bar with jobs done and time, in a terminal or notebook; lines where a log asks for it."""
    from tqdm.auto import tqdm  # loaded by a run alone

    hidden = not (is_interactive() if progress is None else progress)
    settings: dict[str, Any] = {"disable": hidden, "unit": " jobs", "smoothing": 0.05}
    times = "{elapsed} so far, {remaining} left"
    if is_interactive():
        settings["bar_format"] = "{l_bar}{bar}| {n_fmt}/{total_fmt} jobs, " + times
    else:
        settings |= {"delay": _LOGGED_S, "mininterval": _LOGGED_S, "miniters": 1}
        settings |= {"file": _Lines(), "bar_format": "{n_fmt} of {total_fmt} jobs done, " + times}
    return tqdm(total=n_jobs, initial=n_done, **settings)


@contextmanager
def moving_clock(bar: tqdm[NoReturn]) -> Iterator[None]:
    """Let the clock of a bar in a terminal go on between two jobs, which may be minutes apart."""
    over = threading.Event()

    def tick() -> None:
        while not over.wait(_TICK_S):
            bar.refresh()

    thread = threading.Thread(target=tick, daemon=True)
    if sys.stderr.isatty() and not bar.disable:
        thread.start()
    try:
        yield
    finally:
        over.set()


class _Lines:
    """Standard error as a file in which a bar leaves lines, each once, instead of moving."""

    last = ""

    def write(self, text: str) -> None:
        line = text.strip("\r\n\x1b[A ")
        if line and line != self.last:
            sys.stderr.write(f"{line}\n")
            self.last = line

    def flush(self) -> None:
        sys.stderr.flush()


@contextmanager
def log_if_slow(what: str, progress: bool | None = True) -> Iterator[None]:
    """Say on standard error what takes longer than half a second; None: only beside a bar."""
    line = printable(f"{what} ...")
    timer = threading.Timer(_SLOW_S, lambda: print(line, file=sys.stderr, flush=True))
    timer.daemon = True
    if is_interactive() if progress is None else progress:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def is_interactive() -> bool:
    """Whether somebody sees a bar move: a terminal or a notebook, not a log."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    in_notebook = running is not None and hasattr(running, "kernel")
    return in_notebook or sys.stderr.isatty()
