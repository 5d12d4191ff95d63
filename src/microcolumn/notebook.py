"""What notebooks show of an object: a line in bold, facts, and the units by layer or area."""

from collections.abc import Mapping, Sequence

import numpy as np

from .formatting import counted, html_list, html_table, html_text, number
from .units import TEXT_COLUMNS, Units, labels_from_the_top
from .validation import Floats


class AsText:
    """Base of results whose text says it all: prompts and notebooks show what ``print`` would."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<pre style="white-space:pre-wrap">{html_text(str(self))}</pre>'


def card(title: str, *parts: str) -> str:
    """A title in bold above parts that are HTML already."""
    return f"<div><b>{html_text(title)}</b>{''.join(parts)}</div>"


def facts(about: Mapping[str, str]) -> str:
    """A table of names and what is known of them; empty entries are left out."""
    rows = [(name, text) for name, text in about.items() if text]
    return html_table(("", ""), rows, left=("",)) if rows else ""


def units_tables(units: Units, name: str, values: Floats) -> str:
    """A number ``values`` (n_units,) of each unit, by layer or area, and the units folded away.

    ``name`` says what the number is, with its unit.
    """
    groups = html_list(units_by_group(units, name, values), "group", left=(*TEXT_COLUMNS, ""))
    details = f"<details><summary>{counted(len(units), 'unit')}</summary>"
    shown = units.columns | {name: [number(value) for value in values.tolist()]}
    return f"{groups}{details}{html_list(shown, 'unit', left=TEXT_COLUMNS)}</details>"


def units_by_group(units: Units, name: str, values: Floats) -> dict[str, Sequence[str]]:
    """Number of units, depths and median, smallest and largest value by group, as text.

    Groups are of units of one area and one layer, or one label that units are grouped by.
    """
    columns = {"area": units.area, units.label_name: units.label()}
    known = {name: column for name, column in columns.items() if column}
    groups, labels = list(known), list(zip(*known.values(), strict=True)) or [("all",)] * len(units)
    depth = [] if units.depth_um is None else [f"depth, µm (from {units.depth_reference})"]
    header = [*(groups or [""]), "units", *depth, f"{name}: median (range)"]
    rows = []
    for label in _ordered(units, labels):
        members = np.array([each == label for each in labels])
        middle, low, high = np.quantile(values[members], [0.5, 0.0, 1.0])
        spread = f"{number(middle)} ({number(low)} to {number(high)})"
        depths = [units.depth_range(members)] * len(depth)
        rows.append([*(each or "-" for each in label), f"{members.sum()}", *depths, spread])
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def _ordered(units: Units, labels: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Groups by area, and in an area by label from the top."""
    distinct = list(dict.fromkeys(labels))
    if not units.label():
        return distinct
    areas = list(dict.fromkeys(label[:-1] for label in labels))
    order = labels_from_the_top(units)
    return sorted(distinct, key=lambda each: (areas.index(each[:-1]), order.index(each[-1])))
