"""What objectives that are sums over single flips share."""

from __future__ import annotations

from typing import ClassVar, Literal

from numpy.typing import ArrayLike

from ..errors import BadInput
from ..kernels import FlipSums
from ..parameters import Parameters
from ..words import Words, as_words
from ._objective import Objective, check_same_units


class SumOverFlips(Objective):
    """A mean over words of a sum over bits, prepared for many evaluations, one at a time.

    Each term is a function of log p~(x with one bit flipped) - log p~(x).
    """

    #: Which function it is.
    _kind: ClassVar[Literal["flow", "pseudolikelihood"]]

    def __init__(self, words: Words | ArrayLike) -> None:
        self.words = as_words(words)
        shares = self.words.counts / self.words.counts.sum()
        self._sums = FlipSums(self.words.X, shares, self._kind)

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Value and gradient at ``theta``."""
        if theta.is_gaussian:
            value, slopes = self(theta.as_pairs()[0])
            return value, theta.pulled_back(slopes)
        check_same_units(theta.n_visible, self.words.X.shape[1])
        if theta.v is not None:
            raise BadInput(
                f"{type(self).__name__} does not know a potential of the number of active units",
                "use the likelihood",
            )
        value, gradient = self._sums.value_and_gradient(theta.arrays)
        return value, Parameters.trusted(*gradient[:4])
