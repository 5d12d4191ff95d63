"""A study of random sparse models of any recording, written row by row and quickly.

With 500 units and 200 hidden units its page is the largest that must still open at once.
"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from microcolumn.models import RBM, Ising, SemiRBM
from microcolumn.models.files import to_bytes
from microcolumn.parameters import Parameters
from microcolumn.recording import Recording
from microcolumn.study.jobs import Facts, n_dims, stages, variants
from microcolumn.study.plan import Plan
from microcolumn.study.results import Results
from microcolumn.study.run import _described
from microcolumn.study.schema import json_text
from microcolumn.study.sources import fingerprint
from microcolumn.study.store import Store
from microcolumn.units import Units

PENALTIES = (0.0, 0.001, 0.002, 0.004, 0.006, 0.008, 0.01)
_CLASSES = {"Ising": Ising, "RBM": RBM, "SemiRBM": SemiRBM}


def recording(n_units=500, seconds=60.0, names=None):
    """Units in three layers that fire at 4 Hz and, every ten seconds, more often together."""
    rng = np.random.default_rng(0)
    trains = []
    for _ in range(n_units):
        alone = rng.uniform(0.0, seconds, size=int(4 * seconds))
        bursts = np.arange(5.0, seconds, 10.0)[:, None] + rng.normal(scale=0.2, size=5)
        trains.append(np.unique(np.clip([*alone, *bursts.ravel()], 0.0, seconds - 0.001)))
    depths = np.linspace(200.0, 1500.0, n_units)
    layers = np.array(["II/III", "IV", "V/VI"])[np.arange(n_units) * 3 // n_units]
    ids = [f"u{n}" for n in range(n_units)] if names is None else names
    return Recording(trains, Units(ids, depths, layers), epochs=[[0.0, seconds]])


def plan_of(data, n_hidden=200, penalties=PENALTIES, **settings):
    """One split of all three models."""
    chosen = {"n_splits": 1, "penalties": penalties, "n_hidden": n_hidden} | settings
    return Plan.of({"cells": data}, **chosen)


def write(path, plan, keep=lambda job: True):
    """Write fits, normalisers and tests of a plan for one recording in memory; give its results."""
    [source] = plan.sources
    data = source.recording
    facts = {source.name: Facts(fingerprint(data), data.n_units)}
    with Store.create(path) as store, store.lock():
        store.write_study(plan=json_text(plan.as_dict()), microcolumn="0.1.0", command="planted")
        store.write_recording(_described(source.name, data, facts[source.name], plan))
        for stage in stages(plan, facts):
            for digest, job in stage.items():
                if job.kind in _ROWS and keep(job):
                    [experiment] = [e for e in plan.experiments if e.name == job.experiment]
                    bits = n_dims(experiment, data.n_units, job.lags)
                    store.finish(digest, _columns(job), _ROWS[job.kind](job, experiment, bits))
    return Results(path, plan)


def validation_score(penalty):
    """Bits/s at a penalty; the second of the grid is best."""
    return 20.0 - 1e6 * (penalty - 0.001) ** 2


def theta(variant, bits, penalty, split=0):
    """Random parameters, the fewer the larger the penalty; all without one."""
    rng = np.random.default_rng([bits, variant.n_hidden, len(variant.model), split])
    alive = np.exp(-300 * penalty)

    def thinned(*shape):
        return rng.normal(size=shape) * (rng.random(shape) < alive)

    upper = np.triu(thinned(bits, bits), 1)
    W = thinned(bits, variant.n_hidden)
    W[:, round(variant.n_hidden * alive) :] = 0.0
    hidden = variant.n_hidden > 0
    return Parameters(
        b=np.full(bits, -3.0),
        J=None if variant.model == "RBM" else upper + upper.T,
        W=W if hidden else None,
        c=rng.normal(size=variant.n_hidden) if hidden else None,
    )


def _fit(job, experiment, bits):
    rows = []
    for penalty in experiment.penalties:
        made = _CLASSES[job.variant.model].from_parameters(
            theta(job.variant, bits, penalty, job.split)
        )
        model = made.set_params(l1=penalty)
        rows.append(
            {
                "penalty": penalty,
                "value": 5.0,
                "optimality": 1e-9,
                "converged": True,
                "n_iter": 7,
                "n_live_hidden": model.n_live_hidden_,
                "n_couplings": 0 if job.variant.model == "RBM" else np.count_nonzero(model.J_) // 2,
                "n_nonzero": 20,
                "model": to_bytes(model),
            }
        )
    return {"fits": rows}


def _normalise(job, experiment, bits):
    row = {
        "log_z": 1.5,
        "stderr": 0.01,
        "method": "ais",
        "converged": True,
        "n_operations": 1e6,
        "n_steps": 64,
        "effective_sample_size": 321.0,
        "trace": json_text([[32, 1.4, 0.1], [64, 1.5, 0.01]]),
        "validation_bits_per_second": validation_score(job.penalty),
        "validation_stderr": 0.5,
    }
    return {"normalisers": [row]}


def _test(job, experiment, bits):
    names = {"Independent": 0.0} | {v.name: 10.0 + len(v.model) for v in variants(experiment, bits)}
    rows = [
        {
            "variant": name,
            "penalty": None if name == "Independent" else experiment.penalties[1],
            "bits_per_second": score,
            "block_stderr": 0.3,
            "normaliser_stderr": 0.0,
            "normaliser": "ais",
            "converged": True,
            "nats_per_word": -2.0,
            "n_words": 300,
            "n_live_hidden": 2,
            "n_couplings": 30,
            "n_nonzero": 50,
        }
        for name, score in names.items()
    ]
    differences = [
        {
            "first": first,
            "second": second,
            "bits_per_second": names[first] - names[second],
            "block_stderr": 0.2,
        }
        for k, first in enumerate(names)
        for second in list(names)[k + 1 :]
    ]
    return {"scores": rows, "differences": differences}


_ROWS = {"fit": _fit, "normalise": _normalise, "test": _test}


def _columns(job):
    own = {name: getattr(job, name) for name in ("kind", "recording", "experiment", "lags")}
    named = {} if job.variant is None else asdict(job.variant) | {"variant": job.variant.name}
    about = {"split": job.split, "penalty": job.penalty, "seconds": 1.5}
    when = {"finished": "2026-01-02 03:04:05+00:00", "environment": {"python": "3.12.1"}}
    return own | named | about | when
