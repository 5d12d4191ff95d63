"""A plan made ready: its recordings are read, its jobs are known, and the store agrees with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .. import __version__
from ..errors import BadInput, advice, in_file
from ..models import ModelSpec
from ..partition import LogPartition
from ..recording import Recording
from ..simulate import Microcolumn
from ..survey import suspect_units
from ..survey.suspects import late_start, suspicions
from ..words import Words
from ._compute import JobResult, Task
from ._jobs import Job, RecordingInfo, chosen_l1, dependencies, settings_of, specs_of, stages
from ._parts import merge_parts
from .codec import json_text
from .index import log_partition_of
from .plan import Experiment, Plan, diff
from .sources import check_distinct_data, fingerprint, words_of
from .store import Store, StoreError


@dataclass(frozen=True)
class Prepared:
    """A plan with its recordings and jobs."""

    plan: Plan
    recording_info: Mapping[str, RecordingInfo]  # all recordings of the plan by name
    recordings: Mapping[str, Recording]  # those read: for a run all, for a task those of its jobs
    _words: dict[tuple[str, str], Words] = field(init=False, default_factory=dict)

    @cached_property
    def stages(self) -> list[dict[str, Job]]:
        """All jobs by digest, in stages that need earlier ones alone."""
        return stages(self.plan, self.recording_info)

    @cached_property
    def jobs(self) -> dict[str, Job]:
        """All jobs by digest, in the order they are done."""
        return {digest: job for stage in self.stages for digest, job in stage.items()}

    @cached_property
    def digests(self) -> dict[Job, str]:
        """The same the other way round."""
        return {job: digest for digest, job in self.jobs.items()}

    @classmethod
    def of(cls, plan: Plan) -> Prepared:
        """Read all recordings of a plan; what may be refused is refused here."""
        recordings = {source.name: source.load() for source in plan.sources}
        recording_info = {
            name: RecordingInfo(fingerprint(recording), recording.n_units)
            for name, recording in recordings.items()
        }
        check_distinct_data({name: each.fingerprint for name, each in recording_info.items()})
        prepared = cls(plan, recording_info, recordings)
        for experiment in plan.experiments:
            for source in plan.sources_of(experiment):
                prepared._words_of(source.name, experiment)
        return prepared

    def enter(self, store: Store, *, command: str) -> list[str]:
        """Write plan and recordings into a store that fits, merge parts; sentences on changes."""
        messages = _changes(self.plan, store)
        self._check_unchanged(store)
        for name, recording in self.recordings.items():
            row = recording_row(name, recording, self.recording_info[name], self.plan)
            store.write_recording(row)
        store.write_study(
            [{"digest": digest} | job.row for digest, job in self.jobs.items()],
            plan=json_text(self.plan.as_dict()),
            microcolumn=__version__,
            command=command,
        )
        return [*messages, *merge_parts(store).sentences]

    def _check_unchanged(self, store: Store) -> None:
        """Refuse recordings that are not what the store was made from."""
        known = {row["name"]: row for row in store.rows("recordings")}
        for name, now in self.recordings.items():
            before = known.get(name)
            if before and before["fingerprint"] != self.recording_info[name].fingerprint:
                had = f"{before['n_spikes']:,} spikes of {before['n_units']} units"
                has = f"{now.n_spikes:,} of {now.n_units} (or other times or layers)"
                raise BadInput(
                    f"recording {name!r} is not the one that {store.path} was made from: it had "
                    f"{had}, now it has {has}",
                    advice("restore it or the options it was read with, or state another {store}"),
                )

    def used(self, job: Job) -> dict[Job, str]:
        """Jobs whose results it starts from, with their digests."""
        experiment, compared = self._experiment(job)
        needed = dependencies(job, compared, experiment)
        return {other: self.digests[other] for other in needed}

    def task(self, digest: str, store_of: Callable[[str], Store], threads: int) -> Task:
        """The job with all it needs; ``store_of`` gives the store of each fit it starts from."""
        job = self.jobs[digest]
        experiment, _ = self._experiment(job)
        models, log_z = inputs(store_of, job, self.used(job))
        return Task(
            digest=digest,
            job=job,
            experiment=experiment,
            words=self._words_of(job.recording, experiment),
            models=models,
            log_z=log_z,
            threads=threads,
            recording=self.recordings[job.recording] if job.kind == "describe" else None,
        )

    def keep(self, result: JobResult, store: Store) -> None:
        """Store what became of a job."""
        job = self.jobs[result.digest]
        if result.error:
            store.fail(result.digest, str(job), result.error, result.trace)
            return
        row = job.row | {
            "fingerprint": self.recording_info[job.recording].fingerprint,
            "settings": settings_of(job, *self._experiment(job)),
            "warnings": result.warnings,
            "seconds": result.seconds,
            "environment": result.environment,
        }
        store.finish(result.digest, row, result.rows)

    def _experiment(self, job: Job) -> tuple[Experiment, tuple[ModelSpec, ...]]:
        """The job's experiment, and the models that it compares."""
        [experiment] = [each for each in self.plan.experiments if each.name == job.experiment]
        n_units = self.recording_info[job.recording].n_units
        return experiment, specs_of(experiment, n_units, job.window or 1)

    def _words_of(self, recording: str, experiment: Experiment) -> Words:
        """Words of an experiment on one of the recordings that were read, made once."""
        key = recording, experiment.name
        if key not in self._words:
            self._words[key] = words_of(self.recordings[recording], experiment)
        return self._words[key]


