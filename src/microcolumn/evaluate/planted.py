"""Planted groups and hidden units: what a model finds of the groups in a simulation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ..validation import expect, texts
from .assembly import Assemblies
from .recurrence import paired


@dataclass(frozen=True, slots=True)
class PlantedGroup:
    """A group that a simulation was built with, and the hidden unit that stands for it.

    Parameters
    ----------
    name : str
        Of the group.
    units, found : tuple of str
        Units of the group, and those of the hidden unit.
    hidden : str
        The hidden unit, ``"h3"``; empty where none is left that shares a unit with the group.
    """

    name: str
    units: tuple[str, ...]
    hidden: str = ""
    found: tuple[str, ...] = ()

    @property
    def right(self) -> tuple[str, ...]:
        """Units that both have."""
        return tuple(unit for unit in self.units if unit in self.found)

    @property
    def missed(self) -> tuple[str, ...]:
        """Units of the group that the hidden unit lacks."""
        return tuple(unit for unit in self.units if unit not in self.found)

    @property
    def wrong(self) -> tuple[str, ...]:
        """Units of the hidden unit that the group lacks."""
        return tuple(unit for unit in self.found if unit not in self.units)


def match_groups(
    planted: Mapping[str, Iterable[str]], found: Assemblies
) -> tuple[PlantedGroup, ...]:
    """Pair the groups that a simulation was built with and the hidden units of a model.

    The pairing is one to one. Of all such it is that with the largest sum of the shares of units
    that both have, of those that either has.

    Parameters
    ----------
    planted : mapping of str to iterable of str
        Ids of the units of each group, such as ``recording.groups`` of a simulated recording.
    found : Assemblies
        What :func:`assemblies` returns.

    Examples
    --------
    >>> recording = mc.simulate.microcolumn(n_units=6, minutes=1)
    >>> words = recording.bin()
    >>> found = mc.evaluate.assemblies(mc.RBM(3, random_state=0).fit(words), words)
    >>> [(each.name, each.hidden, each.missed) for each in match_groups(recording.groups, found)]
    [('II/III', 'h2', ()), ('IV', 'h1', ()), ('V/VI', 'h0', ())]
    """
    remedy = "ids of units by group, such as recording.groups"
    groups = [
        PlantedGroup(str(name), texts(f"planted[{name!r}]", units, f"pass {remedy}"))
        for name, units in expect("planted", planted, Mapping, remedy).items()
    ]
    rows = list(expect("found", found, Assemblies, "what mc.evaluate.assemblies returns"))
    alike = np.array([[_alike(group.units, row.units) for row in rows] for group in groups])
    for n, k in zip(*paired(alike.reshape(len(groups), len(rows))), strict=True):
        groups[n] = PlantedGroup(groups[n].name, groups[n].units, rows[k].name, rows[k].units)
    return tuple(groups)


def _alike(units: Iterable[str], others: Iterable[str]) -> float:
    return len({*units} & {*others}) / max(1, len({*units, *others}))
