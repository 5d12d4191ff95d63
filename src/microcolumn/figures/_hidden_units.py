"""Hidden units: the clearest assemblies, and whether hidden units keep to layers."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure

from ..evaluate import Assembly, LayerStatistics, layer_statistics
from ..evaluate.activation import activation_in_time, in_windows
from ..evaluate.assembly import MEANING, MEMBER
from ..evaluate.recurrence import SAME, unit_length
from ..formatting import number
from ..models import ModelSpec, PopulationModel
from ..plot import assembly as draw_assembly, layers as draw_layers, raster
from ..plot.laminar import has_depths, laminar, order_text
from ..plot.style import legible
from ..plot.time import COLOURS, boxes, draw_activation, typical_activation
from ..study import Condition, NotComputedError, Results
from ..units import labels_from_the_top
from ..validation import Floats
from ..words import Words
from ._presets import is_narrow
from .captioned import PAGE, CaptionedFigure, captioned, letter
from .conditions import HIDDEN_UNITS, LAYERS, caption, of_condition

#: Assemblies drawn, as many as there are colours, and in one column of a journal.
MOST, _MOST_NARROW = len(COLOURS), 2
#: Bins of the stretch.
_BINS = 200
#: Spikes of other units and at other times.
_OTHERS = "#C4C4C4"


class Drawn(NamedTuple):
    """A model of split 0 as it is drawn, with the clearest of its hidden units."""

    spec: ModelSpec
    model: PopulationModel  # the sparsest that is nearly as good as the chosen one
    chosen: PopulationModel
    rows: tuple[Assembly, ...] = ()
    n_live: int = 0

    @classmethod
    def of(cls, results: Results, condition: Condition, spec: ModelSpec) -> Self:
        """The model of split 0, without hidden units."""
        where: dict[str, Any] = {"model": spec, **condition.names}
        drawn: Any = results.display_model(**where)
        chosen: Any = results.model(**where)
        return cls(spec, drawn, chosen)

    @property
    def title(self) -> str:
        """What the hidden units are called."""
        return "groups" if self.rows[0].verdict == "assembly" else "hidden units"


class _Stretch(NamedTuple):
    """Bins that are drawn: single bins, and the activation by the words that end in them."""

    words: Words  # all single bins
    times_s: Floats  # start of each bin drawn
    activation: Floats  # (n_drawn, n_rows)

    @property
    def ends_s(self) -> tuple[float, float]:
        return float(self.times_s[0]), float(self.times_s[-1]) + self.words.bin_width


@of_condition(HIDDEN_UNITS)
def assemblies(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure of the clearest assemblies of the best model with hidden units, at most four.

    A typical stretch of the raster with P(h = 1 | x) below, their units on the probe, and their
    weight per layer. Assemblies come first, then hidden units that are none, by the bits/s that
    test words lose without them over its error.
    """
    narrow = is_narrow(PAGE)
    shown = drawn_hidden(results, condition, _MOST_NARROW if narrow else MOST)
    layers = _layers(results, condition, shown)
    words = results.all_words(condition.recording, experiment=condition.experiment.name)
    stretch = _typical(shown, words)
    n_rows = len(shown.rows)
    title = f"{shown.title.capitalize()} of {shown.spec.name}, {condition.recording}"
    heights = [2.0 + _strip(n_rows), 2.5] + [2.0] * (narrow and layers is not None)
    with captioned("", title, (PAGE, sum(heights))) as figure:
        parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
        _draw_time(parts[0], shown, stretch)
        # The panel of layers stands beside the probes where there is space; these stay slim.
        beside = [] if narrow else [1.9] * (layers is not None) + [1.0] * (MOST - n_rows)
        grid = parts[1].add_gridspec(1, n_rows + len(beside), width_ratios=[1.0] * n_rows + beside)
        for n in range(n_rows):
            _draw_place(parts[1].add_subplot(grid[n]), shown, words, n)
        if layers is not None:
            ax = parts[2].subplots() if narrow else parts[1].add_subplot(grid[n_rows])
            _draw_layers(ax, shown, layers)
        about = {"units": words.units, "order": order_text(words.units), "meaning": MEANING}
        about |= {"depths": has_depths(words.units), "layers": layers}
        figure.caption = caption("assemblies", condition, shown=shown, stretch=stretch, **about)
    return figure


