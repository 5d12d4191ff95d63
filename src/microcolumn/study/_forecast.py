"""How long a study will roughly take, before it starts and while it runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ._experiment import Experiment
from ._jobs import Job, RecordingInfo, n_dims, stages
from ._plan import Plan

#: Seconds of one core for a fit to 12,000 words of 100 bits at four penalties, by model and, where
#: there is no model, for the other kinds of jobs; measured on recordings of 20 to 300 units.
_FITS = {"Ising": 50.0, "RBM": 10.0, "SemiRBM": 100.0, "CascadedLogistic": 6.0, "KPairwise": 100.0}
_OTHER_FITS = 3.0
_KINDS = {"describe": 5.0, "patterns": 15.0, "anneal": 8.0, "structure": 4.0, "assemblies": 3.0}
_OTHER_KINDS = 1.5
#: Powers of the bits of a word and of the words that times grow with.
_BITS, _WORDS = 1.5, 0.7
_USUAL_WORDS, _USUAL_PENALTIES, _AUTOMATIC = 12_000.0, 4.0, {"auto": 12, "coarse": 4}
#: A study that is expected to take less says nothing before it starts, seconds.
_LONG = 60.0
#: Numbers of units that a long study of more than twice as many is compared with.
_FEWER_UNITS = (100, 30)


def expected_s(job: Job, experiment: Experiment, n_units: int, seconds: float) -> float:
    """Seconds that a job will roughly take on one core, on a recording of so many ``seconds``."""
    bits = n_dims(experiment, n_units, job.window or 1)
    n_bins = seconds / experiment.bin_width
    kept = min(n_bins, experiment.max_words or n_bins)
    n_words = kept * experiment.train
    growth = math.pow(bits / 100.0, _BITS) * math.pow(n_words / _USUAL_WORDS, _WORDS)
    if job.kind != "fit" or job.model is None:
        return _KINDS.get(job.kind, _OTHER_KINDS) * growth
    one = _FITS.get(job.model.model, _OTHER_FITS) * growth
    if job.model.is_rival:
        return one
    penalties = experiment.l1
    n = _AUTOMATIC[penalties] if isinstance(penalties, str) else len(penalties)
    return one * n / _USUAL_PENALTIES * max(1.0, job.model.n_hidden / 10.0)


@dataclass(slots=True)
class Forecast:
    """What is left of a study.

    Attributes
    ----------
    expected : mapping of str to float
        Seconds of each job, by its digest, as far as they are known beforehand.
    n_workers : int
        Jobs at once.
    """

    expected: Mapping[str, float]
    n_workers: int
    _taken: dict[str, float] = field(default_factory=dict)

    def done(self, digest: str, seconds: float) -> None:
        """Take note of a finished job."""
        self._taken[digest] = seconds

    def left_s(self, digests: set[str]) -> float:
        """Seconds until these jobs are done, by how long those before them have taken."""
        before = sum(self.expected[digest] for digest in self._taken)
        # The first jobs weigh little against what is known beforehand.
        scale = (sum(self._taken.values()) + 10.0) / (before + 10.0)
        return scale * sum(self.expected[digest] for digest in digests) / self.n_workers


def forecast(
    plan: Plan,
    facts: Mapping[str, RecordingInfo],
    durations_s: Mapping[str, float],
    planned: Sequence[Mapping[str, Job]],
    n_workers: int,
) -> Forecast:
    """What to expect of a plan whose stages are ``planned``, on recordings of these durations."""
    experiments = {each.name: each for each in plan.experiments}
    found = {}
    for stage in planned:
        for digest, job in stage.items():
            n_units, seconds = facts[job.recording].n_units, durations_s[job.recording]
            found[digest] = expected_s(job, experiments[job.experiment], n_units, seconds)
    return Forecast(found, n_workers)


def announcement(
    plan: Plan,
    facts: Mapping[str, RecordingInfo],
    durations_s: Mapping[str, float],
    expected: Forecast,
    left: set[str],
) -> str:
    """How long the jobs that are left will take, and what would make it shorter.

    Empty where that is less than a minute.
    """
    seconds, n_workers = expected.left_s(left), expected.n_workers
    if seconds < _LONG:
        return ""
    said = f"{len(left):,} jobs, {n_workers} at a time, will take {roughly(seconds)}"
    most = max(n_dims(each, facts[name].n_units, 1) for each in plan.experiments for name in facts)
    fewer_units = next((n for n in _FEWER_UNITS if 2 * n < most), None)
    if fewer_units is None:
        return said
    experiments = tuple(replace(each, most_active=fewer_units) for each in plan.experiments)
    smaller = replace(plan, experiments=experiments)
    fewer = forecast(smaller, facts, durations_s, stages(smaller, facts), n_workers)
    instead = roughly(fewer.left_s(set(fewer.expected)))
    return f"{said}; of the {fewer_units} most active units alone (most_active) {instead}"


def roughly(seconds: float) -> str:
    """Such as "roughly 5 minutes"."""
    for unit, size in (("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= size:
            n = round(seconds / size)
            return f"roughly {n} {unit}{'s' * (n != 1)}"
    return "less than a minute"
