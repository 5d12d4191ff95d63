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
    units : tuple of str
        Its units.
    hidden : str
        The hidden unit, ``"h3"``; empty where none is left that shares a unit with it.
    found : tuple of str
        Units of the hidden unit.
    """

    name: str
    units: tuple[str, ...]
    hidden: str
    found: tuple[str, ...]

    @property
    def right(self) -> tuple[str, ...]:
        """Units of the group that the hidden unit has."""
        return tuple(unit for unit in self.units if unit in self.found)

    @property
    def missed(self) -> tuple[str, ...]:
        """Units of the group that the hidden unit does not have."""
        return tuple(unit for unit in self.units if unit not in self.found)

    @property
    def wrong(self) -> tuple[str, ...]:
        """Units of the hidden unit that are not of the group."""
        return tuple(unit for unit in self.found if unit not in self.units)


def match_groups(
    planted: Mapping[str, Iterable[str]], found: Assemblies
) -> tuple[PlantedGroup, ...]:
    """Pair the groups that a simulation was built with and the hidden units of a model.

    A group is paired with one hidden unit, and a hidden unit with one group, so that the shares of
    units that they have in common, of the units that either has, add up to the most.

    Parameters
    ----------
    planted : mapping of str to iterable of str
        Ids of the units of each group, such as ``recording.groups`` of a simulated recording.
    found : Assemblies
        What :func:`assemblies` found: the units of a hidden unit are those that it names.

    Examples
    --------
    >>> recording = mc.simulate.microcolumn(n_units=8, minutes=5)
    >>> train, test = recording.bin().split(0.5, random_state=0)
    >>> found = assemblies(mc.RBM(4, l1=1e-3).fit(train), test)
    >>> [(each.name, len(each.right), each.wrong) for each in match_groups(recording.groups, found)]
    """
    remedy = "ids of units by group, such as recording.groups"
    groups = {
        str(name): texts(f"planted[{name!r}]", units, f"pass {remedy}")
        for name, units in expect("planted", planted, Mapping, remedy).items()
    }
    rows = list(expect("found", found, Assemblies, "what mc.evaluate.assemblies returns"))
    alike = np.array([[_alike(units, row.units) for row in rows] for units in groups.values()])
    places = (each.tolist() for each in paired(alike.reshape(len(groups), len(rows))))
    partner = dict(zip(*places, strict=True))
    matched = []
    for n, (name, units) in enumerate(groups.items()):
        row = rows[partner[n]] if n in partner else None
        matched.append(PlantedGroup(name, units, row.name if row else "", row.units if row else ()))
    return tuple(matched)


def _alike(units: Iterable[str], others: Iterable[str]) -> float:
    """Units that both have, as a share of those that either has."""
    either = {*units, *others}
    return len({*units} & {*others}) / max(1, len(either))
