"""Figure 6: hidden units in space and time, gain of single units, a second of prediction."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import SubFigure
from numpy.typing import NDArray

from ..evaluate import Prediction, PredictionResult, UnitPrediction, predict
from ..models import ModelSpec, PopulationModel
from ..plot import gain, prediction as draw_prediction
from ..plot.hidden import strongest_first
from ..plot.laminar import order_text
from ..plot.maps import COLUMNS, MOST, hidden_maps
from ..plot.predictions import busiest_stretch_of_unit
from ..plot.unit_gains import MOST_NAMED
from ..study import Condition, NotComputedError, Results
from ..words import Words
from ._presets import is_narrow
from .captioned import PAGE, CaptionedFigure, captioned, letter, share_legend
from .conditions import SEVERAL_BINS, caption, first_split, of_condition

#: Inches: a row of maps with its title, what surrounds the maps, gains, and the trace.
_MAP_ROW, _AROUND_MAPS, _GAINS, _TRACE = 0.85, 0.45, 2.0, 1.7
#: Most maps in a row of one column of a journal.
_COLUMNS_NARROW = 5
_KNOWN = {"rest": "the rest of the window", "past": "the past only"}


class _Shown(NamedTuple):
    """What the figure is drawn from: models and test part of one split."""

    split: int
    models: dict[ModelSpec, PopulationModel]  # best score first
    live: dict[ModelSpec, NDArray[np.int64]]  # hidden units, strongest first
    l1: dict[ModelSpec, float]
    test: Words
    predictions: dict[str, list[PredictionResult]]  # given the rest, then the past if computed

    @property
    def hidden(self) -> ModelSpec | None:
        """The best semi-restricted model with live hidden units, else the best RBM with some."""
        semi = [spec for spec in self.live if spec.model == "SemiRBM"]
        return next(iter([*semi, *self.live]), None)

    @property
    def best(self) -> tuple[str, UnitPrediction]:
        """What the trace is given, and the unit with the largest gain by any model."""
        given = list(self.predictions)[-1]
        units = [unit for result in self.predictions[given] for unit in result.units]
        return given, max(units, key=lambda unit: unit.gain_bits_per_second)

    def traces(self) -> dict[str, Prediction]:
        """That unit's prediction by every model, on the stretch with most of its spikes."""
        given, unit = self.best
        found = {
            spec.name: predict(model, self.test, given=given, positions=[unit.position])  # type: ignore[arg-type]
            for spec, model in self.models.items()
        }
        stretch = busiest_stretch_of_unit(next(iter(found.values())), unit.position)
        return {name: each.stretch(*stretch) for name, each in found.items()}


@of_condition(SEVERAL_BINS)
def spatiotemporal(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure 6: hidden units as maps of units and time, gain per unit, predicted spiking."""
    shown = _shown(results, condition)
    n_hidden = 0 if shown.hidden is None else shown.live[shown.hidden].size
    narrow = is_narrow(PAGE)
    columns = _COLUMNS_NARROW if narrow else COLUMNS
    n_rows = -(-min(n_hidden, MOST) // columns)
    n_gains = len(shown.predictions) if narrow else 1  # rows of gains
    heights = (_AROUND_MAPS + n_rows * _MAP_ROW, n_gains * _GAINS, _TRACE)
    title = f"Spatiotemporal models of {condition.recording}"
    with captioned("6", title, (PAGE, sum(heights))) as figure:
        top, middle, bottom = figure.subfigures(3, 1, height_ratios=heights, squeeze=False)[:, 0]
        _draw_hidden(top, shown, columns)
        _draw_gains(middle, shown, n_gains)
        traces = shown.traces()
        ax = draw_prediction(traces, unit=shown.best[1].position, ax=bottom.subplots())
        letter(ax, "c", pad=12.0)  # above the spikes
        share_legend(figure)
        about: dict[str, Any] = {"n_hidden": n_hidden, "most": MOST, "most_named": MOST_NAMED}
        about |= {"order": order_text(shown.test.units), "trace": next(iter(traces.values()))}
        figure.caption = caption("spatiotemporal", condition, shown=shown, **about)
    return figure


def _shown(results: Results, condition: Condition) -> _Shown:
    compared = results.comparison(**condition.names)
    split = first_split(compared)
    specs = [model.spec for model in compared.models if not model.spec.is_alternative]
    predictions: dict[str, list[PredictionResult]] = {}
    for spec in specs:
        with suppress(NotComputedError):  # predictions come after tests
            for given, result in results.predictions(model=spec, **condition.names).items():
                predictions.setdefault(given, []).append(result)
    if not predictions:
        raise condition.missing("a prediction")
    at = {"split": split, **condition.names}
    models = {spec: results.model(model=spec, **at) for spec in specs}
    hidden = {spec: strongest_first(models[spec]) for spec in specs if spec.has_groups}
    return _Shown(
        split=split,
        models=models,
        live={spec: columns for spec, columns in hidden.items() if columns.size},
        l1={m.spec: s.l1 for m in compared.models for s in m.splits if s.split == split},
        test=results.words(**at)[2],
        predictions=predictions,
    )


def _draw_hidden(panel: SubFigure, shown: _Shown, columns: int) -> None:
    if shown.hidden is None:
        ax = panel.subplots()
        ax.set_axis_off()
        ax.text(0.5, 0.5, "no model has a live hidden unit", ha="center", va="center")
        letter(ax, "a")
        return
    model, order = shown.models[shown.hidden], shown.live[shown.hidden]
    size: Any = {"bin_width": shown.test.bin_width, "columns": columns}
    hidden_maps(model, order, shown.test.units, panel, **size)
    letter(panel.axes[0], "a", pad=2.0)


def _draw_gains(panel: SubFigure, shown: _Shown, n_rows: int) -> None:
    """Panels side by side or, in as many rows as there are, below each other; on one scale."""
    shape = n_rows, len(shown.predictions) // n_rows
    axes = panel.subplots(*shape, sharey=True, squeeze=False)
    for ax, (given, results) in zip(axes.ravel(), shown.predictions.items(), strict=True):
        gain(results, ax=ax)
        ax.set_title(f"given {_KNOWN[given]}")
    for ax in axes[:, 1:].ravel():
        ax.set_ylabel("")
    for ax in axes[:-1].ravel():
        ax.set_xlabel("")
    letter(axes[0, 0], "b")
