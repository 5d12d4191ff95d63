"""Pseudolikelihood: each bit given the others, over unique words (docs/method.md, section 3)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..parameters import Parameters
from ..words import Words
from ._flips import SumOverFlips


def pseudolikelihood(theta: Parameters, words: Words | ArrayLike) -> tuple[float, Parameters]:
    """Minus the mean log pseudolikelihood, -mean_x sum_n log p(x_n | rest of x), and its gradient.

    Parameters
    ----------
    theta : Parameters
        The model; its hidden units are summed out.
    words : Words or array_like, shape (n_words, n_units)
        Binary words, each with its weight.

    Returns
    -------
    value : float
        Nats per word.
    gradient : Parameters
        Derivatives, in the convention of :func:`mpf`.

    Raises
    ------
    OverflowError
        Where a hidden weight is beyond the kernel's range, or the value beyond that of numbers.

    Examples
    --------
    >>> value, gradient = pseudolikelihood(Parameters(b=[0.0, 0.0]), [[0, 0], [0, 1]])
    >>> round(value, 4), gradient.b.tolist()
    (1.3863, [0.5, 0.0])
    """
    return PseudoLikelihood(words)(theta)


class PseudoLikelihood(SumOverFlips):
    """:func:`pseudolikelihood` as a :class:`SumOverFlips`."""

    _kind = "pseudolikelihood"
