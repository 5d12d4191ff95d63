"""What the explorers of the page show, as data for JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluate import Comparison
from ..figures.conditions import first_split
from ..formatting import rounded
from ..models import ModelSpec
from ..plot.hidden import strongest_first
from ..plot.laminar import BitLayout, laminar
from ..study import Condition, Results
from ..units import Units
from ._assemblies import assemblies_at
from ._tables import longest

#: Couplings and weights in a page, all explorers together, and activations of hidden units; at
#: about nine and four bytes each, they leave 3 MB for figures in a page of 8 MB.
PARAMETERS, ACTIVATIONS = 400_000, 250_000
#: How log Z was found, by method and side.
_METHODS = {
    ("ais", None): "annealed importance sampling",
    ("chains", None): "words that the fit drew",
    ("exact", "visible"): "summed exactly over all words",
    ("exact", "hidden"): "summed exactly over hidden states",
}


def explorers(results: Results) -> list[dict[str, Any]]:
    """Data of the explorers, one for each experiment on each recording, in the types of JSON.

    The longest words tested so far are shown, with the models of the first tested split. Units are
    in laminar order, live hidden units from the strongest to the weakest, as in the figure of
    parameters. ``J`` and ``W`` hold their strongest entries if all would be too many for a page.
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
    compared = results.comparison(**condition.names)
    units = results.units(condition.recording, experiment=condition.experiment.name)
    drawn = laminar(units)
    rows = BitLayout(drawn, condition.window).order
    return {
        "recording": results.label(condition.recording),
        "experiment": condition.experiment.name,
        "window": condition.window,
        "split": first_split(compared),
        "bin_s": condition.experiment.bin_width,
        "units": [_unit(units, int(n)) for n in drawn.order],
        "layers": [list(layer) for layer in drawn.layers],
        "assemblies": assemblies_at(results, condition, compared, drawn.order, most_values),
        "models": [
            _path(results, condition, compared, spec, rows)
            for spec in results.index.specs(condition)
            if not spec.is_rival
        ],
    }


def _path(
    results: Results,
    condition: Condition,
    compared: Comparison,
    spec: ModelSpec,
    rows: NDArray[np.int64],
) -> dict[str, Any]:
    """A model of the first tested split at every penalty, for JSON except for its matrices.

    ``chosen`` is the step that the validation part chose. Of each step, ``J`` (above the diagonal)
    and ``W`` (of live hidden units) are arrays, None if the model has none.
    """
    split = first_split(compared)
    where = {"model": spec, "split": split, **condition.names}
    [used] = [s.l1 for s in compared.scores[spec.name].splits if s.split == split]
    scores = results.normalisers(**where)
    steps = []
    for l1, model in zip(scores, results.path(**where), strict=True):
        theta, score = model.parameters_, scores[l1]
        hidden = strongest_first(model) if spec.n_hidden else np.zeros(0, dtype=np.int64)
        steps.append(
            {
                "l1": l1,
                "score": rounded(score["validation_bits_per_second"]),
                "error": rounded(score["validation_stderr"]),
                "method": _METHODS[score["method"], score["side"]],
                "converged": bool(score["converged"]),
                "hidden": hidden.tolist(),
                "J": None if theta.J is None else np.triu(theta.J[np.ix_(rows, rows)], 1),
                "W": None if theta.W is None else theta.W[np.ix_(rows, hidden)],
            }
        )
    return {
        "name": spec.name,
        "model": spec.model,
        "n_hidden": spec.n_hidden,
        "chosen": list(scores).index(used),
        "steps": steps,
    }


def strongest(matrix: NDArray[np.float64], most: int) -> dict[str, Any]:
    """The ``most`` strongest entries of a sparse matrix for JSON.

    ``total`` counts the entries other than zero; ``gaps`` lead from one place ``row * n_columns +
    column`` to the next; ``values`` have four significant digits.
    """
    flat = matrix.ravel()
    positions = np.flatnonzero(flat)
    kept = np.sort(positions[np.argsort(-np.abs(flat[positions]), kind="stable")[:most]])
    return {
        "total": int(positions.size),
        "gaps": np.diff(kept, prepend=0).tolist(),
        "values": [rounded(value) for value in flat[kept].tolist()],
    }


def most_per_matrix(sizes: Iterable[int], budget: int) -> int:
    """Largest number of entries per matrix with which all matrices stay within the budget."""
    left, allowed = budget, 0
    ordered = sorted(sizes)
    for k, size in enumerate(ordered):
        allowed = left // (len(ordered) - k)
        if size > allowed:
            return max(allowed, 1)
        left -= size
    return max(ordered, default=0)


def _unit(units: Units, n: int) -> list[Any]:
    """Name, layer and depth in µm of a unit; "" and None if unknown."""
    layer = "" if units.layer is None else units.layer[n]
    depth = None if units.depth_um is None else rounded(float(units.depth_um[n]))
    return [units.ids[n], layer, depth]
