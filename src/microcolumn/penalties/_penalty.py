"""What the solver asks of a penalty, and sums of penalties."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from ..errors import BadArgument
from ..layout import Layout
from ..validation import Floats


class Penalty(ABC):
    """A convex function of the parameters with kinks where groups of coordinates are zero.

    A further penalty is a subclass with the methods below. Penalties can be added; the
    groups of one must then lie within groups of the other, as single entries lie in columns of W.

    In a sum penalties of smaller groups, hence of a lower ``level``, come first; before them those
    without kinks, which need neither a level nor ``zero``.
    """

    level: ClassVar[int] = -1

    def __init__(self, strength: float) -> None:
        if not 0.0 <= strength < np.inf:
            raise BadArgument("strength", f"is {strength!r}", "it must be finite, 0 or more")
        self.strength = float(strength)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.strength:g})"

    @abstractmethod
    def value(self, x: Floats, layout: Layout) -> float:
        """The penalty at ``x``."""

    @abstractmethod
    def add_subgradient(self, x: Floats, layout: Layout, subgradient: Floats) -> None:
        """Turn the gradient of the rest of the problem into the penalised problem's subgradient.

        Where the penalty is smooth its derivative is added. In a group that is zero the subgradient
        is shrunk towards zero by as much as the kink holds. Starting from the gradient of a smooth
        objective, this gives the subgradient of least norm, which is zero only at a minimum.
        """

    def zero(self, x: Floats, origin: Floats, layout: Layout, subgradient: Floats) -> None:  # noqa: B027
        """Set groups of ``x`` to zero that a step from ``origin`` has carried across zero.

        A group that is zero at ``origin`` may move only against its slope there. A penalty without
        kinks sets nothing to zero.
        """

    def __add__(self, other: Penalty) -> Penalty:
        return Sum(self, other)


class Sum(Penalty):
    """Several penalties added up, those of smaller groups first."""

    def __init__(self, *members: Penalty) -> None:
        flat = [m for member in members for m in getattr(member, "members", (member,))]
        self.members = tuple(sorted(flat, key=lambda member: member.level))
        self.strength = max(member.strength for member in flat)

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.members))

    def value(self, x: Floats, layout: Layout) -> float:
        return sum(member.value(x, layout) for member in self.members)

    def add_subgradient(self, x: Floats, layout: Layout, subgradient: Floats) -> None:
        """The subgradient, shrunk by nested groups one after the other."""
        for member in self.members:
            member.add_subgradient(x, layout, subgradient)

    def zero(self, x: Floats, origin: Floats, layout: Layout, subgradient: Floats) -> None:
        """Set to zero what any of the penalties sets to zero."""
        for member in self.members:
            member.zero(x, origin, layout, subgradient)
