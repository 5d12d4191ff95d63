"""Run a plan: every job that is not in the store yet, on the workers at hand."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from ..formatting import counted
from ..safe_text import printable
from ._compute import Task, execute
from ._parts import clear_parts
from ._prepared import Prepared
from ._results import Results
from ._workers import StudyError, Workers, compile_ahead, workers_at
from .plan import Plan
from .progress import is_interactive, log_if_slow, moving_clock, progress_bar
from .store import Store


def run(
    plan: Plan,
    store: str | Path,
    *,
    n_jobs: int | None = None,
    scheduler: str | None = None,
    progress: bool | None = None,
    command: str = "",
) -> Results:
    """Compute what a plan asks for and the store does not have.

    Each finished job is stored at once, so that an interrupted run, however it ended, continues
    where it was. Results are the same bits for any number of workers, here or on a cluster.

    Parameters
    ----------
    plan : Plan
        Recordings and experiments.
    store : path
        SQLite file, made where it does not exist.
    n_jobs : int, optional
        Jobs at once on this machine, one per core by default.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``"tcp://host:8786"``, whose workers do the jobs
        instead; microcolumn must be installed there.
    progress : bool, optional
        Show a bar, or in a log a line now and then; by default in a terminal and in a notebook
        only.
    command : str
        What to note down as the origin of the run.

    Raises
    ------
    ValueError
        Where a recording is not the one that the store was made from.
    StoreError
        Where the store cannot be written, is of another version or in use by another run.
    StudyError
        Where jobs failed, workers were lost or the disk is full; all that was finished is kept.

    Examples
    --------
    >>> results = run(mc.study.Plan.of("session.npz", models="Tree", n_splits=1), "a.db", n_jobs=1)
    """
    path = Path(store)
    # What may be refused comes before the store, so that nothing is left behind.
    with log_if_slow("reading and binning the recordings", progress):
        prepared = Prepared.of(plan)
    with (
        workers_at(n_jobs, scheduler) as workers,
        Store.create(path) as opened,
        opened.lock(),
    ):
        with log_if_slow("surveying the recordings", progress):
            messages = prepared.enter(opened, command=command)
        _do_jobs(opened, prepared, workers, progress, messages)
        clear_parts(opened)
    return Results(path)


def _do_jobs(
    store: Store, prepared: Prepared, workers: Workers, progress: bool | None, messages: list[str]
) -> None:
    """Do all that is left, stage by stage, storing each job as it finishes."""
    jobs, failed = prepared.jobs, []
    done = store.finished() & jobs.keys()

    def task(name: str) -> Task:
        # joblib draws tasks from threads of its own, so each gets a connection of its own.
        with Store.open(store.path) as reader:
            return prepared.task(name, lambda _: reader, workers.threads)

    with progress_bar(len(jobs), len(done), progress) as bar, moving_clock(bar):
        if done:
            n_jobs = f"{len(done):,} of {len(jobs):,} jobs"
            messages = [*messages, f"{n_jobs} are in {store.path} already"]
        for sentence in messages:
            bar.write(printable(sentence), file=sys.stderr)
        if len(jobs) - len(done) > 1 and workers.count > 1 and workers.client is None:
            compile_ahead(lambda sentence: bar.write(sentence, file=sys.stderr))
        if len(done) < len(jobs):  # until the first job is done
            starting = f"starting {counted(workers.count, 'worker')}"
            bar.set_description(starting, refresh=is_interactive())
        for stage in prepared.stages:
            # A job is not ready where an earlier one, whose result it starts from, failed.
            left = [name for name in stage if name not in done]
            ready = [name for name in left if done.issuperset(prepared.used(jobs[name]).values())]
            with (
                workers.as_study_error(store.path),
                closing(workers.results(execute, map(task, ready))) as results,
            ):
                for result in results:
                    job = jobs[result.digest]
                    prepared.keep(result, store)
                    if result.error:
                        failed.append(f"{result.error} ({job})")
                    else:
                        done.add(result.digest)
                    bar.set_description(job.kind, refresh=False)
                    bar.update()
    if failed:
        raise StudyError(
            f"{len(failed)} of {len(jobs)} jobs failed, the first with {failed[0]}; what was "
            f"finished is in {store.path}: run again to retry"
        )
