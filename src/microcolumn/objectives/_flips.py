"""Objectives that are sums over single flips (docs/method.md, section 3)."""

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


class MinimumProbabilityFlow(SumOverFlips):
    """:func:`mpf` as a :class:`SumOverFlips`."""

    _kind = "flow"


class PseudoLikelihood(SumOverFlips):
    """:func:`pseudolikelihood` as a :class:`SumOverFlips`."""

    _kind = "pseudolikelihood"


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


def pseudolikelihood(theta: Parameters, words: Words | ArrayLike) -> tuple[float, Parameters]:
    """Minus the mean log pseudolikelihood, -mean_x sum_n log p(x_n | rest of x), and its gradient.

    In nats per word; hidden units are summed out. Arguments, gradient and errors are as of
    :func:`mpf`.

    Examples
    --------
    >>> value, gradient = pseudolikelihood(Parameters(b=[0.0, 0.0]), [[0, 0], [0, 1]])
    >>> round(value, 4), gradient.b.tolist()
    (1.3863, [0.5, 0.0])
    """
    return PseudoLikelihood(words)(theta)
