"""How far a study is, while it runs and from its store; a store is read by SQLite alone.

Of a study that was submitted, SLURM is asked, too.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, NoReturn, Self

from ..formatting import duration
from ..safe_text import printable
from ..wording import worded, worded_lines
from ._slurm import SlurmError, is_alive, shortages, tasks_by_state
from .store import Store
from .submission import last_submission

if TYPE_CHECKING:
    from tqdm.auto import tqdm

#: Failures that are shown.
_MOST_FAILURES = 5
#: Seconds between two lines of progress in a log, and before the first; later a share of all.
_LOGGED_S, _LOGGED_SHARE = 5.0, 0.05
#: Seconds after which a step is said to take long.
_SLOW_S = 0.5
#: Seconds between two looks at the clock.
_TICK_S = 0.5


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


class Progress:
    """Jobs done, time, and what is known so far: one line that moves, or in a log lines.

    ``n_done`` of ``n_jobs`` were done before. Without ``progress`` it is shown in a terminal and in
    a notebook only.
    """

    def __init__(self, n_jobs: int, n_done: int = 0, progress: bool | None = None) -> None:
        from tqdm.auto import tqdm  # loaded by a run alone

        hidden = not (is_interactive() if progress is None else progress)
        self._started = self._last = time.monotonic()
        self._logs = not (hidden or is_interactive())
        self._said: dict[str, Any] = {"n_jobs": n_jobs, "n_done": n_done, "left": None, "known": ""}
        self._over = threading.Event()
        self._bar: tqdm[NoReturn] = tqdm(
            total=n_jobs, initial=n_done, disable=hidden or self._logs, bar_format="{desc}"
        )

    def __enter__(self) -> Self:
        self.advance(0)
        if self._logs or not self._bar.disable:
            threading.Thread(target=self._tick, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._bar.close()

    def write(self, sentence: str) -> None:
        """Print a sentence above the line."""
        self._bar.write(printable(sentence), file=sys.stderr)

    def advance(self, n_jobs: int = 1, *, left: float | None = None, known: str = "") -> None:
        """More jobs are done; seconds that are left, if known, and what results say so far."""
        self._said |= {
            "n_done": self._said["n_done"] + n_jobs,
            "left": None if left is None else duration(left),
            "known": known or self._said["known"],
        }

    def _tick(self) -> None:
        """Let the clock go on between two jobs, which may be minutes apart."""
        while not self._over.wait(_TICK_S):
            now = time.monotonic()
            if not self._logs:
                columns = get_terminal_size().columns - 1
                self._bar.set_description_str(self._line(now)[:columns], refresh=True)
            elif now - self._last >= max(_LOGGED_S, _LOGGED_SHARE * (now - self._started)):
                self._last = now
                print(self._line(now), file=sys.stderr, flush=True)

    def _line(self, now: float) -> str:
        minutes, seconds = divmod(int(now - self._started), 60)
        line = worded("study", "progress", elapsed=f"{minutes}:{seconds:02}", **self._said)
        return printable(line)


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
