"""What the explorers of the report page show, as data for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..figures._conditions import first_split
from ..plot._laminar import BitLayout, laminar
from ..study import Condition, Results
from ..units import Units
from . import _tables as tables
from ._paths import most_per_matrix, paths_at, rounded, strongest
from ._sections import longest
from ._stretch import assemblies_at

#: Couplings and weights in a page, all explorers together, and activations of hidden units; at
#: about nine and four bytes each, they leave 3 MB for figures in a page of 8 MB.
PARAMETERS, ACTIVATIONS = 400_000, 250_000


def explorers(results: Results) -> list[dict[str, Any]]:
    """Data of the explorers, one for each experiment on each recording.

    Parameters
    ----------
    results : Results
        Of the study. Each experiment's longest words tested so far are shown, by the models of
        the first tested split, as in figure 2.

    Returns
    -------
    list of dict
        In the types of JSON, without NaN. Units are in laminar order, live hidden units from the
        most to the least variable on the test words, as in figure 2. ``J`` and ``W`` hold their
        strongest entries where all would be too many for a page; see `paths.strongest`.
    """
    conditions = longest(results)
    found = [
        _explorer(results, condition, ACTIVATIONS // len(conditions)) for condition in conditions
    ]
    steps = [step for each in found for path in each["models"] for step in path["steps"]]
    matrices = [(step, name) for step in steps for name in "JW" if step[name] is not None]
    sizes = [int(np.count_nonzero(step[name])) for step, name in matrices]
    most = most_per_matrix(sizes, PARAMETERS)
    for step, name in matrices:
        step[name] = strongest(step[name], most)
    return found


def _explorer(results: Results, condition: Condition, most_values: int) -> dict[str, Any]:
    compared = tables.compared_at(results, condition)
    words = results.all_words(condition.recording, experiment=condition.experiment.name)
    units = words.units
    drawn = laminar(units)
    rows = BitLayout(drawn, condition.window).order
    assemblies = assemblies_at(results, condition, compared, drawn.order, words, most_values)
    problem = "" if assemblies else "No model of this experiment kept a live hidden unit."
    return {
        "recording": condition.recording,
        "experiment": condition.experiment.name,
        "window": condition.window,
        "split": first_split(compared),
        "bin_s": condition.experiment.bin_width,
        "units": [_unit(units, int(n)) for n in drawn.order],
        "layers": [list(layer) for layer in drawn.layers],
        "by_variance": True,
        "assemblies": assemblies,
        "problem": problem,
        "models": paths_at(results, condition, compared, rows),
    }


def _unit(units: Units, n: int) -> list[Any]:
    """Name, layer and depth in µm of a unit; "" and None where unknown."""
    layer = "" if units.layer is None else units.layer[n]
    depth = None if units.depth_um is None else rounded(float(units.depth_um[n]))
    return [units.ids[n], layer, depth]
