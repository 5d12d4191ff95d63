"""Minimum probability flow: K and its gradient over unique words (docs/method.md, section 3)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..kernels.cpu.mpf import flow
from ..kernels.cpu.mpf_flat import gather, scatter
from ..kernels.cpu.mpf_tables import LIMITS, ActiveBits, FlowSizes, Workspace
from ..kernels.cpu.threads import threads_for
from ..layout import Layout
from ..parameters import Parameters
from ..validation import Floats
from ..words import Words, as_words
from ._objective import Objective

_DOUBLE = np.dtype(np.float64)
#: Multiply-adds worth one more thread: a fit evaluates thousands of times, so less is worth it
#: than for a single sum; below it, waiting for a busy core would cost more than the work.
_OPERATIONS_PER_THREAD = 2.0**21


def mpf(
    theta: Parameters,
    words: Words | ArrayLike,
    *,
    complement: bool = False,
    dtype: type[np.floating[Any]] = np.float64,
) -> tuple[float, Parameters]:
    """Minimum probability flow K = mean_x sum_n exp((log p~(x_n) - log p~(x)) / 2), unpenalised.

    Parameters
    ----------
    theta : Parameters
        The model.
    words : Words or array_like, shape (n_words, n_units)
        Binary words, each with its weight.
    complement : bool
        Count the word with all bits flipped as one more neighbour of each word.
    dtype : numpy float type
        Precision of the sums: ``float64``, or ``float32`` for speed.

    Returns
    -------
    K : float
        Flow per word.
    gradient : Parameters
        Derivatives; ``sum(gradient.J * dJ)`` is the change of K for a symmetric step ``dJ``.

    Raises
    ------
    OverflowError
        Where K or its gradient is beyond the range of numbers, or a weight beyond the kernel's.

    Examples
    --------
    >>> theta = Parameters(b=[0.0, 0.0])
    >>> K, gradient = mpf(theta, [[0, 0], [0, 1]])
    >>> K, gradient.b.tolist()
    (2.0, [0.5, 0.0])
    """
    return MinimumProbabilityFlow(words, complement=complement, dtype=dtype)(theta)


class MinimumProbabilityFlow(Objective):
    """The objective prepared for many evaluations on the same words, one at a time.

    Parameters
    ----------
    words : Words or array_like, shape (n_words, n_units)
        Binary words.
    complement, dtype
        As in :func:`mpf`.
    """

    def __init__(
        self,
        words: Words | ArrayLike,
        *,
        complement: bool = False,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> None:
        self.words = as_words(words)
        self.complement = complement
        self.dtype = np.dtype(dtype)
        if self.dtype not in LIMITS:
            raise ValueError(f"dtype is {self.dtype}; choose float64 or float32")
        # Words with equally many active bits together: loops of equal length are predicted well.
        order = np.argsort(self.words.X.sum(axis=1), kind="stable")
        word, active = np.nonzero(self.words.X[order])
        offsets = np.searchsorted(word, np.arange(order.size + 1))
        half_weights = 0.5 * self.words.counts[order] / self.words.counts.sum()
        with np.errstate(divide="ignore"):
            logs = np.log(half_weights)
        self._bits = ActiveBits(offsets, active.astype(np.int32), half_weights, logs, offsets[:0])
        self._most_active = int(np.diff(offsets).max())
        self._workspace: Workspace | None = None
        self._sizes = (0, 0, False)
        self._layout: Layout | None = None
        self._double: MinimumProbabilityFlow | None = None

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """K and its gradient at ``theta``."""
        layout = Layout.of(theta)
        gradient = np.empty(layout.size)
        K = self.evaluate(layout.pack(theta), layout, gradient)
        return K, layout.unpack_gradient(gradient)

    def evaluate(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        """K at the flat vector ``x``; its derivatives are written to ``gradient``."""
        if self._layout is not layout:
            self._prepare(layout)
        b, J, W, c, live = self._arrays
        n_live, largest = scatter(x, layout.free, *layout.pairs, b, J, W, c, live)
        if largest > LIMITS[_DOUBLE].weight:
            raise OverflowError(
                f"a hidden weight is {largest:.3g}, beyond the {LIMITS[_DOUBLE].weight:g} up to "
                "which products of exponentials stay in range; rescale the weights or raise the "
                "penalty"
            )
        if largest > LIMITS[self.dtype].weight:
            return self._in_double(x, layout, gradient)
        space = self._space_for(n_live)
        space.lay_out(b, J, W[: b.size * n_live].reshape(b.size, n_live), c[:n_live])
        K, scale = self._flow(space), 1.0
        if not space.trusts(K):
            if self.dtype != _DOUBLE:
                return self._in_double(x, layout, gradient)
            K, scale = self._scaled(space, K)
        finite = gather(
            x, layout.free, *layout.pairs, live[:n_live], space.total(), space.tables.grow, scale,
            gradient,
        )  # fmt: skip
        if not (finite and math.isfinite(K)):
            raise OverflowError(
                "the flow K or its gradient is larger than a floating-point number can be; the "
                "parameters are too large for these words, start from smaller ones"
            )
        return K

    def _prepare(self, layout: Layout) -> None:
        """Arrays of a model of this layout, with all that is not free already in place."""
        if layout.n_visible != self.words.X.shape[1]:
            raise ValueError(
                f"the model has {layout.n_visible} units but the words have "
                f"{self.words.X.shape[1]}; fit and score on the same units"
            )
        template = layout.unpack(np.zeros(layout.size))
        J = np.zeros((0, 0)) if template.J is None else template.J
        W, c = np.zeros(layout.n_visible * layout.n_hidden), np.zeros(layout.n_hidden)
        self._arrays = template.b, J, W, c, np.zeros(layout.n_hidden, dtype=np.intp)
        self._layout = layout

    def _in_double(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        """The same where single precision does not reach."""
        if self._double is None:
            self._double = MinimumProbabilityFlow(self.words, complement=self.complement)
        return self._double.evaluate(x, layout, gradient)

    def _scaled(self, space: Workspace, K: float) -> tuple[float, float]:
        """K, and the factor of its gradient, where K is so far from 1 that weights need one too."""
        shift = 0.0
        for _ in range(3):
            if space.trusts(K):
                break
            shift -= math.log(K) if 0.0 < K < math.inf else -600.0 if K == 0.0 else 600.0
            K = self._flow(space, shift)
        with np.errstate(over="ignore", invalid="ignore"):
            scale = float(np.exp(-shift))
            return float(np.float64(K) * scale), scale

    def _flow(self, space: Workspace, shift: float = 0.0) -> float:
        """Run the kernel; with a ``shift``, weights are computed from their logarithms."""
        bits = self._bits
        if shift != 0.0:
            bits = bits._replace(log_half_weights=bits.log_half_weights + shift)
            space.tables.bounds[0] = -math.inf
        buffers = space.sums, space.scratch, space.lists
        n_words, n_units = self.words.X.shape
        multiply_adds = float(n_words * n_units * (16 + 8 * space.shape.n_hidden))  # roughly
        with threads_for(multiply_adds, _OPERATIONS_PER_THREAD):
            flow(bits, space.model, self.complement, space.shape, *buffers)
        return space.flow()

    def _space_for(self, n_live: int) -> Workspace:
        """The workspace of the last evaluation, if it had the same sizes."""
        b, J = self._arrays[:2]
        sizes = b.size, n_live, J.size > 0
        if self._workspace is None or self._sizes != sizes:
            shape = FlowSizes.of(*sizes, self._most_active, self.dtype)
            self._workspace = Workspace(shape, self._bits.offsets.size - 1, self.dtype)
            borders = self._workspace.borders(self._bits.offsets)
            self._bits, self._sizes = self._bits._replace(borders=borders), sizes
        return self._workspace
