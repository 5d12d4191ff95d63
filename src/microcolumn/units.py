"""The table of recorded units: their names, depths, layers, areas, probes and quality."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import BadArgument, BadInput, advice, name_list
from .formatting import counted, html_list, number
from .tables import AsTable
from .validation import (
    check_entries,
    check_positions,
    check_unmasked,
    expect,
    one_of,
    real_number,
    real_vector,
    texts,
    whole_number,
)

#: What depths may be measured from, and what a larger number then means.
DEPTH_REFERENCES = {
    "surface": "µm below the cortical surface, larger is deeper",
    "tip": "µm above the tip of the probe, larger is more superficial",
    "layer IV": "µm below the centre of layer IV, negative above it",
    "unstated": "as in the file, zero and sign unknown",
}
#: Columns of text of a table of units.
TEXT_COLUMNS = ("unit", "probe", "area", "layer", "quality", "global_id")


def downwards(depth_reference: str) -> float:
    """1 if larger depths are deeper; -1 for heights above the tip, which are more superficial."""
    return -1.0 if depth_reference == "tip" else 1.0


def check_depth_reference(reference: str, source: str) -> None:
    """Refuse depths without a stated zero and direction."""
    if reference == "unstated" or reference not in DEPTH_REFERENCES:
        choices = '"surface" (larger is deeper), "tip" (larger is more superficial) or "layer IV"'
        remedy = f"state what depths are measured from: {choices}"
        raise BadInput(f"depth_reference of {source} is {reference!r}", remedy)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Units(AsTable):
    """Names, depths, layers, areas and quality of the units, in the order of the words' bits.

    Parameters
    ----------
    ids : iterable of str
        One distinct name per unit.
    depth_um : array_like, shape (n_units,), optional
        Depth of each unit in µm; NaN if unknown.
    layer : iterable of str, optional
        Layer of each unit, for example ``"II/III"``, ``"IV"``, ``"V/VI"``; ``""`` if unknown.
    depth_reference : {"surface", "tip", "layer IV", "unstated"}, optional
        What depths are measured from: µm below the cortical surface (the default), µm above the
        probe's tip, µm below the centre of layer IV, or as in the file without a stated meaning.
    quality : iterable of str, optional
        Verdict of the spike sorting, for example ``"good"``; ``""`` if there is none.
    multiunit : array_like of bool, shape (n_units,), optional
        True for units that are several neurons together; by default those of quality ``"mua"``.
    area : iterable of str, optional
        Brain area of each unit, for example ``"VISp"``; ``""`` if unknown.
    probe : iterable of str, optional
        Probe that recorded each unit, for example ``"probeA"``; ``""`` if unknown.
    labels : mapping of str to iterable of str, optional
        Further labels of the units by name, for example ``{"cell_type": ["basket", ""]}``; ``""``
        if unknown.
    group_by : str or iterable of str
        Names of the labels by which units are drawn and tested: ``"layer"``, ``"area"``,
        ``"probe"``, ``"quality"`` or further labels. Plots have the order of the first.
    global_id : iterable of str, optional
        Name that each unit's cell has in all recordings it was followed over; ``""`` if unknown.

    Examples
    --------
    >>> units = Units(["a", "b"], depth_um=[300.0, 900.0], layer=["II/III", "IV"])
    >>> len(units), units.take([1]).layer, units.depth_reference
    (2, ('IV',), 'surface')
    """

    _columns = (
        *(("id", "ids"), "layer", "depth_um", "quality", "multiunit", "area", "probe"),
        "global_id",
    )

    ids: tuple[str, ...]
    depth_um: NDArray[np.float64] | None
    layer: tuple[str, ...] | None
    depth_reference: str | None
    quality: tuple[str, ...] | None
    multiunit: NDArray[np.bool_]
    area: tuple[str, ...] | None
    probe: tuple[str, ...] | None
    labels: dict[str, tuple[str, ...]]
    group_by: tuple[str, ...]
    global_id: tuple[str, ...] | None

    def __init__(
        self,
        ids: Iterable[str],
        depth_um: ArrayLike | None = None,
        layer: Iterable[str] | None = None,
        *,
        depth_reference: str | None = None,
        quality: Iterable[str] | None = None,
        multiunit: ArrayLike | None = None,
        area: Iterable[str] | None = None,
        probe: Iterable[str] | None = None,
        labels: Mapping[str, Iterable[str]] | None = None,
        group_by: str | Iterable[str] = "layer",
        global_id: Iterable[str] | None = None,
    ) -> None:
        names = texts("ids", ids, "pass one name per unit")
        _check_distinct(names)
        n_units = len(names)
        given = {"layer": layer, "quality": quality, "area": area, "probe": probe}
        given["global_id"] = global_id
        columns: dict[str, Any] = {
            name: None if labels is None else _labels(name, labels, n_units)
            for name, labels in given.items()
        }
        columns |= {"ids": names, "depth_um": None, "depth_reference": None}
        columns["multiunit"] = _multiunit(multiunit, columns["quality"], n_units)
        if depth_um is not None:
            reference = "surface" if depth_reference is None else depth_reference
            depths = real_vector("depth_um", depth_um, n_units, "unit")
            remedy = "depths must be finite, or nan where unknown"
            check_entries("depth_um", depths, ~np.isinf(depths), remedy)
            depths.flags.writeable = False
            columns["depth_um"] = depths
            columns["depth_reference"] = one_of("depth_reference", reference, DEPTH_REFERENCES)
        columns["labels"] = _further_labels(labels or {}, n_units)
        columns["group_by"] = _names_of_labels(group_by)
        for name, value in columns.items():
            object.__setattr__(self, name, value)
        for name in self.group_by:
            self.label(name)

    @classmethod
    def numbered(cls, n_units: int) -> Units:
        """Units named by their position: ``"0"``, ``"1"``, and so on."""
        return cls(map(str, range(whole_number("n_units", n_units))))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def columns(self) -> dict[str, Sequence[str]]:
        """What is known of the units, as text by the name of the column."""
        columns: dict[str, Sequence[str]] = {"unit": self.ids}
        for name in TEXT_COLUMNS[1:]:
            if getattr(self, name):
                columns[name] = getattr(self, name)
        columns |= self.labels
        if self.depth_um is not None:
            columns["depth, µm"] = [number(depth, 0) for depth in self.depth_um.tolist()]
        return columns

    def to_rows(self) -> list[dict[str, Any]]:
        """One dictionary per unit, by the name of the column, with further labels."""
        further = [{k: v[n] for k, v in self.labels.items()} for n in range(len(self))]
        return [row | more for row, more in zip(AsTable.to_rows(self), further, strict=True)]

    def label(self, name: str | None = None) -> tuple[str, ...] | None:
        """One label of each unit by its name, by default the first that units are grouped by.

        None where there are no layers.
        """
        chosen = self.group_by[0] if name is None else name
        own = {each: getattr(self, each) for each in TEXT_COLUMNS[1:]}
        known = {k: v for k, v in (own | self.labels).items() if v is not None}
        if chosen not in known and chosen != "layer":
            problem = f"is {chosen!r}, which is no label of these units"
            remedy = f"choose from {name_list(known)}" if known else "pass labels={...} to Units"
            raise BadArgument("group_by", problem, remedy)
        return known.get(chosen)

    @property
    def label_name(self) -> str:
        """What texts and plots call the label that units are grouped by: ``"cell type"``."""
        return plain_label(self.group_by[0])

    def grouped_by(self, *names: str) -> Units:
        """The same units, drawn and tested by these labels.

        Examples
        --------
        >>> units = Units("abc", labels={"cell_type": ["basket", "basket", "pyramidal"]})
        >>> units.grouped_by("cell_type").label()
        ('basket', 'basket', 'pyramidal')
        """
        return replace(self, group_by=names)

    def _repr_html_(self) -> str:
        listed_units = html_list(self.columns, "unit", left=TEXT_COLUMNS)
        return f"<div><b>{counted(len(self), 'unit')}</b>{listed_units}</div>"

    def take(self, positions: Iterable[int]) -> Units:
        """Table of the units at ``positions``, in that order."""
        chosen = check_positions("positions", positions, len(self))
        columns = {name: getattr(self, name) for name in ("ids", *TEXT_COLUMNS[1:])}
        kept: dict[str, Any] = {k: [v[n] for n in chosen] for k, v in columns.items() if v}
        kept["labels"] = {k: [v[n] for n in chosen] for k, v in self.labels.items()}
        if self.depth_um is not None:
            kept["depth_um"] = self.depth_um[chosen]
        return replace(self, multiunit=self.multiunit[chosen], **kept)

    def depth_range(self, members: NDArray[Any]) -> str:
        """Smallest and largest known depth of some units, ``"120 to 800"``; a dash without any."""
        known = np.array([]) if self.depth_um is None else self.depth_um[members]
        known = known[~np.isnan(known)]
        return f"{known.min():z.0f} to {known.max():z.0f}" if known.size else "-"

    def matched(self, other: Units) -> dict[str, str]:
        """Ids of the units of ``other`` that are the same cells, by ids of these.

        Cells go by their ``global_id``. Those that several units of a table stand for are left out.

        Examples
        --------
        >>> monday = Units(["a", "b"], global_id=["41", "42"])
        >>> monday.matched(Units(["x", "y", "z"], global_id=["42", "", "43"]))
        {'b': 'x'}
        """
        if self.global_id is None or other.global_id is None:
            problem = "the units have no global_id, the name of a cell over recordings"
            raise BadInput(problem, advice("read them with {match_by}, the column of these"))
        mine, theirs = Counter(self.global_id), Counter(other.global_id)
        again = dict(zip(other.global_id, other.ids, strict=True))
        pairs = zip(self.ids, self.global_id, strict=True)
        return {unit: again[c] for unit, c in pairs if c and mine[c] == theirs[c] == 1}

    def with_layers(self, layer: Iterable[str]) -> Units:
        """The same units with one layer label each."""
        return replace(self, layer=_labels("layer", layer, len(self)))

    def measured_from(self, depth_reference: str, zero_um: float) -> Units:
        """The same units with depths from another reference.

        Parameters
        ----------
        depth_reference : {"surface", "tip", "layer IV"}
            The new reference.
        zero_um : float
            Where the new reference lies on the present scale: for depths above the tip, for
            example, the height of the cortical surface above it.

        Examples
        --------
        >>> above_tip = Units(["a", "b"], [200.0, 1500.0], depth_reference="tip")
        >>> above_tip.measured_from("surface", 1600.0).depth_um
        array([1400.,  100.])
        """
        if self.depth_um is None or self.depth_reference == "unstated":
            problem = "these units have no depths with a stated reference"
            raise BadInput(problem, "state depth_reference where the recording is read")
        check_depth_reference(depth_reference, "the new depths")
        zero = real_number("zero_um", zero_um, "give the new zero in µm")
        moved = (self.depth_um - zero) * downwards(depth_reference)
        depths = moved * downwards(str(self.depth_reference))
        return replace(self, depth_um=depths, depth_reference=depth_reference)


def plain_label(name: str) -> str:
    """The name of a label in a sentence: ``"cell type"`` for ``"cell_type"``."""
    return name.replace("_", " ")


def several_labels(name: str) -> str:
    """Labels of that name in a sentence: ``"layers"``, or ``"cell type labels"``."""
    return "layers" if name == "layer" else f"{plain_label(name)} labels"


def labels_from_the_top(units: Units) -> list[str]:
    """Distinct labels by the mean depth of their units, superficial first, unknown (``""``) last.

    They are those that units are grouped by. Labels whose units have no known depth stay in the
    order in which they appear.
    """
    labels = np.array(units.label() or ())
    if units.depth_um is None:
        depths = np.full(labels.size, np.nan)
    else:
        depths = downwards(str(units.depth_reference)) * units.depth_um

    def place(label: str) -> tuple[bool, float]:
        known = depths[(labels == label) & ~np.isnan(depths)]
        return label == "", float(known.mean()) if known.size else np.inf

    return sorted(dict.fromkeys(labels.tolist()), key=place)


def several_probes(probe: Sequence[str] | None) -> str:
    """A caution if units come from several probes, which are no one population; else empty."""
    counts = Counter(label for label in probe or () if label)
    if len(counts) < 2:
        return ""
    largest, n_units = counts.most_common(1)[0]
    example = f"{largest!r} ({n_units} of {counts.total()} units)"
    problem = f"units come from {len(counts)} probes, while a population is recorded by one"
    return f"{problem}; choose one with --probe or Recording.select, for example {example}"


def _check_distinct(names: tuple[str, ...]) -> None:
    if not names:
        raise BadArgument("ids", "is empty", "a table needs at least one unit")
    if len(set(names)) < len(names):
        place = next(k for k, name in enumerate(names) if name in names[:k])
        first, problem = names.index(names[place]), f"and ids[{place}] are both {names[place]!r}"
        raise BadArgument(f"ids[{first}]", problem, "give each unit its own name")


def _labels(name: str, values: Iterable[str], n_units: int) -> tuple[str, ...]:
    labels = texts(name, values, "pass one label per unit")
    if len(labels) != n_units:
        raise BadArgument(name, f"has {len(labels)} labels for {n_units} units", "pass one each")
    return labels


def _further_labels(labels: Any, n_units: int) -> dict[str, tuple[str, ...]]:
    remedy = "pass a mapping of names to one label per unit"
    own = {"id", "depth_um", "depth_reference", "multiunit", *TEXT_COLUMNS}
    for name in expect("labels", labels, Mapping, remedy):
        if not isinstance(name, str) or name in own:
            raise BadArgument("labels", f"has the name {name!r}", "choose a name of its own")
    return {name: _labels(f"labels[{name!r}]", each, n_units) for name, each in labels.items()}


def _names_of_labels(group_by: str | Iterable[str]) -> tuple[str, ...]:
    remedy = "name labels of the units, such as 'layer' or 'cell_type'"
    names = texts("group_by", [group_by] if isinstance(group_by, str) else group_by, remedy)
    if not names:
        raise BadArgument("group_by", "is empty", remedy)
    return tuple(dict.fromkeys(names))


def _multiunit(
    multiunit: ArrayLike | None, quality: tuple[str, ...] | None, n_units: int
) -> NDArray[np.bool_]:
    if multiunit is None:
        labels = quality or [""] * n_units
        flags = np.array([label.lower() == "mua" for label in labels])
    else:
        check_unmasked("multiunit", multiunit)
        flags = np.array(multiunit)
        if flags.shape != (n_units,) or flags.dtype != bool:
            problem = f"has shape {flags.shape} and dtype {flags.dtype} for {n_units} units"
            raise BadArgument("multiunit", problem, "it needs True or False for each")
    flags.flags.writeable = False
    return flags
