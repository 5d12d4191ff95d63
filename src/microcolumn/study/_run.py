"""Run a plan: every job that is not in the store yet, on the workers at hand."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from joblib import Parallel, delayed
from tqdm.auto import tqdm

from .. import __version__
from ..models import ModelSpec
from ..partition import LogPartition
from ..recording import Recording
from ..safe_text import printable
from ..words import Words
from ._codec import json_text
from ._compute import JobResult, Task, execute
from ._index import log_partition_of
from ._jobs import Job, RecordingInfo, chosen_l1, dependencies, settings_of, specs_of, stages
from ._plan import Experiment, Plan, diff
from ._results import Results
from ._sources import check_distinct_data, fingerprint, words_of
from ._status import progress_bar
from ._store import Store, StoreError
from ._workers import StudyError, Workers, workers_at


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
        Jobs at once on this machine; one per core by default.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``"tcp://host:8786"``, whose workers do the jobs
        instead; microcolumn must be installed there.
    progress : bool, optional
        Show a bar; by default in a terminal and in a notebook only.
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
    """
    path = Path(store)
    # What may be refused comes before the store, so that nothing is left behind.
    recordings = {source.name: source.load() for source in plan.sources}
    words = {
        (source.name, experiment.name): words_of(recordings[source.name], experiment)
        for experiment in plan.experiments
        for source in plan.sources_of(experiment)
    }
    facts = {
        name: RecordingInfo(fingerprint(recording), recording.n_units)
        for name, recording in recordings.items()
    }
    check_distinct_data({name: each.fingerprint for name, each in facts.items()})
    with (
        workers_at(n_jobs, scheduler) as workers,
        Store.create(path) as opened,
        opened.lock(),
    ):
        mended = opened.mend()
        messages = [*([mended] if mended else []), *_changes(plan, opened)]
        _check_unchanged(recordings, facts, opened)
        for name, recording in recordings.items():
            opened.write_recording(recording_row(name, recording, facts[name], plan))
        planned = stages(plan, facts)
        opened.write_plan(
            [{"digest": digest} | job.row for stage in planned for digest, job in stage.items()],
            plan=json_text(plan.as_dict()),
            microcolumn=__version__,
            command=command,
            workers=str(workers.count),
        )
        _Run(opened, plan, recordings, words, facts, workers, planned).go(progress, messages)
    return Results(path)


def _check_unchanged(
    recordings: Mapping[str, Recording], facts: Mapping[str, RecordingInfo], store: Store
) -> None:
    """Refuse recordings that are not what the store was made from."""
    known = {row["name"]: row for row in store.rows("recordings")}
    for name, recording in recordings.items():
        before = known.get(name)
        if before is not None and before["fingerprint"] != facts[name].fingerprint:
            raise ValueError(
                f"recording {name!r} is not the one that {store.path} was made from: it had "
                f"{before['n_spikes']:,} spikes of {before['n_units']} units, now it has "
                f"{recording.n_spikes:,} of {recording.n_units} (or other times, units, layers or "
                "epochs); restore it or the options it was read with, or use another store"
            )


def recording_row(
    name: str, recording: Recording, facts: RecordingInfo, plan: Plan
) -> dict[str, Any]:
    """Row of the store about a recording."""
    table = recording.units
    places = {"area": table.area, "probe": table.probe}
    units = [
        {
            "id": table.ids[n],
            "layer": None if table.layer is None else table.layer[n],
            "depth_um": None if table.depth_um is None else float(table.depth_um[n]),
            "depth_reference": table.depth_reference,
            "multiunit": bool(table.multiunit[n]),
            "rate_hz": float(recording.rates_hz[n]),
            **{name: labels[n] for name, labels in places.items() if labels is not None},
        }
        for n in range(recording.n_units)
    ]
    survey = {}
    # Epochs may be too short for the bins of an experiment on other recordings.
    about = [each for each in plan.experiments if not each.recordings or name in each.recordings]
    for width in dict.fromkeys(experiment.bin_width for experiment in about):
        binning = recording.binning(width)
        survey[repr(width)] = {
            "n_bins": binning.words.n_bins,
            "n_distinct": len(binning.words),
            "single_fraction": binning.single_fraction,
            "multiple_fraction": binning.multiple_fraction,
        }
    return {
        "name": name,
        "fingerprint": facts.fingerprint,
        "source": recording.source,
        "n_units": recording.n_units,
        "n_spikes": recording.n_spikes,
        "duration_s": recording.duration_s,
        "simulated": int(recording.simulated),
        "units": units,
        "notes": recording.notes,
        "survey": survey,
    }


def _changes(plan: Plan, store: Store) -> list[str]:
    """What changed since the store was last used, in sentences; other versions are refused."""
    before = store.read_study()
    if "plan" not in before:
        return []
    if before["microcolumn"] != __version__:
        raise StoreError(
            f"{store.path} was made by microcolumn {before['microcolumn']} and this is "
            f"{__version__}, whose numbers may differ; use that version or a new store"
        )
    changed = diff(Plan.from_dict(json.loads(before["plan"])), plan)
    if not changed:
        return []
    kept = "results of the earlier plan that this one shares are used, all others are kept"
    return ["the plan changed:", *(f"  {sentence}" for sentence in changed), f"  ({kept})"]


