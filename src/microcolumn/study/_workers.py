"""Who does the jobs: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import gc
import os
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from joblib import cpu_count, parallel_config

from ..validation import whole_number
from ._connection import StoreError

#: Seconds to wait for a scheduler, and then for its first worker.
_PATIENCE = 10

#: Seconds between two looks of a worker at whether its run is still there.
_WATCH = 1.0


class StudyError(RuntimeError):
    """A study could not be finished; all jobs that were are kept."""


@dataclass(frozen=True, slots=True)
class Workers:
    """What a run has at hand: jobs at once, threads of each, and where they are in sentences."""

    count: int
    threads: int
    where: str

    @contextmanager
    def as_study_error(self, store: Path) -> Iterator[None]:
        """Turn the loss of workers into a sentence; jobs themselves never raise."""
        try:
            yield
        except StoreError as error:
            raise StudyError(str(error)) from error
        except Exception as error:
            raise StudyError(
                f"the jobs ended early: {self.where} failed with {type(error).__name__} "
                f"({_first_line(error)}); what was finished is in {store}: run again to go on, "
                "with fewer jobs at once if memory ran out"
            ) from error


@contextmanager
def workers_at(n_jobs: int | None, scheduler: str | None) -> Iterator[Workers]:
    """Make joblib use processes of this machine, or the workers of a Dask scheduler."""
    if scheduler is not None:
        with _cluster(scheduler, n_jobs) as workers:
            yield workers
        return
    cores = int(cpu_count())
    count = cores if n_jobs is None else whole_number("n_jobs", n_jobs)
    if count < 1:
        raise ValueError(f"n_jobs is {count}; ask for at least one job at a time")
    watched = {"initializer": _end_with, "initargs": (os.getpid(),)}
    with warnings.catch_warnings(), parallel_config(backend="loky", n_jobs=count, **watched):
        # Loky replaces a worker that has come to hold more memory, as after large fits, between two
        # jobs. Nothing is lost by it.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given")
        yield Workers(count, max(1, cores // count), f"{count} processes on this machine")


def _end_with(run: int) -> None:
    """Make this worker end within seconds of the run it works for, even if that was killed.

    It would else do the jobs it was given to their end, for nobody, while the next run does them
    again. Systems other than Windows give an orphan another parent, which is how it is noticed.
    """

    def watch() -> None:
        while os.getppid() == run:
            time.sleep(_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _cluster(scheduler: str, n_jobs: int | None) -> Iterator[Workers]:
    if n_jobs is not None:
        raise ValueError("n_jobs is for this machine; a cluster does as many as its workers can")
    try:
        from distributed import Client
    except ImportError:
        raise ImportError(
            "a scheduler needs Dask; install it with pip install 'microcolumn[dask]'"
        ) from None
    client, reason = None, ""
    try:
        client = Client(scheduler, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = _first_line(error)
    if client is None:
        # What is left of it closes itself when collected. Were that while another client starts,
        # both would wait for the same lock.
        gc.collect()
        raise ValueError(
            f"no Dask scheduler answers at {scheduler!r} ({reason}); start one with "
            "'dask scheduler' and give its address, such as tcp://127.0.0.1:8786"
        )
    with client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise ValueError(
                f"the Dask scheduler at {scheduler} has no workers; start some with "
                f"'dask worker {scheduler} --nthreads 1'"
            ) from None
        count = sum(client.nthreads().values())
        with parallel_config(backend="dask", client=client, n_jobs=-1):
            yield Workers(count, 1, f"the workers of {scheduler}")


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or "no reason given"
