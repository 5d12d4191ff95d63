"""Units from superficial to deep, with layers and, of windows, bins drawn and named."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from textwrap import wrap
from typing import Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..errors import BadArgument
from ..models import WordModel
from ..recording import Recording
from ..units import Units, downwards, labels_from_the_top, several_labels
from ..validation import expect
from ..words import Words
from ..words_info import units_of
from .style import literal, signed, size_points

#: Whatever has a table of units.
HasUnits = Units | Words | Recording

#: Longest line of a layer's name: "infragranular"; longest that stands beside others.
_LONGEST_LAYER, _UPRIGHT = 13, 8
#: Names of units: their size, the mean width of a letter of it, and the height of a line, points;
#: most letters of one, and most names.
_ID_SIZE, _ID_LETTER, _ID_LINE, _LONGEST_ID, _MOST_IDS = 5.5, 3.4, 5.5, 8, 24


class Laminar(NamedTuple):
    """The order in which units are drawn, from superficial to deep.

    Layers are those labels that the units are grouped by, such as cell types.
    """

    order: NDArray[np.int64]  # position in the table of units of each drawn row
    layers: tuple[tuple[str, int, int], ...]  # name, first row, row after the last, from the top
    ids: tuple[str, ...]  # name of the unit of each drawn row
    label_name: str  # what layers are called: "layer", "cell type"

    @property
    def borders(self) -> tuple[int, ...]:
        """First rows of all layers below the top one."""
        return tuple(start for _, start, _ in self.layers[1:])


def laminar(units: Units) -> Laminar:
    """Order units by layer or other labels, then by depth; without both they stay in their order.

    Labels that are all empty are no layers.
    """
    labels = units.label() or ("",) * len(units)
    names = labels_from_the_top(units) if any(labels) else [""]
    depths = np.zeros(len(units))
    if units.depth_um is not None:
        depths = downwards(str(units.depth_reference)) * units.depth_um  # NaN is sorted last
    order = np.lexsort((depths, np.array([names.index(label) for label in labels])))
    ends = np.cumsum([labels.count(name) for name in names]).tolist()
    layers = zip(names, [0, *ends], ends, strict=False) if any(labels) else ()
    ids = tuple(units.ids[n] for n in order)
    return Laminar(order, tuple(layers), ids, units.label_name)


def mark_layers(ax: Axes, laminar: Laminar, *, along: Literal["y", "x"] = "y") -> None:
    """Draw lines between layers and name them, and name units in small type: as many as fit.

    The unit of row ``n`` is drawn at ``n``. Beside names of layers, units are named along y only.
    """
    draw, axis = (ax.axhline, ax.yaxis) if along == "y" else (ax.axvline, ax.xaxis)
    for border in laminar.borders:
        draw(border - 0.5, color="black", linewidth=0.8)
    width, height = size_points(ax)
    ids = short_ids(laminar.ids)
    longest = max(map(len, ids))
    fitting = height / _ID_LINE if along == "y" else width / (_ID_LETTER * (longest + 2))
    most = max(1, min(_MOST_IDS, int(fitting)))
    every = next(step for step in (1, 2, 5, 10, 20, 50, len(ids)) if len(ids) <= step * most)
    units = range(0, len(ids), every), ids[::every]
    if not laminar.layers:
        axis.set_ticks(*units, fontsize=_ID_SIZE)
        axis.set_label_text("unit")
        return
    names = [layer_name(label) or "?" for label, _, _ in laminar.layers]
    axis.set_ticks([(start + stop - 1) / 2 for _, start, stop in laminar.layers], names)
    axis.set_tick_params(length=0)
    if along == "y":
        axis.remove_overlapping_locs = False  # a layer's name may stand at the height of a unit's
        axis.set_ticks(*units, minor=True, fontsize=_ID_SIZE)
        axis.set_tick_params(which="minor", length=1.5, width=0.4, pad=1.5)
        axis.set_tick_params(which="major", pad=7.0 + _ID_LETTER * longest)
    elif max(map(len, names)) > _UPRIGHT:  # side by side they would overlap
        axis.set_tick_params(rotation=90)


def drop_names(ax: Axes) -> None:
    """Drop the names of rows, which the panel to the left has."""
    ax.set(yticklabels=[], ylabel="")
    ax.set_yticklabels(["" for _ in ax.get_yticks(minor=True)], minor=True)


def short_ids(names: Sequence[str]) -> list[str]:
    """Names of units in few letters, as axes have them.

    If some are too long, all lose the beginning that they share, but no part of a number; what is
    still too long keeps its ends.
    """
    if len(names) > 1 and max(map(len, names)) > _LONGEST_ID:
        alike = (len({*letters}) == 1 for letters in zip(*names, strict=False))
        shared = len(names[0][: sum(takewhile(bool, alike))].rstrip("0123456789"))
        names = [name[min(shared, len(name) - 1) :] for name in names]
    head = _LONGEST_ID // 3
    ends = [(name[:head], name[head + 1 - _LONGEST_ID :]) for name in names]
    return [
        literal("…".join(end) if len(name) > _LONGEST_ID else name)
        for name, end in zip(names, ends, strict=True)
    ]


def layer_name(label: str) -> str:
    """A layer's name as it is drawn: in two lines if it is long, and cut if it is longer."""
    lines = wrap(label, _LONGEST_LAYER, max_lines=2, placeholder="…")
    return "\n".join(literal(line) for line in lines)


