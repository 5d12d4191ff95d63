"""Minimum probability flow: K and its gradient over unique words (METHOD section 3)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ..kernels.cpu.mpf import flow
from ..kernels.cpu.mpf_tables import LIMITS, ActiveBits, FlowSizes, Workspace
from ..kernels.cpu.threads import threads_for
from ..parameters import Floats, Parameters
from ..words import Words, as_words

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


class MinimumProbabilityFlow:
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
        self._double: MinimumProbabilityFlow | None = None

    def __call__(self, theta: Parameters) -> tuple[float, Parameters]:
        """K and its gradient at ``theta``."""
        if theta.n_visible != self.words.X.shape[1]:
            raise ValueError(
                f"the model has {theta.n_visible} units but the words have "
                f"{self.words.X.shape[1]}; fit and score on the same units"
            )
        live = theta if theta.live.all() else theta.only_live()[0]
        K, (b, J, W, c) = self._evaluate(live)
        gradient = Parameters(
            b=b,
            J=None if live.J is None else J,
            W=None if live.W is None else W,
            c=None if live.W is None else c,
        )
        return K, gradient if live is theta else _restore_dead(theta, gradient)

    def _evaluate(self, live: Parameters) -> tuple[float, tuple[Floats, ...]]:
        """K and arrays of its gradient, in double precision where single does not reach."""
        W = np.zeros((live.n_visible, 0)) if live.W is None else live.W
        largest = float(np.abs(W).max(initial=0.0))
        if largest > LIMITS[np.dtype(np.float64)].weight:
            raise OverflowError(
                f"a hidden weight is {largest:.3g}, beyond the "
                f"{LIMITS[np.dtype(np.float64)].weight:g} up to which products of exponentials "
                "stay in range; rescale the weights or raise the penalty"
            )
        if largest > LIMITS[self.dtype].weight:
            return self._in_double(live)
        space = self._space_for(live)
        J = np.zeros((0, 0)) if live.J is None else live.J
        space.lay_out(live.b, J, W, np.zeros(0) if live.c is None else live.c)
        K = self._flow(space)
        if space.trusts(K):
            return _finite(K, space.gradient())
        if self.dtype != np.float64:
            return self._in_double(live)
        return self._evaluate_scaled(space, K)

    def _in_double(self, live: Parameters) -> tuple[float, tuple[Floats, ...]]:
        if self._double is None:
            self._double = MinimumProbabilityFlow(self.words, complement=self.complement)
        return self._double._evaluate(live)

    def _evaluate_scaled(self, space: Workspace, K: float) -> tuple[float, tuple[Floats, ...]]:
        """The same where K is far from 1: weights carry a factor until K times that is near 1."""
        shift = 0.0
        for _ in range(3):
            if space.trusts(K):
                break
            shift -= math.log(K) if 0.0 < K < math.inf else -600.0 if K == 0.0 else 600.0
            K = self._flow(space, shift)
        with np.errstate(over="ignore", invalid="ignore"):
            scale = np.exp(-shift)
            return _finite(float(K * scale), tuple(part * scale for part in space.gradient()))

    def _flow(self, space: Workspace, shift: float = 0.0) -> float:
        """Run the kernel; anything but plain weights goes the careful way, in logarithms."""
        bits = self._bits
        if shift != 0.0:
            bits = bits._replace(log_half_weights=bits.log_half_weights + shift)
            space.tables.bounds[0] = -math.inf
        buffers = space.sums, space.scratch, space.lists
        with threads_for(self._operations(space), _OPERATIONS_PER_THREAD):
            flow(bits, space.model, self.complement, space.shape, *buffers)
        return space.flow()

    def _operations(self, space: Workspace) -> float:
        """Roughly the multiply-adds of one evaluation."""
        n_words, n_units = self.words.X.shape
        return float(n_words * n_units * (16 + 8 * space.shape.n_hidden))

    def _space_for(self, live: Parameters) -> Workspace:
        """The workspace of the last evaluation, if it had the same sizes."""
        offsets = self._bits.offsets
        shape = FlowSizes.of(
            live.n_visible, live.n_hidden, live.J is not None, self._most_active, self.dtype
        )
        if self._workspace is None or self._workspace.shape != shape:
            self._workspace = Workspace(shape, offsets.size - 1, self.dtype)
            self._bits = self._bits._replace(borders=self._workspace.borders(offsets))
        return self._workspace


def _finite(K: float, gradient: tuple[Floats, ...]) -> tuple[float, tuple[Floats, ...]]:
    if not (math.isfinite(K) and all(np.isfinite(part).all() for part in gradient)):
        raise OverflowError(
            "the flow K or its gradient is larger than a floating-point number can be; the "
            "parameters are too large for these words, start from smaller ones"
        )
    return K, gradient


def _restore_dead(theta: Parameters, gradient: Parameters) -> Parameters:
    """Put back the hidden units that left the kernel: with no weights their z is c alone.

    Then f = 1, nothing flows through z, and dK/dW_ni = sigmoid(c_i) times the direct part
    sum of g * d, which is the gradient of b_n.
    """
    if theta.c is None:
        return gradient
    live = theta.live
    W = gradient.b[:, None] * expit(theta.c)
    c = np.zeros(theta.n_hidden)
    if gradient.W is not None and gradient.c is not None:
        W[:, live] = gradient.W
        c[live] = gradient.c
    return Parameters(b=gradient.b, J=gradient.J, W=W, c=c)
