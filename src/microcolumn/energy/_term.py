"""What every term of an energy knows, the terms of the model family, and further ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..validation import Bits, Floats, chunks
from ._hidden_unit import HiddenUnit

if TYPE_CHECKING:
    from ..kernels import SiteChains


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


class FreeTerm(Term):
    """A further term of log p~, with a flat vector of free numbers, which goes with biases alone.

    Models, sums, chains and certificates need nothing else of it.

    A term that ``holds_fields`` has the biases inside and is all of log p~: ``over`` gives it with
    them, and its moments tell their slopes too.
    """

    #: Whether it is ``slopes`` times ``total``, with slopes that do not depend on these.
    is_linear: ClassVar[bool] = False
    holds_fields: ClassVar[bool] = False

    strengths: Floats  # free numbers, nats, (n_strengths,)

    @abstractmethod
    def with_strengths(self, strengths: Floats) -> Self:
        """The same term with other free numbers."""

    @abstractmethod
    def slopes(self, words: Bits) -> Floats:
        """Slopes of log p~ of each word by each free number, (n_words, n_strengths)."""

    @abstractmethod
    def chains(
        self, b: Floats, words: NDArray[np.generic], base_logits: Floats, seed: int
    ) -> SiteChains:
        """Chains of Gibbs sampling from ``words`` with biases ``b``, as :class:`.GibbsChains`."""

    @property
    @abstractmethod
    def operations_per_word(self) -> float:
        """Multiply-adds of an exact sum for each of all words, roughly."""

    @property
    def total(self) -> Floats:
        """What ``slopes`` of a linear term are multiplied with: free numbers, and given ones."""
        return self.strengths

    @property
    def n_penalised(self) -> int:
        """How many of ``strengths``, the first ones, penalties hold at zero."""
        return int(self.strengths.size)

    @property
    def fixed(self) -> Floats:
        """An array that stays the same object while only ``strengths`` change, of a linear term."""
        return self.strengths

    def over(self, b: Floats) -> Self:
        """The term with the biases that it holds."""
        return self

    def gains(self, words: Bits) -> Floats:
        """What a bias counts for in each word, (n_words, 1): 1 where it is not held."""
        return np.ones((len(words), 1))

    def drop_dead_units(self) -> Self:
        """Without what adds nothing."""
        return self

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        words = x.astype(np.uint8)
        return {"strengths": weights @ self.slopes(words) ** (1 + squared)}

    def means(self, words: Bits, weights: Floats) -> Floats:
        """Weighted sum of the slopes over words (n_words, n_units), (n_strengths,)."""
        parts = chunks(len(words), max(self.strengths.size, words.shape[1]))
        sums = [weights[part] @ self.slopes(words[part]) for part in parts]
        return np.asarray(np.sum(sums, axis=0))

    def best_words(self, n_units: int, most: int) -> Bits:
        """Words that the term favours, from which a search for modes may begin."""
        return np.zeros((0, n_units), dtype=np.uint8)

    @property
    def couplings(self) -> Floats | None:
        """Couplings between units that it holds, (n_units, n_units)."""
        return None
