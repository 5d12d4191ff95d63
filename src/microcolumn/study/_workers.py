"""Who does the jobs: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from concurrent import futures
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from joblib import cpu_count
from joblib.externals import loky
from tqdm.auto import tqdm

from ..errors import BadArgument, BadInput
from ..io.sandbox import ctrl_c_held_back
from ..kernels.compile import announced
from ..models import SemiRBM
from ..partition import log_partition
from ..validation import whole_number
from ._connection import StoreError

T = TypeVar("T")
R = TypeVar("R")

#: Seconds to wait for a scheduler, and then for its first worker.
_PATIENCE = 10
#: Seconds without any worker after which a run says so.
_NO_WORKER = 5.0

#: What is said before kernels are compiled.
_COMPILING = "compiling kernels, once per installation: about ten seconds"
#: Seconds after which processes without work end, and what tells libraries in them how many threads
#: to start.
_IDLE_S = 300
_THREADS_OF = tuple(f"{name}_NUM_THREADS" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"))
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
    client: Any = None  # of Dask's scheduler; None on this machine

    def results(self, work: Callable[[T], R], take: Callable[[], T | None]) -> Generator[R]:
        """What ``work`` makes of each task, in the order they are finished.

        ``take`` gives the next task, or None while all that are left wait for results.
        """
        if self.client is not None:
            return self._from_dask(work, take)
        return self._from_processes(work, take) if self.count > 1 else _one_by_one(work, take)

    def _from_processes(self, work: Callable[[T], R], take: Callable[[], T | None]) -> Generator[R]:
        """The same by processes, which are ended at once where the caller ends early."""
        processes = loky.get_reusable_executor(
            self.count,
            timeout=_IDLE_S,
            initializer=_exit_with_parent,
            initargs=(os.getpid(),),
            env=dict.fromkeys(_THREADS_OF, str(self.threads)),
        )
        pending: set[Future[R]] = set()
        try:
            while True:
                with ctrl_c_held_back():  # processes may start here
                    # Twice as many as can run, so that none waits for its next task.
                    while len(pending) < 2 * self.count and (task := take()) is not None:
                        pending.add(processes.submit(work, task))
                if not pending:
                    return
                done, pending = futures.wait(pending, return_when=futures.FIRST_COMPLETED)
                while done:
                    yield done.pop().result()
        finally:
            if pending:
                processes.shutdown(kill_workers=True)

    def _from_dask(self, work: Callable[[T], R], take: Callable[[], T | None]) -> Generator[R]:
        """The same by the workers of a cluster, of which some may go and others come."""
        from distributed import wait

        pending: set[Any] = set()
        while True:
            # Twice as many as can run, so that no worker waits for its next task.
            n_free = 2 * sum(self.client.nthreads().values()) - len(pending)
            for _ in range(max(n_free, 0 if pending else 1)):
                if (task := take()) is None:
                    break
                # A task is large; pure would have Dask hash all of it.
                pending.add(self.client.submit(work, task, pure=False))
            if not pending:
                return
            try:
                with self.client.as_current():
                    done, pending = wait(pending, timeout=_NO_WORKER, return_when="FIRST_COMPLETED")
            except TimeoutError:
                self._wait_for_workers()
                continue
            for future in done:
                try:
                    result = future.result(timeout=_NO_WORKER)
                except TimeoutError:  # lost with its worker; another does the task again
                    pending.add(future)
                    continue
                yield result

    def _wait_for_workers(self) -> None:
        """Say that no worker is ready, if so, and wait until one is."""
        if _ready_threads(self.client):
            return
        tqdm.write(  # above the bar
            f"none of {self.where} is ready (gone, not there yet, or paused for lack of memory); "
            "the run goes on when one is",
            file=sys.stderr,
        )
        while not _ready_threads(self.client):
            time.sleep(_WATCH)
        tqdm.write(f"{self.where} are ready; the run goes on", file=sys.stderr)

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
    """Processes of this machine, or the workers of a Dask scheduler."""
    if scheduler is not None:
        with _cluster(scheduler, n_jobs) as workers:
            yield workers
        return
    cores = int(cpu_count())
    count = cores if n_jobs is None else whole_number("n_jobs", n_jobs, least=1)
    with warnings.catch_warnings():
        # Loky replaces a worker that has come to hold more memory, as after large fits, between two
        # jobs. Nothing is lost by it.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given")
        yield Workers(count, max(1, cores // count), f"{count} processes on this machine")


def _one_by_one(work: Callable[[T], R], take: Callable[[], T | None]) -> Generator[R]:
    while (task := take()) is not None:
        yield work(task)


def _exit_with_parent(run: int) -> None:
    """Let the run decide when this worker ends: at once, or within seconds if the run was killed.

    A terminal sends Ctrl-C to the workers too, which would print where it struck them; the run ends
    them anyway. Without their run they would do the jobs they were given to their end, for nobody,
    while the next run does them again. Systems other than Windows give an orphan another parent,
    which is how it is noticed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Bars of single fits would be drawn over that of the run.
    sys.stderr = _NoTerminal(os.fdopen(os.dup(2), "wb"), errors="replace", line_buffering=True)

    def watch() -> None:
        while os.getppid() == run:
            time.sleep(_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class _NoTerminal(TextIOWrapper):
    """Standard error, on which no bar is drawn although it may be a terminal."""

    def isatty(self) -> bool:
        return False


@contextmanager
def _cluster(scheduler: str, n_jobs: int | None) -> Iterator[Workers]:
    if scheduler == "slurm":
        problem = "a scheduler is the address of a Dask cluster, and slurm is none"
        raise BadInput(problem, "give the plan to SLURM by microcolumn study submit --slurm")
    if n_jobs is not None:
        raise BadArgument("n_jobs", "is for this machine", "a cluster uses all its workers")
    try:
        from distributed import Client
    except ImportError:
        remedy = "install it with pip install 'microcolumn[dask]'"
        raise ImportError(f"a scheduler needs Dask; {remedy}") from None
    client, reason = None, ""
    try:
        client = Client(scheduler, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = _first_line(error)
    if client is None:
        # What is left of it closes itself when collected. Were that while another client starts,
        # both would wait for the same lock.
        gc.collect()
        remedy = "start one with 'dask scheduler' and give its address, such as "
        problem = f"no Dask scheduler answers at {scheduler!r} ({reason})"
        raise BadInput(problem, f"{remedy}tcp://127.0.0.1:8786")
    with client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            remedy = f"start some with 'dask worker {scheduler} --nthreads 1'"
            raise BadInput(f"the Dask scheduler at {scheduler} has no workers", remedy) from None
        count = sum(client.nthreads().values())
        yield Workers(count, 1, f"the workers of {scheduler}", client)


def _ready_threads(client: Any) -> int:
    """Threads of a cluster's workers, but for those that Dask has paused."""

    def ready(dask_scheduler: Any) -> int:  # Dask passes itself by this name
        workers = dask_scheduler.workers.values()
        return sum(each.nthreads for each in workers if each.status.name == "running")

    return int(client.run_on_scheduler(ready))


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or "no reason given"


def compile_ahead(tell: Callable[[str], None]) -> None:
    """Fit, sample and evaluate a tiny model; if that compiles anything, ``tell`` says so first.

    Jobs of many processes would wait for the one that compiles the kernels they all need.
    """
    rng = np.random.default_rng(0)
    X = (rng.random((50, 4)) < 0.3 + 0.4 * rng.integers(0, 2, (50, 1))).astype(np.uint8)
    with announced(lambda: tell(_COMPILING)), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so short a run may well be inexact
        model = SemiRBM(2, objective="likelihood", random_state=0).fit(X)
        log_partition(model.parameters_, "ais", n_chains=8, n_steps=8, max_steps=8, random_state=0)
        model.conditional(X, unit=0)
