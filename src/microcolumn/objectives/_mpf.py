"""Minimum probability flow: K and its gradient over unique words (docs/method.md, section 3)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..kernels.cpu.mpf_links import Flow
from ..kernels.cpu.mpf_tables import Workspace, trusted
from ..parameters import Parameters
from ..validation import Floats
from ..words import Words
from ._flips import SumOverFlips


def mpf(theta: Parameters, words: Words | ArrayLike) -> tuple[float, Parameters]:
    """Minimum probability flow K = mean_x sum_n exp((log p~(x_n) - log p~(x)) / 2), unpenalised.

    Parameters
    ----------
    theta : Parameters
        The model.
    words : Words or array_like, shape (n_words, n_units)
        Binary words, each with its weight.

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
    return MinimumProbabilityFlow(words)(theta)


class MinimumProbabilityFlow(SumOverFlips):
    """The objective prepared for many evaluations on the same words, one at a time.

    Parameters
    ----------
    words : Words or array_like, shape (n_words, n_units)
        Binary words.
    """

    _name = "the flow K"

    def _factors(self, weights: Floats) -> Floats:
        return 0.5 * weights

    def _sum(self, space: Workspace) -> tuple[float, float]:
        K, shift = self._flow(space), 0.0
        if trusted(K):
            return K, 1.0
        for _ in range(3):  # so far from 1 that weights need a factor too
            shift -= math.log(K) if 0.0 < K < math.inf else -600.0 if K == 0.0 else 600.0
            K = self._flow(space, shift)
            if trusted(K):
                break
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