def recording_row(
    name: str, recording: Recording, info: RecordingInfo, plan: Plan
) -> dict[str, Any]:
    """Row of the store about a recording."""
    unknown = {"layer": None, "depth_um": None}
    shared = {"depth_reference": recording.units.depth_reference}
    units = [
        unknown | row | shared | {"rate_hz": rate}
        for row, rate in zip(recording.units.to_rows(), recording.rates_hz.tolist(), strict=True)
    ]
    remedy = "see microcolumn info, and choose units with --ids or Recording.select"
    doubts = [f"{doubt}; {remedy}" for doubt in suspicions(suspect_units(recording))]
    suspicious = [*late_start(recording), *doubts]
    survey: dict[str, Any] = {"suspects": suspicious} if suspicious else {}
    if recording.animal:
        survey["animal"] = recording.animal
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
        "fingerprint": info.fingerprint,
        "source": recording.source,
        "n_units": recording.n_units,
        "n_spikes": recording.n_spikes,
        "duration_s": recording.duration_s,
        "simulated": int(recording.simulated),
        "units": units,
        "notes": recording.notes,
        "survey": survey,
        "planted_groups": recording.groups if isinstance(recording, Microcolumn) else None,
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
    with in_file(store.path):
        changed = diff(Plan.from_dict(json.loads(before["plan"])), plan)
    if not changed:
        return []
    kept = "results of the earlier plan that this one shares are used, all others are kept"
    return ["the plan changed:", *(f"  {sentence}" for sentence in changed), f"  ({kept})"]


def inputs(
    store_of: Callable[[str], Store], job: Job, used: Mapping[Job, str]
) -> tuple[dict[str, tuple[bytes, ...]], dict[str, LogPartition]]:
    """Fitted models by name that a job starts from, and log Z of those that were chosen."""
    models: dict[str, tuple[bytes, ...]] = {}
    log_z: dict[str, LogPartition] = {}
    for fit, digest in used.items():
        store = store_of(digest)
        assert fit.model is not None  # fits are of one model
        where: dict[str, Any] = {}
        if job.kind != "fit" or fit.model == job.model:  # its own choice, in the first split
            rows = {row["l1"]: row for row in store.rows("normalisers", job=digest)}
            where["l1"] = chosen_l1(rows)
            if fit.split == job.split:
                log_z[fit.model.name] = log_partition_of(rows[where["l1"]])
        files = store.rows("fits", columns=("file",), job=digest, **where)
        before = models.get(fit.model.name, ())
        models[fit.model.name] = (*before, *(row["file"] for row in files))
    return models, log_z