def inputs(
    store: Store, job: Job, used: Mapping[Job, str]
) -> tuple[dict[str, tuple[bytes, ...]], dict[str, LogPartition]]:
    """What a job starts from: fitted models by name, and log Z of those that were chosen.

    ``used`` are the finished fits that it starts from, with their digests. Models are all of a path
    for a fit, else the fit at the l1 that the validation part prefers, of each split that is used.
    """
    models: dict[str, tuple[bytes, ...]] = {}
    log_z: dict[str, LogPartition] = {}
    for fit, digest in used.items():
        assert fit.model is not None  # fits are of one model
        where: dict[str, Any] = {}
        if job.kind != "fit":
            rows = {row["l1"]: row for row in store.rows("normalisers", job=digest)}
            where["l1"] = chosen_l1(rows)
            if fit.split == job.split:
                log_z[fit.model.name] = log_partition_of(rows[where["l1"]])
        found = store.rows("fits", columns=("file",), job=digest, **where)
        before = models.get(fit.model.name, ())
        models[fit.model.name] = (*before, *(row["file"] for row in found))
    return models, log_z


@dataclass(slots=True)
class _Run:
    """A plan on its way into a store."""

    store: Store
    plan: Plan
    recordings: Mapping[str, Recording]
    words: Mapping[tuple[str, str], Words]
    facts: Mapping[str, RecordingInfo]
    workers: Workers
    stages: list[dict[str, Job]]
    digests: dict[Job, str] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)

    def go(self, progress: bool | None, messages: list[str]) -> None:
        """Do all that is left, stage by stage."""
        self.jobs = {digest: job for stage in self.stages for digest, job in stage.items()}
        self.digests = {job: digest for digest, job in self.jobs.items()}
        self.done = self.store.finished() & self.jobs.keys()
        with progress_bar(len(self.jobs), len(self.done), progress) as bar:
            if self.done:
                n_jobs = f"{len(self.done):,} of {len(self.jobs):,} jobs"
                messages = [*messages, f"{n_jobs} are in {self.store.path} already"]
            for sentence in messages:
                bar.write(printable(sentence), file=sys.stderr)
            for stage in self.stages:
                self._do(stage, bar)
        if self.failed:
            raise StudyError(
                f"{len(self.failed)} of {len(self.jobs)} jobs failed, the first with "
                f"{self.failed[0]}; what was finished is in {self.store.path}: run again to retry"
            )

    def _do(self, stage: Mapping[str, Job], bar: tqdm[NoReturn]) -> None:
        """Do one stage, storing each job as it finishes."""
        # A job is not ready where an earlier one, whose result it starts from, failed.
        left = [
            name
            for name, job in stage.items()
            if name not in self.done and self.done.issuperset(self._used(job).values())
        ]
        parallel = Parallel(
            n_jobs=self.workers.count,
            return_as="generator_unordered",
            batch_size=1,  # a batch would be stored only when all of it is done
            max_nbytes=None,  # words are small; files of joblib's would outlive a kill
        )
        with self.workers.as_study_error(self.store.path):
            for result in parallel(delayed(execute)(task) for task in self._tasks(left)):
                self._keep(result)
                bar.set_description(self.jobs[result.digest].kind, refresh=False)
                bar.update()

    def _experiment(self, job: Job) -> tuple[Experiment, tuple[ModelSpec, ...]]:
        """The job's experiment, and the models that it compares."""
        [experiment] = [each for each in self.plan.experiments if each.name == job.experiment]
        n_units = self.facts[job.recording].n_units
        return experiment, specs_of(experiment, n_units, job.window or 1)

    def _used(self, job: Job) -> dict[Job, str]:
        """Jobs whose results it starts from, with their digests."""
        experiment, compared = self._experiment(job)
        found = dependencies(job, compared, experiment.n_splits)
        return {other: self.digests[other] for other in found}

    def _tasks(self, names: list[str]) -> Iterator[Task]:
        for name in names:
            job = self.jobs[name]
            experiment, _ = self._experiment(job)
            # joblib draws tasks from threads of its own, so each gets a connection of its own.
            with Store.open(self.store.path) as reader:
                models, log_z = inputs(reader, job, self._used(job))
            yield Task(
                digest=name,
                job=job,
                experiment=experiment,
                words=self.words[job.recording, job.experiment],
                models=models,
                log_z=log_z,
                threads=self.workers.threads,
                recording=self.recordings[job.recording] if job.kind == "describe" else None,
            )

    def _keep(self, result: JobResult) -> None:
        """Store what became of a job."""
        job = self.jobs[result.digest]
        if result.error:
            self.failed.append(f"{result.error} ({job})")
            self.store.fail(result.digest, str(job), result.error, result.trace)
            return
        row = job.row | {
            "fingerprint": self.facts[job.recording].fingerprint,
            "settings": settings_of(job, *self._experiment(job)),
            "warnings": result.warnings,
            "seconds": result.seconds,
            "environment": result.environment,
        }
        self.store.finish(result.digest, row, result.rows)
        self.done.add(result.digest)
