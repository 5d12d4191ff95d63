"""What each kind of job computes: from words and stored models to rows of the store.

Nothing here knows files, processes or the database. A job depends on its task alone, so its rows
are the same bits wherever and beside whatever it runs.
"""

from __future__ import annotations

import threading
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numba
from threadpoolctl import threadpool_limits

from ..evaluate import (
    calibration,
    compare,
    effective_interactions,
    excess_log_likelihood,
    layer_statistics,
    predict,
    roc,
    skill,
)
from ..evaluate._interactions import MOST_UNITS_OF_TRIPLETS
from ..evaluate._past import MOST_UNITS_OF_PAST
from ..models import RBM, Independent, Ising, PopulationModel, SemiRBM, from_bytes, to_bytes
from ..models._penalised import PenalisedModel
from ..partition import LogPartition
from ..partition._cost import operations
from ..words import Words
from ._jobs import Job, ModelSpec
from ._plan import Experiment
from ._provenance import environment
from ._schema import json_text

Rows = dict[str, list[dict[str, Any]]]

#: Log Z is summed exactly up to this many multiply-adds, about 5 s of one core or 37 Ising units.
#: There are hundreds to find, and annealing takes a second or two for an error far below others.
_EXACT_OPERATIONS = 2.0**37

#: Kernels of one process share their threads, so its jobs take turns where a cluster's worker
#: runs several at once.
_TURN = threading.Lock()


@dataclass(frozen=True, slots=True)
class Task:
    """A job with all it needs. It takes no weak references, so that Dask keeps it whole.

    Parameters
    ----------
    digest : str
        Name of the result.
    job : Job
        What to do.
    experiment : Experiment
        With which settings.
    words : Words
        Of the recording, one bin each.
    models : mapping of str to tuple of bytes
        Fitted models that the job starts from, by variant: a path, one fit, or the chosen fit.
    log_z : mapping of str to LogPartition
        Normalisers of the chosen fits.
    threads : int
        That kernels may use; results do not depend on it.
    """

    digest: str
    job: Job
    experiment: Experiment
    words: Words
    models: Mapping[str, tuple[bytes, ...]]
    log_z: Mapping[str, LogPartition]
    threads: int = 1


@dataclass(frozen=True, slots=True)
class JobResult:
    """What became of a task.

    Parameters
    ----------
    digest : str
        Name of the result.
    rows : dict of str to list of dict
        Rows of each table; empty where the job failed.
    seconds : float
        Elapsed time.
    environment : dict of str to str
        Versions and machine of the process that did it.
    warnings : tuple of str
        What the numerical routines had to say.
    error, trace : str
        One line and the whole traceback of a failure; empty where there is none.
    """

    digest: str
    rows: Rows
    seconds: float
    environment: dict[str, str]
    warnings: tuple[str, ...] = ()
    error: str = ""
    trace: str = ""


def execute(task: Task) -> JobResult:
    """Do a job; a failure is an outcome too, so that it does not end the others."""
    rows: Rows = {}
    error = trace = ""
    with _TURN, _pinned(task.threads), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        started = time.perf_counter()
        try:
            rows = _WORK[task.job.kind](task)
        except Exception as failure:
            error, trace = f"{type(failure).__name__}: {failure}", traceback.format_exc()
        seconds = time.perf_counter() - started
    said = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    return JobResult(task.digest, rows, seconds, environment(), said, error, trace)


@contextmanager
def _pinned(threads: int) -> Iterator[None]:
    """Kernels on a few threads, which their results do not depend on; BLAS, whose do, on one."""
    allowed = numba.get_num_threads()
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        numba.set_num_threads(allowed)


def split_words(words: Words, experiment: Experiment, window: int, split: int) -> tuple[Words, ...]:
    """Words to fit, to choose the penalty, and to test: (train, validation, test).

    Parameters
    ----------
    words : Words
        Of the recording, one bin each.
    experiment : Experiment
        With the shares and the way of splitting.
    window : int
        Bins per word.
    split : int
        Which split; it is dealt with ``random_state = experiment.seed + split``.
    """
    seed = experiment.seed + split
    by: Literal["words", "blocks"] = "blocks" if experiment.split_by == "blocks" else "words"
    embedded = words.embed(window) if window > 1 else words
    train, test = embedded.split(experiment.train, by=by, random_state=seed)
    train, validation = train.split(1.0 - experiment.validation, by=by, random_state=seed)
    return train, validation, test


def _parts(task: Task) -> tuple[Words, ...]:
    return split_words(task.words, task.experiment, task.job.window, task.job.split)


def _variant(task: Task) -> ModelSpec:
    if task.job.variant is None:
        raise ValueError(f"the job {task.job} names no variant")
    return task.job.variant


def _fit(task: Task) -> Rows:
    variant, penalties = _variant(task), task.experiment.penalties
    train, _, _ = _parts(task)
    model = _estimator(variant, task.experiment, task.job.split)
    if isinstance(model, SemiRBM):
        ising, rbm = ([from_bytes(m) for m in task.models[v.name]] for v in variant.inside)
        fits = model.fit_path(train, penalties, nested=(ising, rbm))
    else:
        fits = model.fit_path(train, penalties)
    return {
        "fits": [
            {
                "penalty": fit.l1,
                "value": fit.objective_,
                "optimality": fit.optimality_,
                "converged": fit.optimality_ <= fit.tol,
                "n_iter": fit.n_iter_,
                **_sizes(fit),
                "model": to_bytes(fit),
            }
            for fit in fits
        ]
    }


