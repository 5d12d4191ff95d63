"""What objectives that are sums over single flips share."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..energy import GAUSSIAN
from ..errors import BadInput
from ..kernels import FlipSums
from ..layout import Layout
from ..parameters import Parameters
from ..validation import Floats
from ..words import Words, as_words
from ._objective import Objective, check_same_units


class SumOverFlips(Objective):
    """A mean over words of a sum over bits, prepared for many evaluations, one at a time.

    Each term is a function of log p~(x with one bit flipped) - log p~(x).

    Parameters
    ----------
    words : Words or array_like, shape (n_words, n_units)
        Binary words.
    """

    #: Which function it is.
    _kind: ClassVar[Literal["flow", "pseudolikelihood"]]

    def __init__(self, words: Words | ArrayLike) -> None:
        self.words = as_words(words)
        shares = self.words.counts / self.words.counts.sum()
        self._sums = FlipSums(self.words.X, shares, self._kind)
        self._layout: Layout | None = None

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Value and gradient at ``theta``."""
        if theta.is_gaussian:
            value, slopes = self(theta.as_pairs()[0])
            return value, theta.pulled_back(slopes)
        layout = Layout.of(theta)
        gradient = np.empty(layout.size)
        value = self.evaluate(layout.pack(theta), layout, gradient)
        return value, layout.unpack_gradient(gradient)

    def evaluate(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        """Value at the flat vector ``x``; its derivatives are written to ``gradient``."""
        if layout.n_hidden and layout.hidden is GAUSSIAN:
            return super().evaluate(x, layout, gradient)
        if self._layout is not layout:
            self._prepare(layout)
        return self._sums.value_and_gradient(x, gradient)

    def _prepare(self, layout: Layout) -> None:
        """Lay the words out for models of this layout."""
        check_same_units(layout.n_visible, self.words.X.shape[1])
        if layout.counted:
            raise BadInput(
                f"{type(self).__name__} does not know a potential of the number of active units",
                "use the likelihood",
            )
        template = layout.unpack(np.zeros(layout.size)).arrays  # refuses what kernels do not know
        self._sums.lay_out(template.b, template.J, layout.n_hidden, layout.free, layout.pairs)
        self._layout = layout
