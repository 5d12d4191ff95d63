"""What each kind of job computes: from words and stored models to rows of the store.

Nothing here knows files, processes or the database. A job depends on its task alone, so its rows
are the same bits wherever it runs and whatever else runs there.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from traceback import format_exception
from typing import Any, Literal

import numba
from threadpoolctl import threadpool_limits

from .. import evaluate, models
from ..evaluate.activation import hidden_activation
from ..evaluate.interactions import MOST_UNITS_OF_TRIPLETS
from ..evaluate.splits import score_split
from ..models.penalised import PenalisedModel
from ..models.spec import INDEPENDENT
from ..objectives.conditional import MOST_UNITS_OF_PAST
from ..partition import LogPartition
from ..recording import Recording
from ..words import Words
from ._describe import DATA, anneal, describe
from ._environment import environment
from ._jobs import Job
from .codec import row_of, to_blob
from .plan import Experiment

Rows = dict[str, list[dict[str, Any]]]

#: Optimality at which fits of a faster comparison end: scores of a hundred units are then settled
#: to a part of a bit/s.
TOLERANCE = 1e-4
#: Penalties of an alternative go so far below its strongest, and its components up to so many:
#: what lies beyond takes most of the time and is preferred by far longer recordings alone.
_WEAKEST, _MOST_COMPONENTS = 0.01, 40

#: Kernels of one process share their threads, so its jobs take turns where a cluster's worker
#: runs several at once.
_TURN = threading.Lock()


@dataclass(frozen=True, slots=True)
class Task:
    """A job with all it needs. It takes no weak references, so that Dask does not split it up."""

    digest: str
    job: Job
    experiment: Experiment
    words: Words  # of the recording, one bin each
    models: Mapping[str, tuple[bytes, ...]]  # by name: a path, or the chosen fit of each split
    log_z: Mapping[str, LogPartition]  # normalisers of the chosen fits
    threads: int = 1  # that kernels may use; results do not depend on it
    recording: Recording | None = None  # for descriptions


@dataclass(frozen=True, slots=True)
class JobResult:
    """What became of a task."""

    digest: str
    rows: Rows  # of each table; empty where the job failed
    seconds: float
    environment: dict[str, str]
    warnings: tuple[str, ...] = ()
    error: str = ""  # one line; empty where there is none
    trace: str = ""


def execute(task: Task) -> JobResult:
    """Do a job; a failure is an outcome too, so that it does not end the others."""
    with _TURN, _pinned(task.threads), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        started = time.perf_counter()
        try:
            rows = _WORK[task.job.kind](task)
        except Exception as failure:
            return failed(task.digest, failure)
        seconds = time.perf_counter() - started
    messages = tuple(dict.fromkeys(str(warning.message) for warning in caught))
    return JobResult(task.digest, rows, seconds, environment(), messages)


def failed(digest: str, error: Exception) -> JobResult:
    """What becomes of a job that raises an error, or cannot even start."""
    sentence, trace = f"{type(error).__name__}: {error}", "".join(format_exception(error))
    return JobResult(digest, {}, 0.0, environment(), (), sentence, trace)


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


def split_words(
    words: Words, experiment: Experiment, window: int, split: int
) -> tuple[Words, Words, Words]:
    """Words of a split to fit, to choose l1, and to test; random_state is seed + split."""
    seed = experiment.seed + split
    by: Literal["words", "blocks"] = "blocks" if experiment.split_by == "blocks" else "words"
    embedded = words.embed(window) if window > 1 else words
    train, test = embedded.split(experiment.train, by=by, random_state=seed)
    train, validation = train.split(1.0 - experiment.validation, by=by, random_state=seed)
    return train, validation, test


def _split(task: Task) -> tuple[Words, Words, Words]:
    return split_words(task.words, task.experiment, task.job.window or 1, task.job.split or 0)


def _spec(task: Task) -> models.ModelSpec:
    if task.job.model is None:
        raise ValueError(f"the job {task.job} names no model")
    return task.job.model


def _describe(task: Task) -> Rows:
    assert task.recording is not None
    cut = task.experiment.max_words is not None
    data = describe(task.recording, task.words, cut=cut)
    return {"descriptions": [{"words": to_blob(task.words), "data": to_blob(data)}]}


def _fit(task: Task) -> Rows:
    """Fits along the penalties, each with its log Z and its score on the validation part."""
    spec, experiment = _spec(task), task.experiment
    train, validation, test = _split(task)
    first = [models.from_bytes(file) for file in task.models.get(spec.name, ())]
    if issubclass(models.model_class(spec.model), models.AlternativeModel):
        return _fit_alternative(task, train, validation, *first)
    nested: Any = (
        tuple([models.from_bytes(m) for m in task.models[s.name]] for s in spec.nested) or None
    )
    model, steps, strengths = _estimator(spec, task), experiment.max_steps, experiment.l1
    is_auto = getattr(model, "n_hidden", None) == "auto"
    for chosen in first:  # in the first split, for all
        strengths = (chosen.l1,)
        if is_auto:
            is_auto, model = False, model.set_params(n_hidden=chosen.n_hidden)
    if is_auto and nested:  # a SemiRBM starts from these RBMs
        is_auto, model = False, model.set_params(n_hidden=nested[1][0].n_hidden)
    if isinstance(model, models.KPairwise) and isinstance(strengths, str) and _is_fast(task):
        strengths = tuple(each["l1"] for each in fewer_settings(model.grid(train)))
    if is_auto:
        choice = evaluate.choose_n_hidden(model, train, validation, strengths, max_steps=steps)
        tried = [_tried(each)[each.best_index] for each in (*choice.others, choice)]
    else:
        settings: dict[str, Any] = {"nested": nested, "max_steps": steps}
        is_hidden = hasattr(model, "n_hidden")
        settings["coarse"] = experiment.l1 in (("auto", "coarse") if is_hidden else ("coarse",))
        if first and not is_hidden:  # one optimum, wherever a fit starts
            settings["start"] = first[0].parameters_
        choice, tried = evaluate.choose_l1(model, train, validation, strengths, **settings), None
    rows: Rows = {"fits": [], "normalisers": []}
    for fit, kept in zip(choice.fits, choice.scores, strict=True):
        names = ("optimality", "n_iter", "n_live_hidden", "n_couplings", "n_nonzero")
        own = {name: getattr(fit, f"{name}_") for name in names} | {"value": fit.objective_}
        rows["fits"].append(own | {"tried": tried} | _fit_row(fit))
        activation = {"activation": hidden_activation(fit, test)}
        rows["normalisers"].append(activation | _normaliser_row(fit, kept))
    return rows


def _fit_row(fit: models.WordModel) -> dict[str, Any]:
    """What the store keeps of the fit of any model; 0 for the l1 of one without a penalty."""
    certificate = getattr(fit, "certificate_", None)
    return {
        "l1": float(getattr(fit, "l1", 0.0)),
        "converged": certificate is None or certificate.converged,
        "n_parameters": fit.n_parameters_,
        "file": models.to_bytes(fit),
    }


def _normaliser_row(fit: models.WordModel, validation: evaluate.Score) -> dict[str, Any]:
    log_z = fit.log_partition()
    # The job has its own seconds; results are the same in every run.
    return row_of(log_z, "seconds") | {
        "l1": float(getattr(fit, "l1", 0.0)),
        "false_mass": log_z.spurious_mass,
        "validation_bits_per_second": validation.bits_per_second,
        "validation_stderr": validation.stderr,
    }


def _fit_alternative(
    task: Task, train: Words, validation: Words, first: models.WordModel | None = None
) -> Rows:
    """The fit of an alternative at the settings that validation prefers, and what was tried.

    Or at those of ``first``, which the first split chose for all.
    """
    model = models.model_class(_spec(task).model)()
    if "random_state" in model.get_params():
        model.set_params(random_state=task.experiment.seed + (task.job.split or 0))
    grid = model.grid(train)
    if first is not None:
        grid = [{name: getattr(first, name) for name in grid[0]}]
    elif _is_fast(task):
        grid = fewer_settings(grid)
    choice = evaluate.choose(model, train, validation, grid)
    fit, kept = choice.best, choice.scores[choice.best_index]
    certificate = getattr(fit, "certificate_", None)
    optimality = certificate and certificate.optimality
    row = {"optimality": optimality, "tried": _tried(choice)} | _fit_row(fit)
    return {"fits": [row], "normalisers": [_normaliser_row(fit, kept)]}


def _tried(choice: evaluate.Choice) -> list[dict[str, Any]]:
    """What the store keeps of the settings that were tried."""
    return [
        {"settings": settings, "validation_bits_per_second": each.bits_per_second}
        for settings, each in zip(choice.settings, choice.scores, strict=True)
    ]


def _estimator(spec: models.ModelSpec, task: Task) -> PenalisedModel:
    experiment = task.experiment
    settings: dict[str, Any] = {"random_state": experiment.seed + (task.job.split or 0)}
    if not spec.is_alternative:
        settings |= {name: getattr(experiment, name) for name in ("n_init", "tie_bins")}
        settings["objective"] = spec.objective
    if _is_fast(task):
        settings["tol"] = TOLERANCE
    cls: Any = models.model_class(spec.model)
    if hasattr(cls, "n_hidden"):
        settings |= {"n_hidden": spec.n_hidden or "auto", "group_l1": experiment.group_l1}
    return cls(**settings)  # type: ignore[no-any-return]


def _is_fast(task: Task) -> bool:
    return task.experiment.is_fast(task.words.n_units * (task.job.window or 1))


def fewer_settings(grid: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The settings of an alternative model's grid that a faster comparison tries."""
    strongest = max((each.get("l1", 0.0) for each in grid), default=0.0)
    weakest = _WEAKEST * strongest * (1.0 - 1e-9)  # grids are powers of ten with rounding errors
    return [
        each
        for each in grid
        if each.get("l1", strongest) >= weakest and each.get("n_components", 0) <= _MOST_COMPONENTS
    ]


