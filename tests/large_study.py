"""A study of random sparse models of any recording.

With 500 units and 200 hidden units its page is the largest that must still open at once.
"""

from __future__ import annotations

import numpy as np
import planted_study

from microcolumn.parameters import Parameters
from microcolumn.recording import Recording
from microcolumn.study._plan import Plan
from microcolumn.study._results import Results
from microcolumn.units import Units

PENALTIES = (0.0, 0.001, 0.002, 0.004, 0.006, 0.008, 0.01)


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
    planted_study.write(
        path,
        plan,
        keep=lambda job: job.kind in ("fit", "normalise", "test") and keep(job),
        change=tell_penalties,
        data=source.recording,
        parameters=parameters,
    )
    return Results(path, plan)


def validation_score(penalty):
    """Bits/s at a penalty; the second of the grid is best."""
    return 20.0 - 1e6 * (penalty - 0.001) ** 2


def tell_penalties(job, rows):
    """Validation scores that tell penalties apart, in doubt without one; the best is chosen."""
    for row in rows.get("normalisers", ()):
        row["validation_bits_per_second"] = validation_score(job.penalty)
        row["converged"] = job.penalty > 0
    for row in rows.get("scores", ()):
        row["penalty"] = row["penalty"] and 0.001


def parameters(job, bits, penalty):
    """Random parameters, the fewer the larger the penalty; all without one."""
    n_hidden, model = job.variant.n_hidden, job.variant.model
    rng = np.random.default_rng([bits, n_hidden, len(model), job.split])
    alive = np.exp(-300 * penalty)

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
