"""Further terms of an energy."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..validation import Bits, Floats, chunks
from ._term import Term

if TYPE_CHECKING:
    from ..kernels import SiteChains


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