def _preferred_fit(task: Task, name: str) -> models.WordModel:
    """Fit of a model at the l1 that was chosen, with its log Z."""
    return models.from_bytes(task.models[name][0], log_z=task.log_z[name])


def _compared(task: Task, train: Words) -> dict[str, models.WordModel]:
    """Firing rates, and the chosen fit of every model."""
    rates: dict[str, models.WordModel] = {INDEPENDENT: models.Independent().fit(train)}
    return rates | {name: _preferred_fit(task, name) for name in task.models}


def _test(task: Task) -> Rows:
    train, _, test = _split(task)
    compared = _compared(task, train)
    scores = score_split(compared, test, n_places=int(task.words.bins[-1]) + 1)
    rows = []
    for name, model in compared.items():
        # Bits/s that a Dirichlet process around the model adds on the test words.
        dirichlet_gain = evaluate.score(
            models.DirichletProcess(model).fit(train), test, model
        ).bits_per_second
        rows.append(
            {"model": name} | row_of(replace(scores[name], dirichlet_gain=dirichlet_gain), "split")
        )
    return {"scores": rows}


def _patterns(task: Task) -> Rows:
    train, _, test = _split(task)
    compared = _compared(task, train)
    rows: list[dict[str, Any]] = [{"model": DATA, "synchrony": to_blob(evaluate.synchrony(test))}]
    adequacies: list[dict[str, Any]] = [
        {"model": DATA, "explainable": evaluate.explainable(test, compared[INDEPENDENT])}
    ]
    for name, model in compared.items():
        statistics = evaluate.pattern_statistics(model, test)
        rows.append(
            {
                "model": name,
                "l1": getattr(model, "l1", None),
                "statistics": to_blob(replace(statistics, X=statistics.X[:0])),  # words: once
                "synchrony": to_blob(evaluate.synchrony(model, initial=train)),
            }
        )
        found = evaluate.adequacy(model, test, initial=train)
        of_model = {"adequacy": row_of(found, "moments"), "moments": to_blob(found.moments)}
        adequacies.append({"model": name} | of_model)
    return {"patterns": rows, "adequacies": adequacies}


