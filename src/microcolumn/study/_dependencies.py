"""What a job starts from: fits and normalisers of earlier jobs, read from the store."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..partition import LogPartition
from ._jobs import Job
from ._selection import Candidate, chosen
from ._store import Store

Models = dict[str, tuple[bytes, ...]]


def inputs(store: Store, job: Job, used: Sequence[str]) -> tuple[Models, dict[str, LogPartition]]:
    """Fitted models by variant, and log Z of those that were chosen.

    Parameters
    ----------
    store : Store
        Where they are.
    job : Job
        The job to be done.
    used : sequence of str
        Digests of the jobs whose results it starts from; all must be finished.

    Returns
    -------
    models : dict of str to tuple of bytes
        Whole paths for a fit, the fit at the job's penalty for a normaliser, else the fit at the
        penalty that the validation part prefers.
    log_z : dict of str to LogPartition
        Of those last.
    """
    rows = [row for name in used for row in store.rows("jobs", digest=name)]
    fits = {row["variant"]: row["digest"] for row in rows if row["kind"] == "fit"}
    if job.kind == "fit":
        return {name: _models(store, fit) for name, fit in fits.items()}, {}
    if job.kind == "normalise":
        return {name: _models(store, fit, job.penalty) for name, fit in fits.items()}, {}
    models: Models = {}
    log_z = {}
    for name, fit in fits.items():
        found = {
            row["penalty"]: store.rows("normalisers", job=row["digest"])[0]
            for row in rows
            if row["kind"] == "normalise" and row["variant"] == name
        }
        best = chosen(candidates(found))
        models[name] = _models(store, fit, best.penalty)
        log_z[name] = log_partition_of(found[best.penalty])
    return models, log_z


def candidates(normalisers: Mapping[float, Mapping[str, Any]]) -> list[Candidate]:
    """Fits of a path to choose from, given their rows of ``normalisers`` by penalty."""
    return [
        Candidate(penalty, row["validation_bits_per_second"], bool(row["converged"]))
        for penalty, row in normalisers.items()
    ]


def log_partition_of(row: Mapping[str, Any]) -> LogPartition:
    """The normaliser that a row of ``normalisers`` describes; its time is the job's."""

    def known(name: str) -> float | None:
        return None if math.isnan(row[name]) else row[name]

    trace = None if row["trace"] is None else json.loads(row["trace"])
    return LogPartition(
        value=row["log_z"],
        stderr=row["stderr"],
        method=row["method"],
        n_operations=row["n_operations"],
        seconds=math.nan,
        converged=bool(row["converged"]),
        effective_sample_size=known("effective_sample_size"),
        reverse=known("reverse"),
        reverse_stderr=known("reverse_stderr"),
        n_steps=row["n_steps"],
        trace=trace and tuple((int(n), value, stderr) for n, value, stderr in trace),
        frequent_words=known("frequent_words"),
    )


def _models(store: Store, fit: str, penalty: float | None = None) -> tuple[bytes, ...]:
    """Stored models of a path in order of their penalty, or the one at a penalty."""
    where = {} if penalty is None else {"penalty": penalty}
    return tuple(row["model"] for row in store.rows("fits", columns=("model",), job=fit, **where))
