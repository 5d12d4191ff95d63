"""Units from superficial to deep, with layers and, of windows, bins drawn and named."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from textwrap import wrap
from typing import Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..errors import BadArgument
from ..models import WordModel
from ..origin import units_of
from ..recording import Recording
from ..units import Units, downwards, layers_from_the_top
from ..validation import expect
from ..words import Words
from .style import literal, signed, size_points

#: Whatever has a table of units.
HasUnits = Units | Words | Recording

#: Longest name of a unit on an axis, and in the small type beside layers.
_LONGEST_ID, _LONGEST_BESIDE = 12, 8
#: Longest line of a layer's name: "infragranular".
_LONGEST_LAYER = 13
#: Size of names of units beside layers, and the mean width of a letter of it, points.
_ID_SIZE, _ID_LETTER = 5.5, 3.4
#: Height for a name of a unit, or for two in small type, points; axes with space for fewer names
#: than this are low.
_LINE, _FEW = 10.0, 6
#: Longest name that stands beside others.
_UPRIGHT = 8


class Laminar(NamedTuple):
    """The order in which units are drawn, from superficial to deep."""

    order: NDArray[np.int64]  # position in the table of units of each drawn row
    layers: tuple[tuple[str, int, int], ...]  # name, first row, row after the last, from the top
    ids: tuple[str, ...]  # name of the unit of each drawn row

    @property
    def borders(self) -> tuple[int, ...]:
        """First rows of all layers below the top one."""
        return tuple(start for _, start, _ in self.layers[1:])


def laminar(units: Units) -> Laminar:
    """Order units by layer, then by depth; units with neither stay in their order.

    Labels that are all empty are no layers.
    """
    labels = units.layer or ("",) * len(units)
    names = layers_from_the_top(units) if any(labels) else [""]
    depths = np.zeros(len(units))
    if units.depth_um is not None:
        depths = downwards(str(units.depth_reference)) * units.depth_um  # NaN is sorted last
    order = np.lexsort((depths, np.array([names.index(label) for label in labels])))
    ends = np.cumsum([labels.count(name) for name in names]).tolist()
    layers = zip(names, [0, *ends], ends, strict=False) if any(labels) else ()
    return Laminar(order, tuple(layers), tuple(units.ids[n] for n in order))


def mark_layers(
    ax: Axes, found: Laminar, *, along: Literal["y", "x"] = "y", most: int = 12
) -> None:
    """Draw lines between layers and name them, and name units: all, or some if they are many.

    The unit of row ``n`` is drawn at ``n``. Beside names of layers, and if their names are long,
    units are named along y only.
    Of many units about ``most`` are named: fewer on low axes and where long names stand side by
    side, up to twice as many in the small type beside layers and on low axes.
    """
    draw, axis = (ax.axhline, ax.yaxis) if along == "y" else (ax.axvline, ax.xaxis)
    if along == "y":
        most = max(1, min(most, int(size_points(ax)[1] / _LINE)))
    for border in found.borders:
        draw(border - 0.5, color="black", linewidth=0.8)
    if not found.layers:
        _name_rows(axis, found, most, along)
        return
    names = [layer_name(label) or "?" for label, _, _ in found.layers]
    axis.set_ticks([(start + stop - 1) / 2 for _, start, stop in found.layers], names)
    axis.set_tick_params(length=0)
    if along == "y":
        _name_units_beside(ax, found, 2 * most)
    elif max(map(len, names)) > _UPRIGHT:  # side by side they would overlap
        axis.set_tick_params(rotation=90)


def _name_rows(axis: Axis, found: Laminar, most: int, along: str) -> None:
    """Names of units that have no layers; upright along x, long ones would take a third of it."""
    n_units = found.order.size
    low = along == "y" and most < _FEW < n_units
    short = short_ids(found.ids, _LONGEST_BESIDE if low else _LONGEST_ID)
    longest = max(map(len, short))
    most = 2 * most if low else most // 2 if along == "x" and longest > 3 else most
    ticks = MaxNLocator(most, integer=True, steps=[1, 2, 5, 10]).tick_values(0, n_units - 1)
    rows = [int(row) for row in ticks if 0 <= row < n_units]
    names = [short[row] for row in rows]
    if along == "x" and max(map(len, names)) > _UPRIGHT:
        names = [""] * len(rows)
    axis.set_ticks(rows, names, fontsize=_ID_SIZE if low else None)
    axis.set_label_text("unit")


def _name_units_beside(ax: Axes, found: Laminar, most: int) -> None:
    """Small names of units between the axis and the names of layers."""
    n_units = found.order.size
    every = next(step for step in (1, 2, 5, 10, 20, 50, n_units) if n_units <= step * most)
    short = short_ids(found.ids, _LONGEST_BESIDE)
    names = short[::every]
    ax.yaxis.remove_overlapping_locs = False  # a layer's name may stand at the height of a unit's
    ax.set_yticks(range(0, n_units, every), names, minor=True, fontsize=_ID_SIZE)
    ax.tick_params(axis="y", which="minor", length=1.5, width=0.4, pad=1.5)
    ax.tick_params(axis="y", which="major", pad=7.0 + _ID_LETTER * max(map(len, names)))


def short_ids(names: Sequence[str], longest: int = _LONGEST_ID) -> list[str]:
    """Names of units as axes have them, so that units can be distinguished in few letters.

    If some are too long, all lose the beginning and the end that they share; what is left and
    still too long keeps its ends.
    """
    if max(map(len, names)) <= longest:
        return [literal(name) for name in names]
    before = _shared(names)
    after = _shared([name[before:][::-1] for name in names])
    cores = [name[before : len(name) - after] for name in names]
    marks = ("…" * (before > 0), "…" * (after > 0))
    if max(map(len, cores)) + sum(map(len, marks)) > longest:
        marks = ("", "")
    head = longest // 3
    return [
        literal(f"{core[:head]}…{core[head + 1 - longest :]}")
        if len(core) > longest
        else literal(f"{marks[0]}{core}{marks[1]}")
        for core in cores
    ]


def _shared(names: Sequence[str]) -> int:
    """Letters that all names begin with, but none of a number or a word of which only a part is."""
    first, last = min(names), max(names)  # what these two share, all do
    alike = (a == b for a, b in zip(first, last, strict=False))
    n = sum(takewhile(bool, alike)) if len(names) > 1 else 0
    while n and any(
        len(name) == n
        or (name[n - 1].isdigit() and name[n].isdigit())
        or (name[n - 1].isalpha() and name[n].isalpha())
        for name in names
    ):
        n -= 1
    return n


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
    found = laminar(units)
    order = "by layer" if found.layers else "in the order of the file"
    if has_depths(units):
        order = "from superficial to deep"
    return f"{order}, with lines between layers" if found.borders else order


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


def table_of(given: HasUnits) -> Units:
    """The table of units that was given, or that of the words or of the recording given."""
    if isinstance(given, Words | Recording):
        return given.units
    return expect("units", given, Units, "a table of units, or words or a recording that have one")


def bit_layout(model: WordModel, units: HasUnits | None) -> BitLayout:
    """How the bits of a model are drawn, with its own units by default.

    A model that does not know its units is drawn in the order of its bits, without layers; if it
    does not know its window, that follows from the number of units.
    """
    check_is_fitted(model)
    n_bits = model.n_features_in_
    units = units_of(model.origin_, None if units is None else table_of(units))
    implied = 1 if units is None else max(1, n_bits // len(units))
    window = getattr(model, "window_", implied)
    table = Units.numbered(n_bits // window) if units is None else units
    if len(table) * window != n_bits:
        raise BadArgument(
            "units",
            f"has {len(table)} entries and the model {n_bits} bits in windows of {window} bins",
            "pass the units of the words that it was fitted on",
        )
    return BitLayout(laminar(table), window)


def mark_window(ax: Axes, found: BitLayout, *, along: Literal["y", "x"] = "y") -> None:
    """Draw lines between bins and layers; name the layers of single bins and the bins of windows.

    Bins are numbered back from the newest one, which is 0. With many layers and bins, only the
    lines between bins are drawn.
    """
    if found.window == 1:
        mark_layers(ax, found.units, along=along)
        return
    draw, axis = (ax.axhline, ax.yaxis) if along == "y" else (ax.axvline, ax.xaxis)
    n_units = found.units.order.size
    many = found.window * len(found.units.layers) > 12
    for lag in range(found.window):
        if lag:
            draw(lag * n_units - 0.5, color="black", linewidth=0.4 if many else 0.8)
        for border in () if many else found.units.borders:
            draw(lag * n_units + border - 0.5, color="black", linewidth=0.25)
    lags = range(1 - found.window, 1)
    axis.set_ticks(
        [(lag + found.window - 0.5) * n_units - 0.5 for lag in lags],
        [signed(f"{lag}") for lag in lags],
    )
    axis.set_tick_params(length=0)
    axis.set_label_text("lag (bins)")
