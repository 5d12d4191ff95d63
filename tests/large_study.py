"""A study of random sparse models of any recording.

With 500 units and 200 hidden units its page is the largest that must still open at once.
"""

from __future__ import annotations

import numpy as np
import planted_study

from microcolumn.parameters import Parameters
from microcolumn.recording import Recording
from microcolumn.study._experiment import PAPER_MODELS
from microcolumn.study._results import Results
from microcolumn.study.plan import Plan
from microcolumn.units import Units

L1 = (0.0, 0.001, 0.002, 0.004, 0.006, 0.008, 0.01)


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


def plan_of(data, n_hidden=200, l1=L1, **settings):
    """One split of all three models."""
    few = {"n_splits": 1, "n_hidden": n_hidden, "l1": l1, "models": PAPER_MODELS}
    return Plan.of({"cells": data}, **few | settings)


def write(path, plan, keep=lambda job: True):
    """Write fits, normalisers and tests of a plan for one recording in memory; give its results."""
    [source] = plan.sources
    planted_study.write(
        path,
        plan,
        keep=lambda job: job.kind in ("describe", "fit", "test") and keep(job),
        change=tell_l1,
        data=source.recording,
        parameters=parameters,
    )
    return Results(path)


def validation_score(l1):
    """Bits/s at a strength of l1; the second of the grid is best."""
    return 20.0 - 1e6 * (l1 - 0.001) ** 2


def tell_l1(job, rows):
    """Validation scores that tell strengths of l1 apart, in doubt at 0; the best is chosen."""
    for row in rows.get("normalisers", ()):
        row["validation_bits_per_second"] = validation_score(row["l1"])
        row["converged"] = row["l1"] > 0
    for row in rows.get("scores", ()):
        row["l1"] = row["l1"] and 0.001


def parameters(job, bits, l1):
    """Random parameters, the fewer the larger l1; all at 0."""
    n_hidden, model = job.model.n_hidden, job.model.model
    rng = np.random.default_rng([bits, n_hidden, len(model), job.split])
    alive = np.exp(-300 * l1)

    def thinned(*shape):
        return rng.normal(size=shape) * (rng.random(shape) < alive)

    upper = np.triu(thinned(bits, bits), 1)
    W = thinned(bits, n_hidden)
    W[:, round(n_hidden * alive) :] = 0.0
    return Parameters(
        b=np.full(bits, -3.0),
        J=None if model == "RBM" else upper + upper.T,
        W=W if n_hidden else None,
        c=rng.normal(size=n_hidden) if n_hidden else None,
    )
