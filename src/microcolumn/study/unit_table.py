"""One row per recorded unit: where it lies, its assemblies, its partners, how well it is predicted.

Each part comes from the best model that has it, and the row says which model that is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..evaluate import PredictionResult
from ..evaluate.estimates import corrected
from ..evaluate.recurrence import by_unit, oriented_weights
from ..evaluate.significance import FEWEST_SPLITS, degrees_of_freedom, p_value
from ..validation import Floats
from .index import Condition, Row

Results: TypeAlias = Any  # of _results.py, which imports this module

#: Partners that are named of each unit, and the share of them that may be false discoveries.
N_PARTNERS, RATE = 3, 0.05


def unit_rows(results: Results, condition: Condition) -> list[Row]:
    """Rows of :meth:`Results.unit_table`."""
    where = {"recording": condition.recording, "experiment": condition.experiment.name}
    data = results.data(**where)
    units, n_units = data.units, len(data.units)
    unknown = np.full(n_units, math.nan)
    depths = unknown if units.depth_um is None else units.depth_um
    parts = (
        _memberships(results, condition, units.ids),
        _partners(results, condition, units.ids),
        _gains(results, condition, n_units),
    )
    return [
        condition.names
        | {
            "unit": units.ids[n],
            "layer": units.layer[n] if units.layer else "",
            "depth_um": float(depths[n]),
            "depth_reference": units.depth_reference or "",
            "rate_hz": float(data.rates_hz[n]),
        }
        | {name: (units.label(name) or [""] * n_units)[n] for name in units.group_by}
        | {name: value for part in parts for name, value in part[n].items()}
        for n in range(n_units)
    ]


def _memberships(results: Results, condition: Condition, ids: tuple[str, ...]) -> list[Row]:
    """Assemblies that each unit is in, those in which its weight is largest first."""
    for spec, assemblies in _best(results.assemblies, results, condition):
        if not len(assemblies):  # no live hidden unit
            continue
        W = oriented_weights(results.model(model=spec, **condition.names).parameters_)
        weight = {row.position: by_unit(W[:, row.position], len(ids)) for row in assemblies.stable}
        rows = []
        for n, unit in enumerate(ids):
            positions = [row.position for row in assemblies.stable if unit in row.units]
            positions.sort(key=lambda k: -weight[k][n])
            names = tuple(f"h{k}" for k in positions)
            rows.append({"assemblies": names, "assemblies_model": spec.name})
        return rows
    return [{"assemblies": (), "assemblies_model": ""}] * len(ids)


def _partners(results: Results, condition: Condition, ids: tuple[str, ...]) -> list[Row]:
    """Units that each unit is most strongly coupled to, each named once."""
    model, pairs, nats, stderr = _couplings(results, condition)
    first, second = (pairs % len(ids)).T  # bits of a window are bin by bin
    rows: list[Row] = []
    for n in range(len(ids)):
        named: dict[int, int] = {}
        own = np.flatnonzero((first == n) ^ (second == n))
        for k in own[np.argsort(-np.abs(nats[own]), kind="stable")].tolist():
            named.setdefault(int(first[k] + second[k]) - n, k)
        strongest = list(named.items())[:N_PARTNERS]
        rows.append(
            {
                "partners": tuple(ids[m] for m, _ in strongest),
                "partners_nats": tuple(float(nats[k]) for _, k in strongest),
                "partners_stderr": tuple(float(stderr[k]) for _, k in strongest),
                "partners_model": model,
            }
        )
    return rows


def _couplings(
    results: Results, condition: Condition
) -> tuple[str, NDArray[np.int64], Floats, Floats]:
    """Couplings of the Ising model that differ from 0: its name, pairs, nats, and errors.

    Where it has no intervals, those that the penalty left in the best model with couplings.
    """
    intervals = [
        each
        for each in _best(results.intervals, results, condition)
        if each[0].model in ("Ising", "SemiRBM")
    ]
    for spec, known in intervals:
        if known is not None:
            sure = np.flatnonzero(known.couplings.significant(RATE))
            values = known.couplings.estimate[sure], known.couplings.stderr[sure]
            return spec.name, known.pairs[sure], *values
    for spec, _ in intervals:
        J = results.model(model=spec, **condition.names).parameters_.J
        pairs = np.argwhere(np.triu(J, 1))
        nats = J[tuple(pairs.T)]
        return spec.name, pairs, nats, np.full(nats.shape, math.nan)
    return "", np.zeros((0, 2), dtype=np.int64), np.zeros(0), np.zeros(0)


def _gains(results: Results, condition: Condition, n_units: int) -> list[Row]:
    """Bits/s that each unit's spikes are predicted better than by its rate, given all others."""
    for spec, predictions in _best(results.predictions, results, condition):
        units = predictions["rest"].units
        error = (1.0 + predictions["rest"].n_splits * condition.experiment.test_to_train) ** 0.5
        q_values = _q_values(results, condition, predictions["rest"], error)
        return [
            {
                "gain_bits_per_second": unit.gain_bits_per_second,
                "gain_stderr": error * unit.stderr,
                "gain_q_value": q,
                "gain_model": spec.name,
            }
            for unit, q in zip(units, q_values, strict=True)
        ]
    unknown: Row = dict.fromkeys(("gain_bits_per_second", "gain_stderr", "gain_q_value"), math.nan)
    return [unknown | {"gain_model": ""}] * n_units


def _q_values(
    results: Results, condition: Condition, result: PredictionResult, error: float
) -> list[float]:
    """False discovery rates at which units count as predicted; NaN where splits are too few."""
    if result.n_splits < FEWEST_SPLITS:
        return [math.nan] * len(result.units)
    freedom = degrees_of_freedom(result.n_splits, results.blocks_dealt(condition))
    p_values = [p_value(u.gain_bits_per_second, error * u.stderr, freedom) for u in result.units]
    return list(map(float, corrected(np.array(p_values))))


def _best(find: Callable[..., Any], results: Results, condition: Condition) -> Iterator[Any]:
    """What a method of the results finds of each model that it is computed for, best first."""
    models = results.comparison(**condition.names).models
    yield from results.of_models(find, condition, [model.spec for model in models])
