"""A stretch of the data, and when each hidden unit is active in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluate import Assembly, Comparison
from ..evaluate.activation import activation_in_time
from ..evaluate.assembly import MEMBER, by_unit
from ..evaluate.significance import p_text
from ..figures.conditions import first_split
from ..formatting import counted, number
from ..models import ModelSpec
from ..plot.hidden import strongest_first
from ..study import Condition, Results
from ..timeline import busiest_bins
from ..validation import Floats
from ._typography import typeset, unbroken

#: Length of the stretch, whichever is shorter.
_SECONDS, _MOST_BINS = 20.0, 1000


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
                **_weights(by_unit(model.W_[:, k], order.size)[order]),
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


def _weights(strengths: Floats) -> dict[str, Any]:
    """Weights by row for JSON: in per cent of the largest, and who belongs to the hidden unit.

    Members have a positive weight of a quarter of the largest positive one or more, as in the table
    of assemblies; silenced units a negative one of a quarter of the largest of either sign. No
    weight but zero is 0 per cent.
    """
    largest = float(np.abs(strengths).max())
    percent = np.rint(100.0 * strengths / largest)
    percent = np.where(percent == 0.0, np.sign(strengths), percent).astype(np.int64)
    member = (strengths > 0.0) & (strengths >= MEMBER * strengths.max())
    silenced = (strengths < 0.0) & (strengths <= -MEMBER * largest)
    return {
        "largest": float(f"{largest:.4g}"),
        "percent": percent.tolist(),
        "members": np.flatnonzero(member).tolist(),
        "silenced": np.flatnonzero(silenced).tolist(),
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
