"""A stretch of the data, and when each hidden unit is active in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluate import Comparison, HiddenUnitLayer
from ..evaluate._significance import p_text
from ..figures._conditions import first_split
from ..formatting import counted
from ..models import ModelSpec, PopulationModel
from ..plot._raster import busiest_bins
from ..study import Condition, NotComputedError, Results
from ..words import Words
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
    """Hidden units of the best model that has any, in the busiest stretch of the recording.

    ``order`` is the unit of each row of the raster; of the activations of hidden units, the most
    variable first, at most ``most_values`` are listed. ``positive`` and ``negative`` are rows of
    units with such weights. None if no model has a live hidden unit.
    """
    split = first_split(compared)
    fitted = (
        (each.spec, results.model(model=each.spec, split=split, **condition.names))
        for each in compared.models
        if each.spec.n_hidden
    )
    found = next((pair for pair in fitted if pair[1].parameters_.live.any()), None)
    if found is None:
        return None
    spec, model = found
    words = results.all_words(condition.recording, experiment=condition.experiment.name)
    n_bins = min(_MOST_BINS, max(1, round(_SECONDS / words.bin_width)))
    start, stop = busiest_bins(words, n_bins, condition.window)
    activation = results.activation(model=spec, split=split, **condition.names)
    shown = activation.order[: max(1, most_values // (stop - start))]
    P = model.hidden(words_ending_at(words, start, stop, condition.window))[:, shown]
    layers = _layers_of(results, condition, spec, split)
    units = []
    for column, p in zip(shown.tolist(), P.T, strict=True):
        strength = _strength(model, column, condition.window)
        units.append(
            {
                "label": _label(layers.get(column), strength),
                "mean": float(f"{activation.mean[column]:.4g}"),
                "positive": np.flatnonzero(strength[order] > 0).tolist(),
                "negative": np.flatnonzero(strength[order] < 0).tolist(),
                "thousandths": thousandths(p).tolist(),
            }
        )
    raster = words.X[words.index[start:stop]][:, order]
    time_s = words.clock.times_s(words.bins[start : start + 1], words.bin_width)
    return {
        "model": spec.name,
        "start_s": round(float(time_s[0]), 6),
        "n_bins": stop - start,
        "spikes": [np.flatnonzero(row).tolist() for row in raster.T],
        "n_live": int(activation.order.size),
        "tested": bool(layers),
        "hidden": units,
    }


def words_ending_at(words: Words, start: int, stop: int, window: int) -> NDArray[np.uint8]:
    """Windows whose newest bins are ``start`` to ``stop``, shape (stop - start, n_dims)."""
    bins = np.arange(start, stop)[:, None] + np.arange(1 - window, 1)
    patterns: NDArray[np.uint8] = words.X[words.index[bins]].reshape(stop - start, -1)
    return patterns


def thousandths(p: NDArray[np.float64]) -> NDArray[np.int64]:
    """Probabilities in thousandths, such that those above 0.5 are above 500 and others are not."""
    nearest = np.rint(p * 1000).astype(np.int64)
    return np.where(p > 0.5, np.maximum(nearest, 501), np.minimum(nearest, 500))


def _layers_of(
    results: Results, condition: Condition, spec: ModelSpec, split: int
) -> dict[int, HiddenUnitLayer]:
    """Layer statistics of a split by column of W; empty if there are none."""
    try:
        found = results.layers(model=spec, **condition.names)
    except NotComputedError:
        return {}
    if found is None or split not in found.splits:
        return {}
    statistics = found.statistics[found.splits.index(split)]
    return {row.position: row for row in statistics.hidden}


def _label(layer: HiddenUnitLayer | None, strength: NDArray[np.float64]) -> str:
    """What a hidden unit is called in the list."""
    if layer is not None:
        p = unbroken(typeset(p_text(layer.p_holm)))
        where = f"layer {layer.layer}, {100 * layer.share:.0f} % of its weight, {p}"
        return f"{where}; {_company(strength)}"
    return _company(strength)


def _company(strength: NDArray[np.float64]) -> str:
    """Units that are more and less active with a hidden unit, which is off in silence."""
    n_positive, n_negative = int((strength > 0).sum()), int((strength < 0).sum())
    if not n_negative:
        return f"active with {counted(n_positive, 'unit')}"
    if not n_positive:
        return f"silences {counted(n_negative, 'unit')}"
    return f"active with {counted(n_positive, 'unit')}, silences {n_negative}"


def _strength(model: PopulationModel, column: int, window: int) -> NDArray[np.float64]:
    """Weight of each unit that is largest in size over the bins of a window, shape (n_units,)."""
    by_lag = model.W_[:, column].reshape(window, -1)
    lag = np.abs(by_lag).argmax(axis=0)
    return np.asarray(by_lag[lag, np.arange(lag.size)])
