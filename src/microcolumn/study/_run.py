"""Run a plan: every job that is not in the store yet, on the workers at hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from .. import __version__
from ..recording import Recording
from ..words import Words
from ._compute import JobResult, Task, execute
from ._dependencies import inputs
from ._diff import changes
from ._jobs import Job, ModelSpec, RecordingInfo, n_dims, needs, settings_of, stages, variants
from ._plan import Experiment, Plan
from ._progress import Bar, DurationModel
from ._results import Results
from ._schema import json_text
from ._sources import fingerprint, words_of
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
        Jobs at once on this machine; one per core where left out.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``"tcp://host:8786"``, whose workers do the jobs
        instead; microcolumn must be installed there.
    progress : bool, optional
        Show a bar; by default in a terminal and in a notebook only.
    command : str
        What to note down as the origin of the run.

    Returns
    -------
    Results

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
    with (
        workers_at(n_jobs, scheduler) as workers,
        Store.create(path) as opened,
        opened.lock(),
    ):
        told = _noticed(plan, opened)
        facts = _recognised(recordings, opened)
        for name, recording in recordings.items():
            opened.write_recording(_described(name, recording, facts[name], plan))
        opened.write_study(
            plan=json_text(plan.as_dict()),
            microcolumn=__version__,
            command=command,
            workers=str(workers.count),
        )
        _Run(opened, plan, words, facts, workers).go(progress, told)
    return Results(path, plan)


def _recognised(recordings: Mapping[str, Recording], store: Store) -> dict[str, RecordingInfo]:
    """Facts about the recordings; refuses those that are not what the store was made from."""
    known = {row["name"]: row for row in store.rows("recordings")}
    facts = {}
    for name, recording in recordings.items():
        facts[name] = RecordingInfo(fingerprint(recording), recording.n_units)
        before = known.get(name)
        if before is not None and before["fingerprint"] != facts[name].fingerprint:
            raise ValueError(
                f"recording {name!r} is not the one that {store.path} was made from: it had "
                f"{before['n_spikes']:,} spikes of {before['n_units']} units, now it has "
                f"{recording.n_spikes:,} of {recording.n_units} (or other times, units, layers or "
                "epochs); restore it or the options it was read with, or use another store"
            )
    return facts


def _described(name: str, recording: Recording, facts: RecordingInfo, plan: Plan) -> dict[str, Any]:
    """Row of the store about a recording."""
    table = recording.units
    units = [
        {
            "id": table.ids[n],
            "layer": None if table.layer is None else table.layer[n],
            "depth_um": None if table.depth_um is None else float(table.depth_um[n]),
            "depth_reference": table.depth_reference,
            "multiunit": None if table.multiunit is None else bool(table.multiunit[n]),
            "rate_hz": float(recording.rates_hz[n]),
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
        "units": json_text(units),
        "notes": json_text(recording.notes),
        "survey": json_text(survey),
    }


def _noticed(plan: Plan, store: Store) -> list[str]:
    """What changed since the store was last used, in sentences; other versions are refused."""
    before = store.read_study()
    if "plan" not in before:
        return []
    if before["microcolumn"] != __version__:
        raise StoreError(
            f"{store.path} was made by microcolumn {before['microcolumn']} and this is "
            f"{__version__}, whose numbers may differ; use that version or a new store"
        )
    told = changes(Plan.from_dict(json.loads(before["plan"])), plan)
    if told:
        kept = "results of the earlier plan that this one shares are used, all others are kept"
        told = ["the plan changed:", *(f"  {sentence}" for sentence in told), f"  ({kept})"]
    return told


@dataclass(slots=True)
class _Run:
    """A plan on its way into a store."""

    store: Store
    plan: Plan
    words: Mapping[tuple[str, str], Words]
    facts: Mapping[str, RecordingInfo]
    workers: Workers
    names: dict[Job, str] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)
    pace: DurationModel = field(default_factory=DurationModel)

    def go(self, progress: bool | None, told: list[str]) -> None:
        """Do all that is left, stage by stage."""
        planned = stages(self.plan, self.facts)
        self.jobs = {name: job for stage in planned for name, job in stage.items()}
        self.names = {job: name for name, job in self.jobs.items()}
        seconds = {
            row["digest"]: row["seconds"]
            for row in self.store.rows("jobs", columns=("digest", "seconds"))
        }
        self.done = seconds.keys() & self.jobs.keys()
        for name in self.done:
            self.pace.learn(self.jobs[name], seconds[name])
        with Bar(len(self.jobs), len(self.done), progress) as bar:
            if self.done:
                n_jobs = f"{len(self.done):,} of {len(self.jobs):,} jobs"
                told = [*told, f"{n_jobs} are in {self.store.path} already"]
            for sentence in told:
                bar.tell(sentence)
            for stage in planned:
                self._do(stage, bar)
        if self.failed:
            raise StudyError(
                f"{len(self.failed)} of {len(self.jobs)} jobs failed, the first with "
                f"{self.failed[0]}; what was finished is in {self.store.path}: run again to retry"
            )

    def _do(self, stage: Mapping[str, Job], bar: Bar) -> None:
        """Do one stage, storing each job as it finishes."""
        left = [name for name in stage if name not in self.done and self._is_ready(stage[name])]
        parallel = Parallel(
            n_jobs=self.workers.count,
            return_as="generator_unordered",
            batch_size=1,  # a batch would be stored only when all of it is done
            max_nbytes=None,  # words are small; files of joblib's would outlive a kill
        )
        with self.workers.explained(self.store.path):
            for outcome in parallel(delayed(execute)(task) for task in self._tasks(left)):
                self._keep(outcome)
                bar.finished(self.jobs[outcome.digest], self._left_s)

    def _left_s(self) -> float:
        """Seconds until all jobs are done."""
        left = (job for name, job in self.jobs.items() if name not in self.done)
        return self.pace.remaining_s(left, self.workers.count)

    def _experiment(self, job: Job) -> tuple[Experiment, tuple[ModelSpec, ...]]:
        """The job's experiment, and the variants that it compares."""
        [experiment] = [each for each in self.plan.experiments if each.name == job.experiment]
        n_units = self.facts[job.recording].n_units
        return experiment, variants(experiment, n_dims(experiment, n_units, job.window))

    def _is_ready(self, job: Job) -> bool:
        """Whether all that it starts from is there; not so where an earlier job failed."""
        return all(self.names[other] in self.done for other in needs(job, *self._experiment(job)))

    def _tasks(self, names: list[str]) -> Iterator[Task]:
        for name in names:
            job = self.jobs[name]
            experiment, compared = self._experiment(job)
            used = [self.names[other] for other in needs(job, experiment, compared)]
            # joblib draws tasks from threads of its own, so each gets a connection of its own.
            with Store.open(self.store.path) as reader:
                models, log_z = inputs(reader, job, used)
            words = self.words[job.recording, job.experiment]
            yield Task(name, job, experiment, words, models, log_z, self.workers.threads)

    def _keep(self, outcome: JobResult) -> None:
        """Store what became of a job."""
        job = self.jobs[outcome.digest]
        if outcome.error:
            self.failed.append(f"{outcome.error} ({job})")
            self.store.fail(outcome.digest, str(job), outcome.error, outcome.trace)
            return
        experiment, compared = self._experiment(job)
        variant = job.variant
        row = {
            "kind": job.kind,
            "recording": job.recording,
            "experiment": job.experiment,
            "window": job.window,
            "split": job.split,
            "model": variant and variant.model,
            "n_hidden": variant and variant.n_hidden,
            "objective": variant and variant.objective,
            "variant": variant and variant.name,
            "penalty": job.penalty,
            "seed": experiment.seed + job.split,
            "fingerprint": self.facts[job.recording].fingerprint,
            "settings": json_text(settings_of(job, experiment, compared)),
            "warnings": json_text(outcome.warnings),
            "seconds": outcome.seconds,
            "environment": outcome.environment,
        }
        self.store.finish(outcome.digest, row, outcome.rows)
        self.done.add(outcome.digest)
        self.pace.learn(job, outcome.seconds)
