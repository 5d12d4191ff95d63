"""Run a plan: every job that is not in the store yet, on the workers at hand."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ..evaluate.significance import with_error
from ..wording import worded
from ._compute import Task, execute
from ._forecast import Forecast
from ._jobs import Job
from ._parts import clear_parts
from ._prepared import Prepared
from ._ready import ReadyJobs
from ._results import Results
from ._workers import StudyError, Workers, compile_ahead, workers_at
from .plan import Plan
from .progress import Progress, log_if_slow
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
        Show jobs done, time left and what is known so far on a line that moves, or in a log on
        a line every few seconds; by default in a terminal and in a notebook only.
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
    >>> results = run(mc.study.Plan.of("session.npz", models="Ising", n_splits=1), "a.db", n_jobs=1)
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
    """Do all that is left, storing each job as it finishes."""
    jobs, failed = prepared.jobs, []
    done = store.finished() & jobs.keys()
    ready = ReadyJobs(jobs, lambda job: prepared.used(job).values(), done)
    forecast = Forecast([job for digest, job in jobs.items() if digest not in done], workers.count)

    def take() -> Task | None:
        name = ready.take()
        return None if name is None else prepared.task(name, lambda _: store, workers.threads)

    with Progress(len(jobs), len(done), progress) as bar:
        if done:
            n_jobs = f"{len(done):,} of {len(jobs):,} jobs"
            messages = [*messages, f"{n_jobs} are in {store.path} already"]
        for sentence in messages:
            bar.write(sentence)
        if len(jobs) - len(done) > 1 and workers.count > 1 and workers.client is None:
            compile_ahead(bar.write)
        with (
            workers.as_study_error(store.path),
            closing(workers.results(execute, take)) as results,
        ):
            for result in results:
                job = jobs[result.digest]
                prepared.keep(result, store)
                forecast.finish(job, result.seconds)
                if result.error:
                    failed.append(f"{result.error} ({job})")
                else:
                    ready.finish(result.digest)
                known = _leader(store, job) if job.kind == "test" and not result.error else ""
                bar.advance(left=forecast.seconds, known=known)
    if failed:
        raise StudyError(
            f"{len(failed)} of {len(jobs)} jobs failed, the first with {failed[0]}; what was "
            f"finished is in {store.path}: run again to retry"
        )


def _leader(store: Store, job: Job) -> str:
    """By how much groups lead, or are behind, where one more split was tested; empty if unknown."""
    results = Results(store.path)
    found = results.comparison(job.recording, experiment=job.experiment, window=job.window)
    pair = found.groups
    if pair is None:
        return ""
    by = with_error(abs(pair.bits_per_second), pair.stderr)
    several = len(results.plan.sources) > 1
    return worded("study", "leader", pair=pair, by=by, several=several, recording=job.recording)