def has_depths(units: Units) -> bool:
    """Whether the depth of at least one unit is known."""
    return units.depth_um is not None and not np.isnan(units.depth_um).all()


def shank_size(units: Units) -> tuple[float, float]:
    """Inches of a figure of the probe, with space for names of units that have no depths."""
    letters = 0 if has_depths(units) else max(map(len, short_ids(units.ids)))
    return 1.7 + 0.06 * letters, 2.6


def order_text(units: Units) -> str:
    """The order in which units are drawn, for captions: "from superficial to deep"."""
    rows = laminar(units)
    order = f"by {rows.label_name}" if rows.layers else "in the order of the file"
    if has_depths(units) and rows.label_name == "layer":
        order = "from superficial to deep"
    lines = f", with lines between {several_labels(rows.label_name)}"
    return order + lines * bool(rows.borders)


class BitLayout(NamedTuple):
    """The order in which bits are drawn: oldest bin first, each from superficial to deep."""

    units: Laminar
    window: int  # bins per word

    @property
    def order(self) -> NDArray[np.int64]:
        """Bit of each drawn row, shape (n_units * window,)."""
        n_units = self.units.order.size
        rows: NDArray[np.int64] = np.arange(self.window)[:, None] * n_units + self.units.order
        return rows.ravel()


def table_of(source: HasUnits) -> Units:
    """The table of units that was given, or that of the words or of the recording given."""
    if isinstance(source, Words | Recording):
        return source.units
    return expect("units", source, Units, "a table of units, or words or a recording that have one")


def bit_layout(model: WordModel, units: HasUnits | None) -> BitLayout:
    """How the bits of a model are drawn, with its own units by default.

    A model that does not know its units is drawn in the order of its bits, without layers; if it
    does not know its window, that follows from the number of units.
    """
    check_is_fitted(model)
    n_bits = model.n_features_in_
    units = units_of(model.words_info_, None if units is None else table_of(units))
    implied = 1 if units is None else max(1, n_bits // len(units))
    window = getattr(model, "window_", implied)
    table = Units.numbered(n_bits // window) if units is None else units
    if len(table) * window != n_bits:
        bits = f"{n_bits} bits in windows of {window} bins"
        problem = f"has {len(table)} entries and the model {bits}"
        raise BadArgument("units", problem, "pass the units of the words that it was fitted on")
    return BitLayout(laminar(table), window)


def mark_window(ax: Axes, layout: BitLayout, *, along: Literal["y", "x"] = "y") -> None:
    """Draw lines between bins and layers; name the layers of single bins and the bins of windows.

    Bins are numbered back from the newest one, which is 0. With many layers and bins, only the
    lines between bins are drawn.
    """
    if layout.window == 1:
        mark_layers(ax, layout.units, along=along)
        return
    draw, axis = (ax.axhline, ax.yaxis) if along == "y" else (ax.axvline, ax.xaxis)
    n_units = layout.units.order.size
    many = layout.window * len(layout.units.layers) > 12
    for lag in range(layout.window):
        if lag:
            draw(lag * n_units - 0.5, color="black", linewidth=0.4 if many else 0.8)
        for border in () if many else layout.units.borders:
            draw(lag * n_units + border - 0.5, color="black", linewidth=0.25)
    middles = [(n + 0.5) * n_units - 0.5 for n in range(layout.window)]
    axis.set_ticks(middles, [signed(f"{lag}") for lag in range(1 - layout.window, 1)])
    axis.set_tick_params(length=0)
    axis.set_label_text("lag (bins)")
