"""The table of recorded units: who they are and where on the probe they sit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .binary import listed, real_array, whole_number


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Units:
    """Names, depths and layers of the recorded units, in the order of the words' bits.

    Parameters
    ----------
    ids : iterable of str
        One distinct name per unit.
    depth_um : array_like, shape (n_units,), optional
        Depth of each unit in µm, larger is deeper.
    layer : iterable of str, optional
        Layer label of each unit, for example ``"II/III"``, ``"IV"``, ``"V/VI"``.

    Examples
    --------
    >>> units = Units(["a", "b"], depth_um=[300.0, 900.0], layer=["II/III", "IV"])
    >>> len(units), units.take([1]).layer
    (2, ('IV',))
    """

    ids: tuple[str, ...]
    depth_um: NDArray[np.float64] | None
    layer: tuple[str, ...] | None

    def __init__(
        self,
        ids: Iterable[str],
        depth_um: ArrayLike | None = None,
        layer: Iterable[str] | None = None,
    ) -> None:
        names = tuple(str(name) for name in listed("ids", ids, "pass one name per unit"))
        _check_distinct(names)
        depths = None if depth_um is None else _depths(depth_um, len(names))
        labels = None
        if layer is not None:
            labels = tuple(str(name) for name in listed("layer", layer, "pass one label per unit"))
        if labels is not None and len(labels) != len(names):
            raise ValueError(
                f"layer has {len(labels)} labels for {len(names)} units; it needs one per unit"
            )
        object.__setattr__(self, "ids", names)
        object.__setattr__(self, "depth_um", depths)
        object.__setattr__(self, "layer", labels)

    @classmethod
    def numbered(cls, n_units: int) -> Units:
        """Units known by nothing but their position: ``"0"``, ``"1"``, and so on."""
        return cls(str(n) for n in range(whole_number("n_units", n_units)))

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, positions: Iterable[int]) -> Units:
        """Table of the units at ``positions``, in that order."""
        chosen = [
            whole_number(f"positions[{place}]", position)
            for place, position in enumerate(
                listed("positions", positions, "pass a list of positions of units")
            )
        ]
        for place, position in enumerate(chosen):
            if not -len(self) <= position < len(self):
                raise IndexError(
                    f"positions[{place}] is {position}; "
                    f"positions of {len(self)} units run from 0 to {len(self) - 1}"
                )
        return Units(
            [self.ids[n] for n in chosen],
            None if self.depth_um is None else self.depth_um[chosen],
            None if self.layer is None else [self.layer[n] for n in chosen],
        )


def _check_distinct(names: tuple[str, ...]) -> None:
    if not names:
        raise ValueError("ids is empty; a table needs at least one unit")
    if len(set(names)) == len(names):
        return
    first_place: dict[str, int] = {}
    for place, name in enumerate(names):
        if name in first_place:
            raise ValueError(
                f"ids[{first_place[name]}] and ids[{place}] are both {name!r}; "
                "give each unit its own name"
            )
        first_place[name] = place


def _depths(depth_um: ArrayLike, n_units: int) -> NDArray[np.float64]:
    depths = real_array("depth_um", depth_um, "pass one depth in µm per unit")
    if depths.shape != (n_units,):
        raise ValueError(
            f"depth_um has shape {depths.shape} for {n_units} units; it needs one depth per unit"
        )
    if not np.isfinite(depths).all():
        place = int(np.flatnonzero(~np.isfinite(depths))[0])
        raise ValueError(
            f"depth_um[{place}] is {depths[place]}; depths must be finite, "
            "leave depth_um out where they are unknown"
        )
    depths.flags.writeable = False
    return depths