def drawn_hidden(results: Results, condition: Condition, most: int = MOST) -> Drawn:
    """The best model with hidden units and the clearest of these, assemblies if there are any."""
    spec = results.best_with_hidden(**condition.names)
    found = results.assemblies(model=spec, **condition.names)
    shown = Drawn.of(results, condition, spec)
    both = [unit_length(each.W_) for each in (shown.model, shown.chosen)]
    alike = np.einsum("ij,ij->j", *both) >= SAME
    rows = found.clearest[:most]
    sure = [row for row in rows if row.verdict == "assembly"] or rows
    if not all(alike[row.position] for row in sure):  # the stronger penalty leaves too few of them
        return shown._replace(model=shown.chosen, rows=rows, n_live=len(found))
    rows = tuple(row for row in rows if alike[row.position])
    return shown._replace(rows=rows, n_live=len(found))


def _typical(shown: Drawn, words: Words) -> _Stretch:
    """The stretch drawn: most of the hidden units are on in it, for the median time."""
    held = in_windows(shown.model, words)
    P = activation_in_time(shown.model, held, [row.position for row in shown.rows])
    first, stop = typical_activation(P, held.epoch_starts, _BINS)
    newest = held.bins[first:stop] + held.window - 1
    return _Stretch(words, held.clock.times_s(newest, held.bin_width), P[first:stop])


def _draw_time(figure: SubFigure, shown: Drawn, stretch: _Stretch) -> None:
    """Raster with the spikes of active assemblies in their colours, and activations below it."""
    heights = (1.75, _strip(len(shown.rows)))
    spikes, active = figure.subplots(2, 1, sharex=True, height_ratios=heights)
    raster(stretch.words, *stretch.ends_s, ax=spikes)
    for marks in spikes.collections:
        marks.set_facecolor(_OTHERS)
    for n in reversed(range(len(shown.rows))):  # the clearest on top
        _colour_spikes(spikes, shown, stretch, n)
    spikes.set_xlabel("")
    spikes.tick_params(axis="x", labelbottom=False)
    names = [row.name for row in shown.rows]
    rows = dict(zip(names, stretch.activation.T, strict=True))
    colours = dict(zip(names, COLOURS, strict=False))
    draw_activation(active, rows, stretch.times_s, stretch.words.bin_width, colours)
    for label, name in zip(active.get_yticklabels(), names, strict=False):
        label.set_color(legible(colours[name]) if len(names) > 1 else "black")
    active.set(xlim=stretch.ends_s, xlabel="time (s)")
    active.yaxis.label.set_size(7)
    letter(spikes, "a")
    letter(active, "b")


def _strip(n_rows: int) -> float:
    """Inches for so many rows of activations; the label beside them needs some."""
    return max(0.6, 0.21 * n_rows)


def _colour_spikes(ax: Axes, shown: Drawn, stretch: _Stretch, n: int) -> None:
    """Spikes of the units of an assembly in words in which it is on, by the bins of a window."""
    words, width = stretch.words, stretch.words.bin_width
    weights = shown.model.W_[:, shown.rows[n].position].reshape(-1, words.n_units)
    members = (weights >= MEMBER * weights.max()) & (weights > 0.0)
    starts = words.clock.times_s(words.bins, width)
    newest = np.searchsorted(starts, stretch.times_s - width / 2)
    rows = np.argsort(laminar(words.units).order)
    coloured = np.zeros((words.n_bins, words.n_units), dtype=bool)
    for lag, of_unit in enumerate(members[::-1]):
        on = newest[stretch.activation[:, n] > 0.5] - lag
        coloured[on] |= (words.X[words.index[on]] == 1) & of_unit
    place, unit = np.nonzero(coloured)
    ax.add_collection(boxes(starts[place], rows[unit], width, COLOURS[n]), autolim=False)


