"""A small study written row by row, whose every result is known by construction."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import cache

import numpy as np

from microcolumn.evaluate import LayerStatistics
from microcolumn.evaluate._layers import CouplingContrast, HiddenUnitLayer
from microcolumn.models import RBM, Ising, SemiRBM, to_bytes
from microcolumn.parameters import Parameters
from microcolumn.study._jobs import RecordingInfo, n_dims, stages, variants
from microcolumn.study._plan import Experiment, Plan
from microcolumn.study._run import _described
from microcolumn.study._schema import json_text
from microcolumn.study._sources import Source, fingerprint
from microcolumn.study._store import Store

PENALTIES = (0.0, 1e-3, 4e-3)
#: Bits/s of each model class on average; the semi-restricted model is the RBM once more.
LEVEL = {"Ising": 10.0, "RBM": 12.0, "SemiRBM": 12.0, "Independent": 0.0}
#: What each split adds to all models, and to those with hidden units alone.
SHARED, HIDDEN = (0.5, -0.5, 1.0, -1.0), (0.1, -0.1, 0.2, -0.2)
BLOCK_STDERR = 0.3
LOG_Z = 1.5
ENVIRONMENT = {"python": "3.12.1", "microcolumn": "0.1.0", "numpy": "2.1.0", "machine": "a chip"}

SOURCE = Source("cells", preset="B4", minutes=0.2)
PLAN = Plan(
    (SOURCE,),
    (
        Experiment("instantaneous", n_hidden=5, penalties=PENALTIES, n_splits=4),
        Experiment(
            "spatiotemporal",
            bin_width=0.0067,
            most_active=4,
            windows=(1, 2, 3),
            models=("Ising", "RBM"),
            n_hidden="dims",
            penalties=PENALTIES,
            n_splits=4,
        ),
    ),
)


@cache
def recording():
    return SOURCE.load()


def facts(data=None):
    data = recording() if data is None else data
    return {"cells": RecordingInfo(fingerprint(data), data.n_units)}


def bits_per_second(model, split, window=1):
    """Ising stops gaining at two window; others go on."""
    if model == "Independent":
        return 0.0
    score = LEVEL[model] + SHARED[split] + (HIDDEN[split] if model != "Ising" else 0.0)
    return score + 4.0 * (min(window, 2) - 1 if model == "Ising" else window - 1)


def chosen_penalty(model, split):
    """The largest of the grid for Ising, the middle one for the others but in the last split."""
    return PENALTIES[2 if model == "Ising" else 1 + (split == 3)]


def theta(job, bits, penalty):
    """Parameters that tell splits and penalties apart."""
    J = np.zeros((bits, bits))
    J[0, 1] = J[1, 0] = 0.1 + job.split
    W = np.zeros((bits, job.variant.n_hidden))
    W[:2, :1] = 0.2 + penalty
    return Parameters(
        b=np.full(bits, -2.0),
        J=J if job.variant.model != "RBM" else None,
        W=W if job.variant.n_hidden else None,
        c=np.zeros(job.variant.n_hidden) if job.variant.n_hidden else None,
    )


def write(
    path,
    plan=PLAN,
    keep=lambda job: True,
    change=lambda job, rows: None,
    data=None,
    parameters=theta,
):
    """Write all results of a plan for which ``keep(job)`` is true, after a change to their rows.

    The plan has one source, "cells"; ``data`` is its recording where that is not the usual one.
    """
    known = facts(data)
    with Store.create(path) as store, store.lock():
        store.write_study(
            plan=json_text(plan.as_dict()),
            microcolumn="0.1.0",
            command="microcolumn study run plan.toml",
        )
        read = recording() if data is None else data
        described = _described("cells", read, known["cells"], plan)
        store.write_recording(described | {"source": "simulated"})
        done = store.finished()
        for stage in stages(plan, known):
            for digest, job in stage.items():
                if keep(job) and digest not in done:
                    rows = _rows(job, plan, read.n_units, parameters)
                    change(job, rows)
                    store.finish(digest, _columns(job), rows)
    return path


def _columns(job):
    own = {name: getattr(job, name) for name in ("kind", "recording", "experiment", "window")}
    named = {} if job.variant is None else asdict(job.variant) | {"variant": job.variant.name}
    return (
        own
        | named
        | {
            "split": job.split,
            "penalty": job.penalty,
            "seconds": 1.5,
            "finished": f"2026-01-02 03:04:0{job.split}+00:00",
            "environment": ENVIRONMENT,
        }
    )


def _rows(job, plan, n_units, parameters):
    [experiment] = [e for e in plan.experiments if e.name == job.experiment]
    bits = n_dims(experiment, n_units, job.window)
    if job.kind == "test":
        return _test(job, variants(experiment, bits))
    if job.kind == "fit":
        thetas = {p: parameters(job, bits, p) for p in experiment.penalties}
        return {"fits": [_fit(job, penalty, theta) for penalty, theta in thetas.items()]}
    return {"normalise": _normalise, "predict": _predict, "structure": _structure}[job.kind](
        job, bits
    )


def _fit(job, penalty, theta):
    cls = {"Ising": Ising, "RBM": RBM, "SemiRBM": SemiRBM}[job.variant.model]
    model = cls.from_parameters(theta).set_params(l1=penalty)
    return {
        "penalty": penalty,
        "value": 5.0,
        "optimality": 1e-8,
        "converged": job.variant.model != "RBM" or job.split != 3,
        "n_iter": 7,
        "n_live_hidden": model.n_live_hidden_,
        "n_couplings": 0 if theta.J is None else int(np.count_nonzero(theta.J)) // 2,
        "n_nonzero": 20,
        "model": to_bytes(model),
    }


def _normalise(job, bits):
    row = {
        "log_z": LOG_Z + job.penalty,
        "stderr": 0.01,
        "method": "ais",
        "converged": True,
        "n_operations": 1e6,
        "n_steps": 64,
        "effective_sample_size": 321.0,
        "trace": json_text([[32, 1.4, 0.1], [64, 1.5, 0.01]]),
        "validation_bits_per_second": 9.0,
        "validation_stderr": 0.5,
    }
    return {"normalisers": [row]}


def _test(job, compared):
    names = {"Independent": "Independent"} | {v.name: v.model for v in compared}
    values = {name: bits_per_second(model, job.split, job.window) for name, model in names.items()}
    rows = [
        {
            "variant": name,
            "penalty": None if model == "Independent" else chosen_penalty(model, job.split),
            "bits_per_second": values[name],
            "block_stderr": BLOCK_STDERR,
            "normaliser_stderr": 0.0,
            "normaliser": "ais" if job.window > 2 else "exact, visible side",
            "converged": True,
            "nats_per_word": -2.0,
            "n_words": 300,
            "n_live_hidden": 0 if model in ("Ising", "Independent") else 2 + job.split % 2,
            "n_couplings": 30 if model == "Ising" else 0,
            "n_nonzero": 50,
        }
        for name, model in names.items()
    ]
    differences = [
        {
            "first": first,
            "second": second,
            "bits_per_second": values[first] - values[second],
            "block_stderr": BLOCK_STDERR / 2,
        }
        for k, first in enumerate(names)
        for second in list(names)[k + 1 :]
    ]
    return {"scores": rows, "differences": differences}


def _predict(job, bits):
    n_units = bits // job.window
    given = ("rest", "past") if job.window > 1 else ("rest",)
    cells = [
        {
            "given": known,
            "position": n,
            "unit": f"u{n}",
            "rate_hz": 1.0 + n,
            "gain_bits_per_second": 0.5 * n + 0.1 * job.split,
            # A cell without a test spike in the last split has no curve there.
            "roc_area": np.nan if n == 0 and job.split == 3 else 0.7 + 0.01 * job.split,
            "brier": 0.03,
            "rate_brier": 0.04,
        }
        for known in given
        for n in range(n_units)
    ]
    groups = {name: json_text([0.1, 0.5]) for name in ("predicted", "observed", "lower", "upper")}
    calibrations = [
        {"given": known, "n_bins": json_text([3, 4]), "error": 0.01 * (1 + job.split), **groups}
        for known in given
    ]
    return {"predictions": cells, "calibrations": calibrations}


def _structure(job, bits):
    hidden = tuple(
        HiddenUnitLayer(k, "IV", 1.0, 0.6 + 0.1 * k, 0.5, p, p, p)
        for k, p in enumerate((0.001, 0.2)[: job.variant.n_hidden])
    )
    statistics = LayerStatistics(
        layers=("II/III", "IV"),
        n_units=(2, 2),
        window=job.window,
        hidden=hidden,
        overall_share=0.65 if hidden else np.nan,
        overall_expected=0.5 if hidden else np.nan,
        overall_p_value=0.01 * (1 + 4 * job.split) if hidden else np.nan,
        couplings=None if job.variant.model == "RBM" else CouplingContrast(0.03, 0.01, 0.002),
        signed_couplings=None if job.variant.model == "RBM" else CouplingContrast(-0.02, 0.0, 0.3),
        n_permutations=999,
        exact=False,
        notes=(),
    )
    interactions = {
        "rms_nats": {"single units": 3.0, "pairs": 0.2, "triplets": 0.05},
        "explained": [0.9, 0.97, 0.99],
        "remainder_nats": [0.5, 0.3, 0.1],
        "strongest": [[[[0, 1], 0.4]], [[[0, 1, 2], 0.1]]],
    }
    return {
        "structures": [
            {"layers": json_text(asdict(statistics)), "interactions": json_text(interactions)}
        ]
    }


def more_splits(plan, n_splits):
    """The same plan with another number of splits."""
    return replace(plan, experiments=tuple(replace(e, n_splits=n_splits) for e in plan.experiments))
