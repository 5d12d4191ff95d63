"""About how long a study will take."""

from __future__ import annotations

import math

from ..formatting import counted
from ._experiment import Experiment
from ._jobs import Job, n_dims

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
    """Seconds that a job takes on one core, more or less, on a recording of so many ``seconds``."""
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


def left_s(left: float, done: float, taken: float, n_workers: int) -> float:
    """Seconds until jobs are done that were expected to take ``left`` seconds on one core.

    Those before them were expected to take ``done`` seconds and have taken ``taken``.
    """
    # The first jobs weigh little against what is known beforehand.
    return (taken + 10.0) / (done + 10.0) * left / n_workers


def announcement(n_jobs: int, n_workers: int, seconds: float, n_units: int) -> str:
    """How long jobs on up to ``n_units`` units will take in all, and what would make it shorter.

    Empty where that is less than a minute.
    """
    if seconds < _LONG:
        return ""
    said = f"{n_jobs:,} jobs, {n_workers} at a time, will take {about(seconds)}"
    fewer = next((n for n in _FEWER_UNITS if 2 * n < n_units), None)
    if fewer is None:
        return said
    instead = about(seconds * (fewer / n_units) ** _BITS)
    return f"{said}; of the {fewer} most active units alone (most_active) {instead}"


def about(seconds: float) -> str:
    """Such as "about 5 minutes"."""
    for unit, size in (("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0)):
        if seconds >= size:
            return f"about {counted(round(seconds / size), unit)}"
    return "less than a minute"