def _anneal(task: Task) -> Rows:
    model = _preferred_fit(task, _spec(task).name)
    return {"annealings": [{"l1": model.l1, "convergence": to_blob(anneal(model))}]}


def _predict(task: Task) -> Rows:
    """Each unit's newest bin from the rest of the window and, if there is one, from the past."""
    _, _, test = _split(task)
    model = _preferred_fit(task, _spec(task).name)
    rows: Rows = {"predictions": [], "calibrations": []}
    rates_hz = model.rates_[-test.n_units :] / test.bin_width
    for given in ("rest", "past"):
        if given == "past" and not _predicts_from_past(model, test):
            continue
        prediction = evaluate.predict(model, test, given=given)
        gained = evaluate.prediction_gain(prediction)
        rows["predictions"] += [
            {
                "given": given,
                "position": n,
                "unit": test.units.ids[n],
                "rate_hz": float(rates_hz[n]),
                "gain_bits_per_second": float(gained.bits_per_second[n]),
                "roc_area": evaluate.roc(prediction, n).area,
                "brier": float(gained.brier[n]),
                "rate_brier": float(gained.rate_brier[n]),
            }
            for n in range(test.n_units)
        ]
        rows["calibrations"].append({"given": given} | row_of(evaluate.calibration(prediction)))
    return rows


