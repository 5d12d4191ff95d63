"""Layer labels of units: from boundaries by depth, from a table, or from a column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import BadArgument, BadInput, advice, name_list
from .formatting import counted
from .safe_text import as_text
from .units import DEPTH_REFERENCES, Units, check_depth_reference, downwards
from .validation import is_finite_number


@dataclass(frozen=True, slots=True, eq=False)
class LayerBoundaries:
    """Layers along the probe from superficial to deep, separated by edges.

    Attributes
    ----------
    labels : tuple of str
        Layers, the most superficial first.
    edges_um : ndarray of float64, shape (n_layers - 1,)
        Where one ends and the next begins: increasing, except above the tip, where depths
        decrease from superficial to deep. A unit on an edge belongs to the deeper layer.
    depth_reference : {"surface", "tip", "layer IV"}
        What edges are measured from.

    Examples
    --------
    >>> LayerBoundaries.parse("II/III 650 IV 1000 V/VI").label([300.0, 650.0, 1200.0])
    ('II/III', 'IV', 'V/VI')
    >>> LayerBoundaries.parse("II/III 950 IV 600 V/VI", "tip").label([300.0, 1200.0])
    ('V/VI', 'II/III')
    """

    labels: tuple[str, ...]
    edges_um: NDArray[np.float64]
    depth_reference: str = "surface"

    def __post_init__(self) -> None:
        check_depth_reference(self.depth_reference, "the boundaries")
        edges = np.array(self.edges_um, dtype=np.float64)
        if edges.shape != (len(self.labels) - 1,) or not np.all(np.isfinite(edges)):
            n_edges = len(self.labels) - 1
            raise BadInput(f"{n_edges + 1} layers need {n_edges} finite edges between them")
        sign = downwards(self.depth_reference)
        if np.any(np.diff(sign * edges) <= 0):
            direction = "increase" if sign > 0 else "decrease"
            meaning = DEPTH_REFERENCES[self.depth_reference]
            problem = f"layer edges {edges.tolist()} must {direction} from superficial to deep"
            raise BadInput(problem, f"depths are {meaning}")
        edges.flags.writeable = False
        object.__setattr__(self, "edges_um", edges)

    @classmethod
    def parse(cls, text: str, depth_reference: str = "surface") -> LayerBoundaries:
        """Boundaries written as layers, superficial to deep, with the edges (µm) between them."""
        if not is_boundaries(text):
            problem = f"{text!r} is not a list of layers with edges between them"
            raise BadInput(problem, "write for example 'II/III 650 IV 1000 V/VI'")
        words = text.split()
        return cls(tuple(words[::2]), np.array(words[1::2], dtype=np.float64), depth_reference)

    def label(self, depth_um: ArrayLike) -> tuple[str, ...]:
        """Layer of each depth, ``""`` if the depth is NaN."""
        depths = np.asarray(depth_um, dtype=np.float64)
        sign = downwards(self.depth_reference)
        places = np.searchsorted(sign * self.edges_um, sign * depths, side="right")
        labels: list[str] = np.where(np.isnan(depths), "", np.array(self.labels)[places]).tolist()
        return tuple(labels)


def as_labels(entries: Iterable[Any]) -> list[str]:
    """Entries of a table as text; missing ones are empty."""
    texts = ["" if entry is None else as_text(entry).strip() for entry in entries]
    return ["" if text.lower() in ("nan", "none", "<na>") else text for text in texts]


def is_boundaries(text: str) -> bool:
    """Whether a text reads as layer, edge, layer, and so on."""
    words = text.split()
    return len(words) >= 3 and len(words) % 2 == 1 and all(map(is_finite_number, words[1::2]))


def layer_labels(
    layers: Any,
    units: Units,
    columns: Mapping[str, Sequence[Any]] | None = None,
    source: str = "layers",
) -> tuple[str, ...]:
    """Layer of each unit; errors call the layers ``source``.

    ``layers`` are boundaries by depth (also as text, ``"II/III 650 IV 1000 V/VI"``, superficial to
    deep), a mapping of unit to layer, or the name of one of ``columns`` with one entry per unit.
    """
    if isinstance(layers, LayerBoundaries) or (isinstance(layers, str) and is_boundaries(layers)):
        return _by_depth(layers, units)
    if isinstance(layers, Mapping):
        table = {str(unit): str(layer) for unit, layer in layers.items()}
        missing = [name for name in units.ids if name not in table]
        if missing:
            units_missing = f"{counted(len(missing), 'unit')}, such as {missing[0]!r}"
            remedy = "add a row for each, with an empty layer where it is unknown"
            raise BadInput(f"{source} names no layer for {units_missing}", remedy)
        return tuple(table[name] for name in units.ids)
    if isinstance(layers, str) and columns is not None and layers in columns:
        return tuple(as_labels(columns[layers]))
    known = name_list(map(repr, columns or ()))
    problem = f"is {layers!r}, which is neither a file nor one of the columns {known}"
    raise BadArgument("layers", problem, "or write boundaries: 'II/III 650 IV 1000 V/VI'")


def _by_depth(boundaries: LayerBoundaries | str, units: Units) -> tuple[str, ...]:
    if units.depth_um is None or units.depth_reference is None:
        raise BadArgument("layers", "are given by depth and units have none", "pass a CSV instead")
    if units.depth_reference == "unstated":
        problem = "are given by depth but it is not stated what depths are measured from"
        raise BadArgument("layers", problem, advice("pass {depth_reference} too"))
    if isinstance(boundaries, str):
        boundaries = LayerBoundaries.parse(boundaries, units.depth_reference)
    if boundaries.depth_reference != units.depth_reference:
        mine, theirs = boundaries.depth_reference, units.depth_reference
        remedy = "bring units to the same reference with measured_from()"
        raise BadArgument("layers", f"are measured from {mine!r} and units from {theirs!r}", remedy)
    return boundaries.label(units.depth_um)
