"""What the explorers of the page show, as data for JSON: models by penalty, activity in time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluate import Assembly, Comparison
from ..evaluate.activation import activation_in_time
from ..evaluate.assembly import MEMBER
from ..evaluate.recurrence import by_unit
from ..evaluate.significance import p_text
from ..figures.conditions import by_likelihood, first_split
from ..formatting import counted, number, rounded
from ..models import ModelSpec
from ..plot.hidden import strongest_first
from ..plot.laminar import BitLayout, laminar
from ..study import Condition, Results
from ..timeline import busiest_bins
from ..units import Units
from ..validation import Floats
from ._tables import longest
from ._typography import typeset, unbroken

#: Couplings and weights in a page, all explorers together, and activations of hidden units; at
#: about nine and four bytes each, they leave 3 MB for figures in a page of 8 MB.
PARAMETERS, ACTIVATIONS = 400_000, 250_000
#: Length of the stretch of activity, whichever is shorter.
_SECONDS, _MOST_BINS = 20.0, 1000
#: How log Z was found, by method and side.
_METHODS = {
    ("ais", None): "annealed importance sampling",
    ("chains", None): "words that the fit drew",
    ("exact", "visible"): "summed exactly over all words",
    ("exact", "hidden"): "summed exactly over hidden states",
}


def explorers(results: Results) -> list[dict[str, Any]]:
    """Data of the explorers, one for each experiment on each recording, in the types of JSON.

    Without experiments that fit the same words by another objective than the answer's.

    The longest words tested so far are shown, with the models of the first tested split. Units are
    in laminar order, live hidden units from the strongest to the weakest, as in the figure of
    parameters. ``J`` and ``W`` hold their strongest entries if all would be too many for a page.
    """
    conditions = [each for each in longest(results) if by_likelihood(results, each) == each]
    found = [
        _explorer(results, condition, ACTIVATIONS // len(conditions)) for condition in conditions
    ]
    steps = [step for each in found for path in each["models"] for step in path["steps"]]
    matrices = [(step, name) for step in steps for name in "JW" if step[name] is not None]
    for step, name in matrices:
        step[name] = strongest(step[name], PARAMETERS // len(matrices))
    return found


def _explorer(results: Results, condition: Condition, most_values: int) -> dict[str, Any]:
    compared = results.comparison(**condition.names)
    units = results.units(condition.recording, experiment=condition.experiment.name)
    drawn = laminar(units)
    rows = BitLayout(drawn, condition.window).order
    return {
        "recording": condition.recording,
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
            if not spec.is_alternative
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
        hidden = strongest_first(model) if theta.n_hidden else np.zeros(0, dtype=np.int64)
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
        "n_hidden": theta.n_hidden,
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


def _unit(units: Units, n: int) -> list[Any]:
    """Name, layer and depth in µm of a unit; "" and None if unknown."""
    layer = "" if units.layer is None else units.layer[n]
    depth = None if units.depth_um is None else rounded(float(units.depth_um[n]))
    return [units.ids[n], layer, depth]


def assemblies_at(
    results: Results,
    condition: Condition,
    compared: Comparison,
    order: NDArray[np.int64],
    most_values: int,
) -> dict[str, Any] | None:
    """Hidden units of the best model that has any, in a stretch in which the clearest is active.

    ``order`` is the unit of each row of the raster; of the activations and weights of hidden units,
    the clearest first, at most ``most_values`` are listed. The stretch is where the first of them
    is on most often. None if no model has a live hidden unit.
    """
    split = first_split(compared)
    fitted = (
        (each.spec, results.model(model=each.spec, split=split, **condition.names))
        for each in compared.models
        if each.spec.has_groups
    )
    found = next((pair for pair in fitted if pair[1].parameters_.live.any()), None)
    if found is None:
        return None
    spec, model = found
    activation = results.activation(model=spec, split=split, **condition.names)
    known = _described(results, condition, spec, split)
    rank = {column: place for place, column in enumerate(known)}  # the unknown come last
    columns = sorted(strongest_first(model).tolist(), key=lambda k: rank.get(k, len(rank)))
    words = results.all_words(condition.recording, experiment=condition.experiment.name)
    windows = words.embed(condition.window)
    n_bins = min(_MOST_BINS, max(1, round(_SECONDS / words.bin_width)))
    on = activation_in_time(model, windows, columns[:1])[:, 0]
    start, stop = busiest_bins(on, windows.epoch_starts, n_bins)
    shown = columns[: max(1, most_values // (stop - start + order.size))]
    X = windows.X[windows.index[start:stop]]
    newest = X[:, -order.size :][:, order]
    names = [words.units.ids[n] for n in order]
    bin_of_first = windows.bins[start : start + 1] + condition.window - 1
    return {
        "model": spec.name,
        "start_s": round(float(words.clock.times_s(bin_of_first, words.bin_width)[0]), 6),
        "n_bins": stop - start,
        "spikes": [np.flatnonzero(row).tolist() for row in newest.T],
        "n_live": len(columns),
        "ranked": bool(known),
        "tested": any(row.layer for row in known.values()),
        "hidden": [
            {
                "column": k,
                **_labels(known.get(k)),
                "mean": float(f"{activation.mean[k]:.4g}"),
                **_weights(by_unit(model.W_[:, k], order.size)[order], known.get(k), names),
                "thousandths": thousandths(p).tolist(),
            }
            for k, p in zip(shown, model.hidden(X)[:, shown].T, strict=True)
        ],
    }


def _described(
    results: Results, condition: Condition, spec: ModelSpec, split: int
) -> dict[int, Assembly]:
    """What is known of the hidden units of split 0 by column of W, the clearest first."""
    if split != 0:
        return {}
    found = results.if_computed(results.assemblies, None, model=spec, **condition.names)
    return {row.position: row for row in found.clearest} if found else {}


def thousandths(p: NDArray[np.float64]) -> NDArray[np.int64]:
    """Probabilities in thousandths, such that those above 0.5 are above 500 and others are not."""
    nearest = np.rint(p * 1000).astype(np.int64)
    return np.where(p > 0.5, np.maximum(nearest, 501), np.minimum(nearest, 500))


def _weights(strengths: Floats, row: Assembly | None, names: list[str]) -> dict[str, Any]:
    """Weights by row for JSON: in per cent of the largest, and who belongs to the hidden unit.

    Members and negative units are those of the table of assemblies. Where there is none, members
    have a positive weight of a quarter of the largest positive one or more, negative units a
    negative one of a quarter of the largest of either sign. No weight but zero is 0 per cent.
    """
    largest = float(np.abs(strengths).max())
    percent = np.rint(100.0 * strengths / largest)
    percent = np.where(percent == 0.0, np.sign(strengths), percent).astype(np.int64)
    member = (strengths > 0.0) & (strengths >= MEMBER * strengths.max())
    negative = (strengths < 0.0) & (strengths <= -MEMBER * largest)
    if row is not None:
        member, negative = (np.isin(names, ids) for ids in (row.units, row.negative_units))
    return {
        "largest": float(f"{largest:.4g}"),
        "percent": percent.tolist(),
        "members": np.flatnonzero(member).tolist(),
        "negative": np.flatnonzero(negative).tolist(),
    }


def _labels(row: Assembly | None) -> dict[str, Any]:
    """What the list says of a hidden unit beside its name and its units."""
    if row is None:
        return {"verdict": "", "about": []}
    lost = f"{number(row.bits_per_second)} ± {number(row.stderr)} bits/s lost"
    about = [unbroken(lost).replace("-", "\N{MINUS SIGN}")]
    if row.layer:
        p = unbroken(typeset(p_text(row.layer_p_value)))
        about.insert(0, f"layer {row.layer}, {100 * row.layer_share:.0f} %, {p}")
    if row.n_others:
        n = round(row.stability * row.n_others)
        about.append(f"recurs in {n} of {counted(row.n_others, 'other split')}")
    return {"verdict": row.verdict, "about": about}
