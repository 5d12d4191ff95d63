"""Minimum probability flow: K and its gradient over unique words (docs/method.md, section 3)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..parameters import Parameters
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
    """:func:`mpf` as a :class:`SumOverFlips`."""

    _kind = "flow"