def _draw_place(ax: Axes, shown: Drawn, words: Words, n: int) -> None:
    """An assembly on the probe with its numbers below, which the first panel names."""
    row = shown.rows[n]
    draw_assembly(shown.model, row.position, words, color=COLOURS[n], title=row.name, ax=ax)
    ax.title.set(color=legible(COLOURS[n]), fontweight="bold")
    if legend := ax.get_legend():
        legend.remove()
    if n < len(shown.rows) - 1:  # the last one names the layers for all
        for name in list(ax.texts):
            name.remove()
    _write_below(ax, 0.5, list(facts(row).values()), ha="center")
    if n:
        ax.tick_params(axis="y", which="both", labelleft=False)
        ax.set_ylabel("")
    else:
        _write_below(ax, -0.08, list(facts(row)), ha="right", color="0.35")
        letter(ax, "c")


def _layers(results: Results, condition: Condition, shown: Drawn) -> LayerStatistics | None:
    """Layers of the hidden units that are drawn; None where they are not in several."""
    if results.layers(model=shown.spec, **condition.names) is None:
        return None
    units = results.units(condition.recording, experiment=condition.experiment.name)
    found = layer_statistics(shown.model, units, window=condition.window)
    tested = {row.position for row in found.hidden}
    return found if tested & {row.position for row in shown.rows} else None


def _draw_layers(ax: Axes, shown: Drawn, found: LayerStatistics) -> None:
    positions = [row.position for row in shown.rows]
    tested = {row.position for row in found.hidden}
    draw_layers(found, hidden=[k for k in positions if k in tested], ax=ax)
    ax.set_xlabel("")
    for label in ax.get_xticklabels():
        label.set_color(legible(COLOURS[positions.index(int(label.get_text()[1:]))]))
    letter(ax, "d")


def _write_below(ax: Axes, x: float, lines: list[str], **looks: Any) -> None:
    """Lines under the axes, at the same heights whatever letters they have."""
    for n, line in enumerate(lines):
        below: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
        ax.annotate(line, (x, 0.0), (0.0, -10.0 - 9.5 * n), size=7, **below, **looks)


def facts(row: Assembly) -> dict[str, str]:
    """What is known of a hidden unit, by name."""
    return {
        "called": row.called or "-",
        "found in": f"{row.found_in} splits" if row.n_others else "-",
        "on, per s": number(row.rate_hz),
        "bits/s lost": f"{number(row.bits_per_second)} ± {number(row.stderr)}",
    }


@of_condition(LAYERS)
def layers(results: Results, condition: Condition) -> CaptionedFigure:
    """Figure of layers: the weight of each hidden unit per layer, against shuffled labels.

    Of the best model with hidden units, in the first split.
    """
    spec = results.best_with_hidden(**condition.names)
    found = results.layers(model=spec, **condition.names)
    if found is None or not all(row.shares for each in found.statistics for row in each.hidden):
        raise NotComputedError(f"no shuffled labels of {spec.name} are kept", "run the study again")
    first = found.statistics[0]
    if not first.hidden:
        raise NotComputedError("no hidden unit of the first split has weight onto a layer")
    units = results.units(condition.recording, experiment=condition.experiment.name)
    title = f"Hidden units of {found.model.name} by {first.label_name}, {condition.recording}"
    with captioned("", title, (PAGE, 2.4)) as figure:
        draw_layers(first, ax=figure.subplots())
        figure.axes[0].set_xlabel(f"hidden units of split {found.splits[0]}")
        figure.caption = caption("layers", condition, found=found, order=labels_from_the_top(units))
    return figure