def _predicts_from_past(model: models.WordModel, words: Words) -> bool:
    """Whether there is a past, and other units of the newest bin can be summed out."""
    if words.window == 1:
        return False
    if isinstance(model, models.AlternativeModel):
        return type(model).log_odds_given_past is not models.AlternativeModel.log_odds_given_past
    return words.n_units <= MOST_UNITS_OF_PAST


def _structure(task: Task) -> Rows:
    """Layers of the hidden units and couplings; pairs and triplets that they amount to."""
    train, _, test = _split(task)
    model = _preferred_fit(task, _spec(task).name)
    tested = [
        evaluate.layer_statistics(model, test.units, group_by=name)
        for name in test.units.group_by
        if len(set(test.units.label(name) or ()) - {""}) > 1
    ]
    layers = tested if len(tested) > 1 else next(iter(tested), None)
    order = 3 if test.n_dims <= MOST_UNITS_OF_TRIPLETS else 2
    expansion = evaluate.effective_interactions(model, order)
    interactions = {
        "rms_nats": expansion.rms_nats,
        "strongest": [expansion.strongest(k) for k in range(2, order + 1)],
    }
    row: dict[str, Any] = {"layers": layers, "interactions": interactions, "intervals": None}
    # Hidden units are judged by whether they recur (assemblies), with no second test of weights.
    if task.job.split == 0 and _spec(task).model == "Ising":
        row["intervals"] = to_blob(evaluate.intervals(model, train))
    return {"structures": [row]}


def _assemblies(task: Task) -> Rows:
    """Hidden units of the first split's fit that the fits of the other splits have too."""
    _, _, test = _split(task)
    fits = [models.from_bytes(file) for file in task.models[_spec(task).name]]
    return {"assemblies": [{"found": evaluate.assemblies(fits, test, test.units)}]}


_WORK = {
    "describe": _describe,
    "fit": _fit,
    "test": _test,
    "patterns": _patterns,
    "anneal": _anneal,
    "predict": _predict,
    "structure": _structure,
    "assemblies": _assemblies,
}
