"""Which L1 strengths are worth trying on some words, by objective (docs/method.md, section 4)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadArgument
from ..validation import Floats, chunks, expect
from ..words import Words, as_words
from .sparse_words import listed_words

#: Decades that a grid spans.
_DECADES = 3
#: Products of dense matrices count pairs so much faster than lists of active units.
_DENSE = 90.0


def pair_counts(words: Words) -> Floats:
    """Weight of the words in which two units are active, shape (n_units, n_units).

    The diagonal has the units' own. A pair that is never active together has exactly 0.

    Examples
    --------
    >>> words = mc.Words.from_array([[0, 1], [1, 1], [0, 1], [0, 0]])
    >>> pair_counts(words).tolist(), pair_rates(words).tolist()
    ([[1.0, 1.0], [1.0, 3.0]], [[0.25, 0.25], [0.25, 0.75]])
    """
    n, listed = expect("words", words, Words, "complete Words").n_dims, listed_words(words.X)
    together = np.zeros((n, n))
    if _DENSE * float((np.diff(listed.indptr).astype(np.float64) ** 2).mean()) < n * n:
        columns = listed.T.tocsr()
        listed.data = np.repeat(words.counts, np.diff(listed.indptr))
        for part in chunks(n, n):
            together[part] = (columns[part] @ listed).toarray()
        return together
    for part in chunks(len(words), n):
        x = words.X[part].astype(np.float64)
        together += (x * words.counts[part, None]).T @ x
    return 0.5 * (together + together.T)  # weights that are not whole are rounded


def pair_rates(words: Words) -> Floats:
    """Share of the words in which two units are active, shape (n_units, n_units).

    Examples
    --------
    >>> pair_rates(mc.Words.from_array([[1], [0]])).tolist()
    [[0.5]]
    """
    return np.asarray(pair_counts(words) / words.counts.sum())


def largest_l1(words: Words | ArrayLike, objective: str = "likelihood") -> float:
    """The smallest L1 strength at which no coupling of an Ising model leaves zero.

    It is the largest slope of the objective along one entry of J at the independent model, whose
    biases are the log odds of the rates for every objective. With the covariance C_nm and the
    standard deviations s_n of the units, the slope is C_nm for likelihood, 2 C_nm for
    pseudolikelihood and C_nm (1/s_n + 1/s_m) / 2 for minimum probability flow: 0 where no two units
    are correlated. For the conditional likelihood it is C_nm where n is of the newest bin.

    Examples
    --------
    >>> words = [[0, 0]] * 6 + [[1, 1]] * 2 + [[0, 1]] * 2
    >>> round(largest_l1(words), 6)  # 0.2 - 0.2 * 0.4
    0.12
    """
    words = as_words(words)
    together = pair_rates(words)
    rates = together.diagonal().copy()
    slopes = np.abs(together - np.outer(rates, rates))
    np.fill_diagonal(slopes, 0.0)
    spread = np.sqrt(rates * (1.0 - rates))
    constant = spread < 1e-7  # rounding may leave the rate of an always active unit below 1
    slopes[constant] = slopes[:, constant] = 0.0
    if objective == "pseudolikelihood":
        slopes *= 2.0
    elif objective == "mpf":
        per_spread = 1.0 / np.where(constant, 1.0, spread)
        slopes *= 0.5 * (per_spread[:, None] + per_spread)
    elif objective == "conditional":
        slopes = slopes[-words.n_units :]
    elif objective != "likelihood":
        remedy = "choose 'likelihood', 'conditional', 'pseudolikelihood' or 'mpf'"
        raise BadArgument("objective", f"is {objective!r}", remedy)
    return float(slopes.max())


def l1_grid(largest: float, per_decade: int = 3) -> tuple[float, ...]:
    """Strengths from ``largest`` down over three decades, increasing, ``per_decade`` of each.

    They are in equal ratios and have three significant digits; the last is not below ``largest``,
    which is for example from :func:`largest_l1`. Where it is 0, so is the only strength.

    Examples
    --------
    >>> l1_grid(0.012, per_decade=1)
    (1.2e-05, 0.00012, 0.0012, 0.012)
    """
    if largest <= 0.0:
        return (0.0,)
    digit = 10.0 ** (math.floor(math.log10(largest)) - 2)
    top = _rounded(math.ceil(largest / digit * (1.0 - 1e-12)) * digit)
    return (*further_l1(top, -_DECADES, per_decade), top)


def further_l1(end: float, decades: int, per_decade: int = 3) -> tuple[float, ...]:
    """Strengths beyond ``end``, which is not among them: ``decades`` up, or down if negative.

    Examples
    --------
    >>> further_l1(0.001, 1), further_l1(0.001, -1)
    ((0.00215, 0.00464, 0.01), (0.0001, 0.000215, 0.000464))
    """
    steps = range(decades * per_decade, 0) if decades < 0 else range(1, decades * per_decade + 1)
    return tuple(_rounded(end * 10.0 ** (step / per_decade)) for step in steps)


def _rounded(l1: float) -> float:
    """A strength as it is printed, with three significant digits."""
    return float(f"{l1:.2e}")
