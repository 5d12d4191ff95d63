"""What objectives that are sums over single flips share: words and models laid out for a kernel."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..energy import GAUSSIAN
from ..kernels.cpu.mpf import sum_over_flips
from ..kernels.cpu.mpf_flat import gather, scatter
from ..kernels.cpu.mpf_links import Flow, Logistic
from ..kernels.cpu.mpf_tables import LARGEST_WEIGHT, ActiveBits, FlowSizes, Workspace
from ..kernels.cpu.threads import threads_for
from ..layout import Layout
from ..parameters import Parameters
from ..validation import Floats
from ..words import Words, as_words
from ._objective import Objective

#: Multiply-adds worth one more thread: a fit evaluates thousands of times, so less is worth it
#: than for a single sum; below it, waiting for a busy core would cost more than the work.
_OPERATIONS_PER_THREAD = 2.0**21


class SumOverFlips(Objective):
    """A mean over words of a sum over bits, prepared for many evaluations, one at a time.

    Each term is a function of log p~(x with one bit flipped) - log p~(x).

    Parameters
    ----------
    words : Words or array_like, shape (n_words, n_units)
        Binary words.
    """

    #: What the sum is called where it is out of range.
    _name: ClassVar[str]

    def __init__(self, words: Words | ArrayLike) -> None:
        self.words = as_words(words)
        # Words with equally many active bits together: loops of equal length are predicted well.
        order = np.argsort(self.words.X.sum(axis=1), kind="stable")
        word, active = np.nonzero(self.words.X[order])
        offsets = np.searchsorted(word, np.arange(order.size + 1))
        weights = self.words.counts[order] / self.words.counts.sum()
        factors = self._factors(weights)
        with np.errstate(divide="ignore"):
            logs = np.log(factors)
        self._bits = ActiveBits(
            offsets, active.astype(np.int32), factors, logs, weights, borders=offsets[:0]
        )
        self._most_active = int(np.diff(offsets).max())
        self._workspace: Workspace | None = None
        self._sizes = (0, 0, False)
        self._layout: Layout | None = None

    @abstractmethod
    def _factors(self, weights: Floats) -> Floats:
        """What the kernel multiplies each word's exp(Delta / 2) with."""

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """Value and gradient at ``theta``."""
        if theta.is_gaussian:
            value, slopes = self(theta.as_pairs()[0])
            return value, theta.pulled_back(slopes)
        layout = Layout.of(theta)
        gradient = np.empty(layout.size)
        value = self.evaluate(layout.pack(theta), layout, gradient)
        return value, layout.unpack_gradient(gradient)

    @abstractmethod
    def _sum(self, space: Workspace) -> tuple[float, float]:
        """Run the kernel: the value, and what its gradient has to be multiplied with."""

    def evaluate(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        """Value at the flat vector ``x``; its derivatives are written to ``gradient``."""
        if layout.n_hidden and layout.hidden is GAUSSIAN:
            return super().evaluate(x, layout, gradient)
        space, live = self._lay_out(x, layout)
        value, scale = self._sum(space)
        sums, grow = space.total(), space.tables.grow
        finite = gather(x, layout.free, *layout.pairs, live, sums, grow, scale, gradient)
        if not (finite and math.isfinite(value)):
            raise OverflowError(
                f"{self._name} or its gradient is larger than a floating-point number can be; the "
                "parameters are too large for these words, start from smaller ones"
            )
        return value

    def _lay_out(self, x: Floats, layout: Layout) -> tuple[Workspace, NDArray[np.intp]]:
        """The model in a workspace, and its live hidden units."""
        if self._layout is not layout:
            self._prepare(layout)
        b, J, W, c, live = self._arrays
        n_live, largest = scatter(x, layout.free, *layout.pairs, b, J, W, c, live)
        if largest > LARGEST_WEIGHT:
            raise OverflowError(
                f"a hidden weight is {largest:.3g}, beyond the {LARGEST_WEIGHT:g} up to "
                "which products of exponentials stay in range; rescale the weights or raise the "
                "penalty"
            )
        space = self._space_for(n_live)
        space.lay_out(b, J, W[: b.size * n_live].reshape(b.size, n_live), c[:n_live])
        return space, live[:n_live]

    def _run(self, link: Flow | Logistic, bits: ActiveBits, space: Workspace) -> None:
        """Run the kernel on the model in ``space``, with as many threads as the work is worth."""
        buffers = space.sums, space.scratch, space.lists
        n_words, n_units = self.words.X.shape
        multiply_adds = float(n_words * n_units * (16 + 8 * space.shape.n_hidden))  # roughly
        with threads_for(multiply_adds, _OPERATIONS_PER_THREAD):
            sum_over_flips(link, bits, space.model, space.shape, *buffers)

    def _prepare(self, layout: Layout) -> None:
        """Arrays of a model of this layout, with all that is not free already in place."""
        if layout.n_visible != self.words.X.shape[1]:
            raise ValueError(
                f"the model has {layout.n_visible} units but the words have "
                f"{self.words.X.shape[1]}; fit and score on the same units"
            )
        if layout.counted:
            raise ValueError(
                f"{type(self).__name__} does not know a potential of the number of active units; "
                "use the likelihood"
            )
        template = layout.unpack(np.zeros(layout.size))
        J = np.zeros((0, 0)) if template.J is None else template.J
        W, c = np.zeros(layout.n_visible * layout.n_hidden), np.zeros(layout.n_hidden)
        self._arrays = template.b, J, W, c, np.zeros(layout.n_hidden, dtype=np.intp)
        self._layout = layout

    def _space_for(self, n_live: int) -> Workspace:
        """The workspace of the last evaluation, if it had the same sizes."""
        b, J = self._arrays[:2]
        sizes = b.size, n_live, J.size > 0
        if self._workspace is None or self._sizes != sizes:
            shape = FlowSizes.of(*sizes, self._most_active)
            self._workspace = Workspace(shape, self._bits.offsets.size - 1)
            borders = self._workspace.borders(self._bits.offsets)
            self._bits, self._sizes = self._bits._replace(borders=borders), sizes
        return self._workspace
