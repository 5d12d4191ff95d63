"""Biases: b'x."""

from __future__ import annotations

from dataclasses import dataclass

from ..validation import Floats
from ._term import Term


@dataclass(frozen=True, slots=True, eq=False)
class Fields(Term):
    """One bias per unit, ``b`` (n_visible,)."""

    b: Floats

    def log_weight(self, x: Floats) -> Floats:
        return x @ self.b

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        return {"b": weights @ x}  # a bit is its own square
