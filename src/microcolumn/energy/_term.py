"""What every term of an energy knows, and the terms of the model family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..validation import Floats
from ._hidden_unit import HiddenUnit


class Term(ABC):
    """A part of log p~(x), with the parameters that it depends on.

    Words are given as floats, shape (n_words, n_visible).
    """

    @abstractmethod
    def log_weight(self, x: Floats) -> Floats:
        """What it adds to log p~ of each word, nats, shape (n_words,)."""

    @abstractmethod
    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        """Weighted sum over words of the slopes of ``log_weight`` by each of its arrays, by name.

        With ``squared`` the sum of their squares. ``weights`` has shape (n_words,).
        """

    def slopes_along(self, direction: Self, x: Floats) -> Floats:
        """Slope of ``log_weight`` of each word along a direction in which the arrays may move."""
        return direction.log_weight(x)  # most terms are linear in them


@dataclass(frozen=True, slots=True, eq=False)
class Fields(Term):
    """b'x: one bias per unit, ``b`` (n_visible,)."""

    b: Floats

    def log_weight(self, x: Floats) -> Floats:
        return x @ self.b

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        return {"b": weights @ x}  # a bit is its own square


@dataclass(frozen=True, slots=True, eq=False)
class Pairs(Term):
    """x'Jx with symmetric couplings ``J`` (n_visible, n_visible) and a zero diagonal."""

    J: Floats

    def log_weight(self, x: Floats) -> Floats:
        return np.asarray(np.einsum("un,un->u", x @ self.J, x))

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        together = (x * weights[:, None]).T @ x
        np.fill_diagonal(together, 0.0)
        return {"J": together}


@dataclass(frozen=True, slots=True, eq=False)
class Hidden(Term):
    """Hidden units summed out: weights ``W`` (n_visible, n_hidden), biases ``c`` (n_hidden,)."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Count(Term):
    """v_K of the number K of active units: ``v`` (n_visible + 1,), zero for 0 and for 1."""

    v: Floats

    def log_weight(self, x: Floats) -> Floats:
        return np.asarray(self.v[x.sum(axis=1).astype(np.intp)])

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        shares = np.bincount(x.sum(axis=1).astype(np.intp), weights, self.v.size)
        return {"v": shares.astype(np.float64)}
