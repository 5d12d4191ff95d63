"""Minimum probability flow: K and its gradient over unique words (docs/method.md, section 3)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..kernels.cpu.mpf_links import Flow
from ..kernels.cpu.mpf_tables import Workspace
from ..layout import Layout
from ..parameters import Parameters
from ..validation import Floats
from ..words import Words
from ._flips import SumOverFlips

_DOUBLE = np.dtype(np.float64)


def mpf(
    theta: Parameters,
    words: Words | ArrayLike,
    *,
    dtype: type[np.floating[Any]] = np.float64,
) -> tuple[float, Parameters]:
    """Minimum probability flow K = mean_x sum_n exp((log p~(x_n) - log p~(x)) / 2), unpenalised.

    Parameters
    ----------
    theta : Parameters
        The model.
    words : Words or array_like, shape (n_words, n_units)
        Binary words, each with its weight.
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
    return MinimumProbabilityFlow(words, dtype=dtype)(theta)


class MinimumProbabilityFlow(SumOverFlips):
    """The objective prepared for many evaluations on the same words, one at a time.

    Parameters
    ----------
    words : Words or array_like, shape (n_words, n_units)
        Binary words.
    dtype
        As in :func:`mpf`.
    """

    def __init__(
        self,
        words: Words | ArrayLike,
        *,
        dtype: type[np.floating[Any]] = np.float64,
    ) -> None:
        super().__init__(words, dtype)
        self._double: MinimumProbabilityFlow | None = None

    def _factors(self, weights: Floats) -> Floats:
        return 0.5 * weights

    def evaluate(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        """K at the flat vector ``x``; its derivatives are written to ``gradient``."""
        space, live, largest = self._lay_out(x, layout)
        if largest > space.limits.weight:
            return self._in_double(x, layout, gradient)
        K, scale = self._flow(space), 1.0
        if not space.trusts(K):
            if self.dtype != _DOUBLE:
                return self._in_double(x, layout, gradient)
            K, scale = self._scaled(space, K)
        finite = self._gather(x, layout, space, live, scale, gradient)
        if not (finite and math.isfinite(K)):
            raise OverflowError(
                "the flow K or its gradient is larger than a floating-point number can be; the "
                "parameters are too large for these words, start from smaller ones"
            )
        return K

    def _in_double(self, x: Floats, layout: Layout, gradient: Floats) -> float:
        """The same where single precision does not reach."""
        if self._double is None:
            self._double = MinimumProbabilityFlow(self.words)
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
        self._run(Flow(), bits, space)
        return 2.0 * space.value()  # the kernel's terms are halved