def _estimator(variant: ModelSpec, experiment: Experiment, split: int) -> PenalisedModel:
    settings: dict[str, Any] = {
        "objective": variant.objective,
        "n_init": experiment.n_init,
        "random_state": experiment.seed + split,
    }
    if variant.model == "Ising":
        return Ising(**settings)
    return {"RBM": RBM, "SemiRBM": SemiRBM}[variant.model](variant.n_hidden, **settings)


def _sizes(model: PopulationModel) -> dict[str, int]:
    return {
        "n_live_hidden": model.n_live_hidden_,
        "n_couplings": model.n_couplings_,
        "n_nonzero": model.n_nonzero_,
    }


def _normalise(task: Task) -> Rows:
    _, validation, _ = _parts(task)
    model = from_bytes(task.models[_variant(task).name][0])
    log_z = _log_partition(model, task.experiment.max_steps)
    score = excess_log_likelihood(model.with_log_partition(log_z), validation)
    row = asdict(log_z)
    row["log_z"] = row.pop("value")
    row["trace"] = row["trace"] and json_text(row["trace"])
    del row["seconds"]  # the job has its own; results are the same in every run
    row["validation_bits_per_second"] = score.bits_per_second
    row["validation_stderr"] = score.stderr
    return {"normalisers": [row]}


def _log_partition(model: PopulationModel, max_steps: int) -> LogPartition:
    """Exact where that takes seconds, else annealed; if that fails, exact at no higher a cost."""
    cost = operations(model.parameters_)
    if cost > _EXACT_OPERATIONS:
        steps = {"n_steps": min(1000, max_steps), "max_steps": max_steps}
        estimate = model.log_partition("ais", progress=False, **steps)
        if estimate.converged or cost > estimate.n_operations:
            return estimate
    return model.log_partition("exact", progress=False)


def _chosen(task: Task, name: str) -> PopulationModel:
    """Fit of a variant at the penalty that was chosen, with its log Z."""
    return from_bytes(task.models[name][0]).with_log_partition(task.log_z[name])


def _test(task: Task) -> Rows:
    train, _, test = _parts(task)
    models: dict[str, PopulationModel] = {"Independent": Independent().fit(train)}
    models |= {name: _chosen(task, name) for name in task.models}
    compared = compare(models, test)
    scores = [
        {
            "variant": row.name,
            "penalty": getattr(models[row.name], "l1", None),
            "bits_per_second": row.score.bits_per_second,
            "block_stderr": row.score.stderr,
            "normaliser_stderr": row.score.normaliser_stderr,
            "normaliser": row.score.normaliser,
            "converged": row.score.converged,
            "nats_per_word": row.score.nats_per_word,
            "n_words": row.score.n_words,
            **_sizes(models[row.name]),
        }
        for row in compared.rows
    ]
    differences = [
        {
            "first": pair.first,
            "second": pair.second,
            "bits_per_second": pair.bits_per_second,
            "block_stderr": pair.stderr,
        }
        for pair in compared.pairs
    ]
    return {"scores": scores, "differences": differences}


def _predict(task: Task) -> Rows:
    """Each cell of the newest bin from the rest of the window and, if there is one, the past."""
    _, _, test = _parts(task)
    model = _chosen(task, _variant(task).name)
    rows: Rows = {"predictions": [], "calibrations": []}
    rates_hz = model.rates_[-test.n_units :] / test.bin_width
    for given in ("rest", "past"):
        if given == "past" and (test.window == 1 or test.n_units > MOST_UNITS_OF_PAST):
            continue
        prediction = predict(model, test, given=given)
        gained = skill(prediction)
        rows["predictions"] += [
            {
                "given": given,
                "position": n,
                "unit": test.units.ids[n],
                "rate_hz": float(rates_hz[n]),
                "gain_bits_per_second": float(gained.bits_per_second[n]),
                "roc_area": roc(prediction, n).area,
                "brier": float(gained.brier[n]),
                "rate_brier": float(gained.rate_brier[n]),
            }
            for n in range(test.n_units)
        ]
        found = asdict(calibration(prediction))
        arrays = ("predicted", "observed", "lower", "upper", "n_bins")
        rows["calibrations"].append(
            {"given": given, "error": found["error"]}
            | {key: json_text(found[key].tolist()) for key in arrays}
        )
    return rows


def _structure(task: Task) -> Rows:
    """Layers of the hidden units and couplings; pairs and triplets that they amount to."""
    _, _, test = _parts(task)
    model = _chosen(task, _variant(task).name)
    labels = set(test.units.layer or ()) - {""}
    layers = None
    if len(labels) > 1:
        layers = json_text(asdict(layer_statistics(model, test.units)))
    order = 3 if test.n_dims <= MOST_UNITS_OF_TRIPLETS else 2
    found = effective_interactions(model, order)
    explained = found.explained(test)
    interactions = {
        "rms_nats": found.rms_nats,
        "explained": explained.fraction.tolist(),
        "remainder_nats": explained.rms_nats.tolist(),
        "strongest": [found.strongest(k) for k in range(2, order + 1)],
    }
    return {"structures": [{"layers": layers, "interactions": json_text(interactions)}]}


_WORK = {
    "fit": _fit,
    "normalise": _normalise,
    "test": _test,
    "predict": _predict,
    "structure": _structure,
}
