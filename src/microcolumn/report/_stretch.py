"""A stretch of the data, and when each hidden unit is active in it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..evaluate._activation import hidden_activation
from ..evaluate._significance import p_text
from ..evaluate._splits import StudyComparison
from ..figures._conditions import first_split, where
from ..formatting import counted
from ..models import PopulationModel
from ..study import Results
from ..study._index import Condition, NotComputedError
from ..words import Words
from ._paths import rounded
from ._typography import typeset, unbroken

#: Length of the stretch; whichever is shorter.
_SECONDS, _MOST_BINS = 20.0, 1000


class Read(NamedTuple):
    """Words of a recording: all single bins in time order, and those that the split tests."""

    whole: Words
    test: Words


def assemblies_at(
    results: Results,
    condition: Condition,
    compared: StudyComparison,
    order: NDArray[np.int64],
    read: Read,
    most_values: int,
) -> dict[str, Any] | None:
    """Hidden units of the best model that has any, in the busiest stretch of the recording.

    Parameters
    ----------
    results, condition, compared
        Of the study, where, and all models there.
    order : ndarray of int64, shape (n_units,)
        Unit of each row of the raster.
    read : Read
        Words of the recording.
    most_values : int
        Of activations that may be listed; the most variable hidden units are.

    Returns
    -------
    dict or None
        ``positive`` and ``negative`` are rows of units with such weights; None if no model has a
        live hidden unit.
    """
    split = first_split(compared)
    found = _best_with_hidden(results, condition, compared, split)
    if found is None:
        return None
    name, model = found
    words = read.whole
    start, stop = busiest(words, condition.window)
    activation = hidden_activation(model, read.test)
    shown = activation.order[: max(1, most_values // (stop - start))]
    P = model.hidden(words_ending_at(words, start, stop, condition.window))[:, shown]
    layers = _layers_of(results, condition, name, split)
    units = []
    for column, p in zip(shown.tolist(), P.T, strict=True):
        strength = _strength(model, column, condition.window)
        units.append(
            {
                "label": _label(column, strength, layers),
                "mean": rounded(float(activation.mean[column])),
                "positive": np.flatnonzero(strength[order] > 0).tolist(),
                "negative": np.flatnonzero(strength[order] < 0).tolist(),
                "thousandths": thousandths(p).tolist(),
            }
        )
    raster = words.X[words.index[start:stop]][:, order]
    time_s = words.clock.times_s(words.bins[start : start + 1], words.bin_width)
    return {
        "variant": name,
        "start_s": round(float(time_s[0]), 6),
        "n_bins": stop - start,
        "spikes": [np.flatnonzero(row).tolist() for row in raster.T],
        "n_live": int(activation.order.size),
        "tested": bool(layers),
        "hidden": units,
    }


def busiest(words: Words, window: int) -> tuple[int, int]:
    """First bin and bin after the last of the stretch with most spikes, within one epoch.

    Parameters
    ----------
    words : Words
        Of single bins.
    window : int
        Bins per word of the model: each bin of the stretch ends a window of so many.
    """
    wanted = min(_MOST_BINS, max(1, round(_SECONDS / words.bin_width)))
    spikes = np.concatenate(([0], np.cumsum(words.X.sum(axis=1, dtype=np.int64)[words.index])))
    edges = [*words.epoch_starts.tolist(), words.n_bins]
    best, found = -1, (0, 0)
    for start, stop in pairwise(edges):
        first = start + window - 1  # the first bin with a whole window behind it
        length = min(wanted, stop - first)
        if length < 1:
            continue
        counts = spikes[first + length : stop + 1] - spikes[first : stop + 1 - length]
        if counts.max() > best:
            best, begin = int(counts.max()), first + int(counts.argmax())
            found = begin, begin + length
    return found


def words_ending_at(words: Words, start: int, stop: int, window: int) -> NDArray[np.uint8]:
    """Windows whose newest bins are ``start`` to ``stop``, shape (stop - start, n_dims)."""
    bins = np.arange(start, stop)[:, None] + np.arange(1 - window, 1)
    patterns: NDArray[np.uint8] = words.X[words.index[bins]].reshape(stop - start, -1)
    return patterns


def thousandths(p: NDArray[np.float64]) -> NDArray[np.int64]:
    """Probabilities as whole thousandths that lie on the side of 500 that they lie on of 0.5.

    Examples
    --------
    >>> thousandths(np.array([0.0, 0.50001, 0.49999, 1.0])).tolist()
    [0, 501, 500, 1000]
    """
    whole = np.rint(p * 1000).astype(np.int64)
    return np.where(p > 0.5, np.maximum(whole, 501), np.minimum(whole, 500))


def _best_with_hidden(
    results: Results, condition: Condition, compared: StudyComparison, split: int
) -> tuple[str, PopulationModel] | None:
    """The model with the best mean test score that has live hidden units in the split."""
    for result in compared.models:
        model = results.model(condition.recording, result.variant, split=split, **where(condition))
        if model.parameters_.live.any():
            return result.variant, model
    return None


def _layers_of(
    results: Results, condition: Condition, variant: str, split: int
) -> dict[int, Mapping[str, Any]]:
    """Layer statistics of a split by column of W; empty where there are none."""
    try:
        found = results.layers(condition.recording, variant, **where(condition))
    except NotComputedError:
        return {}
    if found is None or split not in found.splits:
        return {}
    statistics = found.statistics[found.splits.index(split)]
    return {row["position"]: row for row in statistics["hidden"]}


def _label(column: int, strength: NDArray[np.float64], layers: dict[int, Mapping[str, Any]]) -> str:
    """What a hidden unit is called in the list."""
    if column in layers:
        layer = layers[column]
        share, p = f"{100 * layer['share']:.0f} %", unbroken(typeset(p_text(layer["p_holm"])))
        return f"layer {layer['layer']}, {share} of its positive weight, {p}"
    n_positive, n_negative = int((strength > 0).sum()), int((strength < 0).sum())
    if n_positive:
        return f"active with {counted(n_positive, 'unit')}"
    return f"active while {n_negative} unit{'s are' if n_negative != 1 else ' is'} silent"


def _strength(model: PopulationModel, column: int, window: int) -> NDArray[np.float64]:
    """Weight of each unit that is largest in size over the bins of a window, shape (n_units,)."""
    weights = model.parameters_.W
    assert weights is not None  # it has live hidden units
    by_lag = weights[:, column].reshape(window, -1)
    largest: NDArray[np.float64] = by_lag[np.abs(by_lag).argmax(axis=0), np.arange(by_lag.shape[1])]
    return largest
