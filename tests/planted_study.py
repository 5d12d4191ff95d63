"""A small study written row by row, whose every result is known by construction."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache

import numpy as np
from planted_patterns import patterns_of
from planted_scores import planted_score

from microcolumn.evaluate import Assemblies, Assembly, LayerStatistics
from microcolumn.evaluate._layer_results import CouplingContrast, HiddenUnitLayer
from microcolumn.evaluate.activation import hidden_activation
from microcolumn.models import RBM, Ising, SemiRBM, to_bytes
from microcolumn.parameters import Parameters
from microcolumn.partition.convergence import Convergence
from microcolumn.study._compute import split_words
from microcolumn.study._describe import describe
from microcolumn.study._experiment import PAPER_MODELS
from microcolumn.study._jobs import RecordingInfo, n_dims, specs_of, stages
from microcolumn.study._prepared import recording_row
from microcolumn.study.codec import json_text, row_of, to_blob
from microcolumn.study.plan import Experiment, Plan
from microcolumn.study.sources import Source, fingerprint, words_of
from microcolumn.study.store import Store

L1 = (0.0, 1e-3, 4e-3)
#: Bits/s of each model class on average; the semi-restricted model is the RBM once more.
LEVEL = {"Ising": 10.0, "RBM": 12.0, "SemiRBM": 12.0, "Independent": 0.0}
#: What each split adds to all models, and to those with hidden units alone.
SHARED, HIDDEN = (0.5, -0.5, 1.0, -1.0), (0.1, -0.1, 0.2, -0.2)
#: Of scores; those of models with hidden units are 0.1 larger.
STDERR = 0.3
LOG_Z = 1.5
ENVIRONMENT = {"python": "3.12.1", "microcolumn": "0.1.0", "numpy": "2.1.0", "machine": "a chip"}

SOURCE = Source("cells", preset="B4", minutes=0.2)
PLAN = Plan(
    (SOURCE,),
    (
        Experiment("instantaneous", models=PAPER_MODELS, n_hidden=5, l1=L1, n_splits=4),
        Experiment(
            "spatiotemporal",
            bin_width=0.0067,
            most_active=4,
            windows=(1, 2, 3),
            models=("Ising", "RBM"),
            n_hidden="dims",
            l1=L1,
            n_splits=4,
        ),
    ),
)


@cache
def recording():
    return SOURCE.load()


def recording_info(data=None):
    data = recording() if data is None else data
    return {"cells": RecordingInfo(fingerprint(data), data.n_units)}


def bits_per_second(model, split, window=1):
    """Ising stops gaining at windows of two bins; others go on."""
    if model == "Independent":
        return 0.0
    score = LEVEL[model] + SHARED[split] + (HIDDEN[split] if model != "Ising" else 0.0)
    return score + 4.0 * (min(window, 2) - 1 if model == "Ising" else window - 1)


def chosen_l1(model, split):
    """The largest of the grid for Ising, the middle one for the others except in the last split."""
    return L1[2 if model == "Ising" else 1 + (split == 3)]


def theta(job, bits, l1):
    """Parameters that tell splits and strengths of l1 apart."""
    J = np.zeros((bits, bits))
    J[0, 1] = J[1, 0] = 0.1 + job.split
    W = np.zeros((bits, job.model.n_hidden))
    W[:2, :1] = 0.2 + l1
    return Parameters(
        b=np.full(bits, -2.0),
        J=J if job.model.model != "RBM" else None,
        W=W if job.model.n_hidden else None,
        c=np.zeros(job.model.n_hidden) if job.model.n_hidden else None,
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
    known = recording_info(data)
    planned = stages(plan, known)
    with Store.create(path) as store, store.lock():
        store.write_study(
            [{"digest": digest} | job.row for stage in planned for digest, job in stage.items()],
            plan=json_text(plan.as_dict()),
            microcolumn="0.1.0",
            command="microcolumn study run plan.toml",
        )
        read = recording() if data is None else data
        described = recording_row("cells", read, known["cells"], plan)
        store.write_recording(described | {"source": "simulated"})
        done = store.finished()
        for stage in planned:
            for digest, job in stage.items():
                if digest not in done and _is_kept(job, keep, plan):
                    rows = _rows(job, plan, read, parameters)
                    change(job, rows)
                    store.finish(digest, _columns(job), rows)
    return path


def _is_kept(job, keep, plan):
    """Descriptions always; what is of all splits, where it is so in each."""
    if job.kind == "describe":
        return True
    [n_splits] = [e.n_splits for e in plan.experiments if e.name == job.experiment]
    splits = range(n_splits) if job.split is None else [job.split]
    return all(keep(replace(job, split=split)) for split in splits)


def _columns(job):
    return job.row | {
        "seconds": 1.5,
        "finished": f"2026-01-02 03:04:0{job.split or 0}+00:00",
        "environment": ENVIRONMENT,
    }


def _rows(job, plan, data, parameters):
    [experiment] = [e for e in plan.experiments if e.name == job.experiment]
    words = _words(data, experiment)
    if job.kind == "describe":
        cut = experiment.max_words is not None
        found = describe(data, words, cut=cut)
        return {"descriptions": [{"words": to_blob(words), "data": to_blob(found)}]}
    bits = n_dims(experiment, data.n_units, job.window)
    compared = specs_of(experiment, data.n_units, job.window)
    if job.kind == "fit":
        test = _test_words(data, experiment, job)
        thetas = [(l1, parameters(job, bits, l1)) for l1 in experiment.l1]
        return {
            "fits": [_fit(job, *each) for each in thetas],
            "normalisers": [_normalise(_model(job, *each), test) for each in thetas],
        }
    if job.kind == "patterns":
        return patterns_of(compared, _test_words(data, experiment, job), chosen_l1)
    if job.kind == "anneal":
        return _anneal(job)
    if job.kind == "test":
        return _test(job, compared)
    if job.kind == "assemblies":
        return {"assemblies": [{"found": assemblies(data.units.ids)}]}
    return {"predict": _predict, "structure": _structure}[job.kind](job, bits)


@lru_cache(maxsize=4)
def _words(data, experiment):
    return words_of(data, experiment)


@lru_cache(maxsize=32)
def _split(data, experiment, window, split):
    return split_words(_words(data, experiment), experiment, window, split)


def _test_words(data, experiment, job):
    return _split(data, experiment, job.window, job.split)[2]


def _model(job, l1, theta):
    cls = {"Ising": Ising, "RBM": RBM, "SemiRBM": SemiRBM}[job.model.model]
    return cls.from_parameters(theta).set_params(l1=l1)


def _fit(job, l1, theta):
    model = _model(job, l1, theta)
    return {
        "l1": l1,
        "value": 5.0,
        "optimality": 1e-8,
        "converged": job.model.model != "RBM" or job.split != 3,
        "n_iter": 7,
        "n_live_hidden": model.n_live_hidden_,
        "n_couplings": 0 if theta.J is None else int(np.count_nonzero(theta.J)) // 2,
        "n_nonzero": 20,
        "file": to_bytes(model),
    }


def _normalise(model, test):
    return {
        "l1": model.l1,
        "value": LOG_Z + model.l1,
        "stderr": 0.01,
        "method": "ais",
        "converged": True,
        "n_operations": 1e6,
        "n_steps": 64,
        "effective_sample_size": 321.0,
        "trace": [[32, 1.4, 0.1], [64, 1.5, 0.01]],
        "validation_bits_per_second": 9.0,
        "validation_stderr": 0.5,
        "activation": hidden_activation(model, test),
    }


def _anneal(job):
    """Runs that come nearer to the stored estimate."""
    steps = (1, 2, 4, 8)
    l1 = chosen_l1(job.model.model, job.split)
    chains = LOG_Z + l1 + np.linspace(-1.0, 1.0, 50)[None] / np.array(steps)[:, None]
    found = Convergence(steps, chains, chains.mean(axis=1), chains.std(axis=1) / 7.0, None)
    return {"annealings": [{"l1": l1, "convergence": to_blob(found)}]}


def _test(job, compared):
    names = {"Independent": "Independent"} | {spec.name: spec.model for spec in compared}
    values = {name: bits_per_second(model, job.split, job.window) for name, model in names.items()}
    sizes = {spec.name: spec.n_hidden for spec in compared}
    rows = []
    for name, model in names.items():
        score = planted_score(
            job.split,
            values[name],
            STDERR + (0.1 if model in ("RBM", "SemiRBM") else 0.0),
            l1=np.nan if model == "Independent" else chosen_l1(model, job.split),
            normaliser="ais" if job.window > 2 else "exact",
            side=None if job.window > 2 else "visible",
            fit_converged=model != "RBM" or job.split != 3,
            nats_per_word=-2.0,
            n_words=300,
            spikes_per_second=8.0,
            n_hidden=sizes.get(name, 0),
            n_live_hidden=0 if model in ("Ising", "Independent") else 2 + job.split % 2,
            n_couplings=30 if model == "Ising" else 0,
            n_nonzero=50,
        )
        rows.append({"model": name} | row_of(score, "split"))
    return {"scores": rows}


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
    groups = {name: [0.1, 0.5] for name in ("predicted", "observed", "lower", "upper")}
    calibrations = [
        {"given": known, "n_bins": [3, 4], "error": 0.01 * (1 + job.split), **groups}
        for known in given
    ]
    return {"predictions": cells, "calibrations": calibrations}


def _structure(job, bits):
    hidden = tuple(
        HiddenUnitLayer(
            k, "IV", 1.0, 0.6 + 0.1 * k, 0.5, p, p, p, 0.65, (0.4 - 0.1 * k, 0.6 + 0.1 * k)
        )
        for k, p in enumerate((0.001, 0.2)[: job.model.n_hidden])
    )
    statistics = LayerStatistics(
        layers=("II/III", "IV"),
        n_units=(2, 2),
        window=job.window,
        hidden=hidden,
        overall_share=0.65 if hidden else np.nan,
        overall_expected=0.5 if hidden else np.nan,
        overall_p_value=0.01 * (1 + 4 * job.split) if hidden else np.nan,
        couplings=None if job.model.model == "RBM" else CouplingContrast(0.03, 0.01, 0.002),
        signed_couplings=None if job.model.model == "RBM" else CouplingContrast(-0.02, 0.0, 0.3),
        n_permutations=999,
        exact=False,
        notes=(),
        overall_upper=0.6 if hidden else np.nan,
    )
    interactions = {
        "rms_nats": {"single units": 3.0, "pairs": 0.2, "triplets": 0.05},
        "strongest": [[[[0, 1], 0.4]], [[[0, 1, 2], 0.1]]],
    }
    return {"structures": [{"layers": statistics, "interactions": interactions}]}


def assemblies(ids):
    """One hidden unit of four that is an assembly, and one of each other kind."""
    shown = {"layer": "IV", "layer_share": 0.9, "layer_p_value": 0.004, "active_share": 0.01}
    shown |= {"negative_units": (ids[9],), "rate_hz": 0.5, "n_others": 3, "similarity": 0.8}
    shown |= {"layer_expected": 0.5}
    each = [(ids[:3], 1.0, 2.0), (ids[3:5], 1 / 3, 1.5), (ids[:2], 1.0, 0.1), (ids[:1], 1.0, 0.1)]
    rows = [
        Assembly(k, cells, stability=stability, bits_per_second=lost, stderr=0.25, **shown)
        for k, (cells, stability, lost) in enumerate(each)
    ]
    return Assemblies(tuple(rows), 4, exact=True, n_couplings=40.5, negative_share=0.75)


def more_splits(plan, n_splits):
    """The same plan with another number of splits."""
    return replace(plan, experiments=tuple(replace(e, n_splits=n_splits) for e in plan.experiments))
