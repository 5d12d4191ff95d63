"""Which model, by how much, and what its parameters look like."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ..parameters import Floats
from ..units import Units
from .style import MODEL_COLOURS, RC


def comparison(
    scores: Mapping[str, tuple[float, float]], couplings: Floats, weights: Floats, units: Units
) -> Figure:
    """Excess log-likelihood of each model, the couplings, and the live hidden units.

    Parameters
    ----------
    scores : mapping of str to (float, float)
        Model name -> excess log-likelihood and its standard error, bits/s.
    couplings : ndarray, shape (n_units, n_units)
        Symmetric couplings J, drawn as a matrix.
    weights : ndarray, shape (n_units, n_hidden)
        Weights of hidden units, one column of the map each; those without weights are left out.
    units : Units
        Layers, if known, are drawn as lines between the units.

    Returns
    -------
    matplotlib.figure.Figure
        Ready to be saved.
    """
    with mpl.rc_context(RC):  # type: ignore[arg-type]
        figure = Figure(figsize=(7.0, 2.6), layout="constrained")
        bars, matrix, hidden = figure.subplots(1, 3, width_ratios=(1.0, 1.1, 1.2))
        _bars(bars, scores)
        _map(matrix, couplings, "coupling J", units)
        matrix.set(title="Ising couplings", xlabel="unit", ylabel="unit")
        _layer_lines(matrix.axvline, units)
        live = weights[:, np.any(weights != 0.0, axis=0)]
        strongest_first = np.argsort(-np.abs(live).sum(axis=0))
        _map(hidden, live[:, strongest_first], "weight W", units)
        hidden.set(title="Live hidden units", xlabel="hidden unit")
        hidden.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _bars(axes: Axes, scores: Mapping[str, tuple[float, float]]) -> None:
    heights, errors = zip(*scores.values(), strict=True)
    axes.bar(
        list(scores),
        heights,
        yerr=errors,
        color=[MODEL_COLOURS.get(name.split()[0], "#CC79A7") for name in scores],
        capsize=3,
    )
    axes.set(title="Held-out words", ylabel="excess log-likelihood (bits/s)")
    for label in axes.get_xticklabels():
        label.set(rotation=35, ha="right", rotation_mode="anchor")


def _map(axes: Axes, values: Floats, label: str, units: Units) -> None:
    if values.size == 0:
        axes.text(0.5, 0.5, "none", ha="center", va="center", transform=axes.transAxes)
        return
    limit = float(np.abs(values).max()) or 1.0
    image = axes.imshow(values, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
    axes.figure.colorbar(image, ax=axes, label=label)
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
    _layer_lines(axes.axhline, units)
    _layer_labels(axes, units)


def _layer_borders(units: Units) -> list[int]:
    layer = units.layer or ()
    return [k for k in range(1, len(layer)) if layer[k] != layer[k - 1]]


def _layer_lines(draw: Callable[..., object], units: Units) -> None:
    for border in _layer_borders(units):
        draw(border - 0.5, color="black", linewidth=0.8)


def _layer_labels(axes: Axes, units: Units) -> None:
    if units.layer is None:
        return
    starts = [0, *_layer_borders(units)]
    stops = [*starts[1:], len(units.layer)]
    axes.set_yticks(
        [(start + stop - 1) / 2 for start, stop in zip(starts, stops, strict=True)],
        [units.layer[start] for start in starts],
    )
