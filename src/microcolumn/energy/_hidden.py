"""Hidden units, summed out: the sum over i of log gate(c_i + W_i'x)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..validation import Floats
from ._hidden_unit import HiddenUnit
from ._term import Term


@dataclass(frozen=True, slots=True, eq=False)
class Hidden(Term):
    """Weights ``W`` (n_visible, n_hidden) and biases ``c`` (n_hidden,) of one kind of units."""

    W: Floats
    c: Floats
    unit: HiddenUnit

    def log_weight(self, x: Floats) -> Floats:
        return np.asarray(self.unit.log_gate(self.c + x @ self.W).sum(axis=1))

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        mean = self.unit.mean(self.c + x @ self.W)
        weighted = weights[:, None] * (mean**2 if squared else mean)
        return {"W": x.T @ weighted, "c": weighted.sum(axis=0)}

    def slopes_along(self, direction: Self, x: Floats) -> Floats:
        mean = self.unit.mean(self.c + x @ self.W)
        return np.asarray(np.einsum("ui,ui->u", mean, direction.c + x @ direction.W))
