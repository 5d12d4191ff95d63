"""What the explorers of the page show, as data for JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..figures._conditions import compared_at, first_split, where
from ..plot._laminar import BitLayout, laminar
from ..study import Results
from ..study._index import Condition
from ..study._sources import words_of
from ..units import Units
from ._paths import most_per_matrix, paths_at, rounded, strongest
from ._sections import longest
from ._stretch import Read, assemblies_at

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
    compared = compared_at(results, condition)
    read, problem = _words(results, condition, first_split(compared))
    units = _stored_units(results, condition) if read is None else read.whole.units
    drawn = laminar(units)
    rows = BitLayout(drawn, condition.window).order
    assemblies = None
    if read is not None:
        assemblies = assemblies_at(results, condition, compared, drawn.order, read, most_values)
        problem = "" if assemblies else "No model of this experiment kept a live hidden unit."
    return {
        "recording": condition.recording,
        "experiment": condition.experiment.name,
        "window": condition.window,
        "split": first_split(compared),
        "bin_s": condition.experiment.bin_width,
        "units": [_unit(units, int(n)) for n in drawn.order],
        "layers": [list(layer) for layer in drawn.layers],
        "by_variance": read is not None,
        "assemblies": assemblies,
        "problem": problem,
        "models": paths_at(results, condition, compared, rows, read and read.test),
    }


def _words(results: Results, condition: Condition, split: int) -> tuple[Read | None, str]:
    """Words of the recording, or a sentence about why there are none."""
    try:
        whole = words_of(results.recording(condition.recording), condition.experiment)
        _, _, test = results.words(condition.recording, split=split, **where(condition))
        return Read(whole, test), ""
    except (OSError, ValueError, ImportError) as error:
        said = " ".join(str(error).split())
        return None, f"The recording could not be read again, so its spikes are not shown: {said}."


def _stored_units(results: Results, condition: Condition) -> Units:
    """Units of an experiment's words as the store knows them; compare `study.sources.words_of`."""
    table = results.recordings[condition.recording]["units"]
    if condition.experiment.most_active is not None:
        by_activity = np.argsort([-row["rate_hz"] for row in table], kind="stable")
        table = [table[n] for n in np.sort(by_activity[: condition.experiment.most_active])]
    depths = [row["depth_um"] for row in table]
    known = table[0]["depth_reference"] is not None
    layers = [row["layer"] for row in table]
    return Units(
        [row["id"] for row in table],
        [np.nan if depth is None else depth for depth in depths] if known else None,
        None if layers[0] is None else layers,
        depth_reference=table[0]["depth_reference"],
    )


def _unit(units: Units, n: int) -> list[Any]:
    """Name, layer and depth in µm of a unit; "" and None where unknown."""
    layer = "" if units.layer is None else units.layer[n]
    depth = None if units.depth_um is None else rounded(float(units.depth_um[n]))
    return [units.ids[n], layer, depth]
