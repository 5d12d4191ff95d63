"""How much any model of single words could gain over independent units: from their entropy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import digamma, expit, gammaln
from scipy.stats import entropy

from ..models import Independent
from ..notebook import AsText
from ..validation import Floats, real_vector
from ..words import Words, as_words
from ._score import Score
from .time_errors import checked_cells, wave_variance

#: Words of a block must nearly all occur in other blocks too, and both estimates must agree.
LEAST_COVERAGE, MOST_DISAGREEMENT = 0.9, 0.3


@dataclass(frozen=True, slots=True, repr=False)
class Explainable(AsText):
    """What the best possible model of single words would gain over independent units.

    It is the cross-entropy of independent units on the words minus the entropy of the words, with
    the mean of two estimates of that entropy (docs/method.md, section 6).

    Parameters
    ----------
    bits_per_second : float
        The estimate.
    stderr : float
        Its error: from a jackknife over blocks, and half the difference of the two estimates, in
        quadrature.
    upper : float
        An upper estimate, bits/s: no model gains more, on average over recordings.
    disagreement : float
        Difference of the two estimates as a share of the estimate.
    coverage : float
        Share of the words of a block that occur in other blocks as well, mean over blocks.
    n_words, n_distinct : int
        Words, and different ones among them.
    """

    bits_per_second: float
    stderr: float
    upper: float
    disagreement: float
    coverage: float
    n_words: int
    n_distinct: int

    @property
    def is_reliable(self) -> bool:
        """Whether coverage is at least 0.9 and the two estimates agree to 30 %."""
        enough = self.coverage >= LEAST_COVERAGE and self.bits_per_second > 0.0
        return enough and self.disagreement <= MOST_DISAGREEMENT

    def share_of(self, gained: Score | float, stderr: float = 0.0) -> tuple[float, float, float]:
        """Which share of it was gained, the standard error of that, and the least it can be.

        Parameters
        ----------
        gained : Score or float
            Gain of a model on the same words, over the same independent units, bits/s.
        stderr : float
            Its standard error if it is a number.
        """
        error = gained.stderr if isinstance(gained, Score) else stderr
        share = float(gained) / self.bits_per_second
        relative = math.hypot(error, share * self.stderr) / self.bits_per_second
        return share, relative, float(gained) / self.upper

    def __str__(self) -> str:
        if not self.is_reliable:
            return (
                f"too many different words to say what could be explained ({self.n_distinct:,} of "
                f"{self.n_words:,}); at most {self.upper:.2f} bits/s"
            )
        return (
            f"{self.bits_per_second:.2f} ± {self.stderr:.2f} bits/s could be explained, "
            f"at most {self.upper:.2f}"
        )


def explainable(
    words: Words | ArrayLike, baseline: Independent | ArrayLike | None = None
) -> Explainable:
    """Estimate what the best possible model of single words would gain, in bits/s.

    Parameters
    ----------
    words : Words or array_like, shape (n_words, n_units)
        Held-out words in time order, without weights; those that models are scored on.
    baseline : Independent or array_like, shape (n_units,), optional
        Firing-rate model of the training words, or their rates per bin; by default the rates of
        ``words``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> together = np.repeat(rng.random((20_000, 1)) < 0.5, 2, axis=1)  # one bit in 20 ms
    >>> print(explainable(together))
    49.99 ± 0.01 bits/s could be explained, at most 50.00
    """
    held = as_words(words)
    cell, cost = checked_cells(held), _cost(held, baseline)
    n_cells = int(cell[-1]) + 1
    counts = np.bincount(held.index, minlength=len(held))
    seconds = held.bin_width * held.window
    process = fitted_pitman_yor(counts)
    gains = _gains(counts, cost, process) / (math.log(2.0) * seconds)
    without, covered = [], []
    for k in range(n_cells):
        inside = np.bincount(held.index[cell == k], minlength=len(held))
        rest = counts - inside
        without.append(_gains(rest, cost, process)[:2].mean() / (math.log(2.0) * seconds))
        covered.append(np.average(rest > 0, weights=inside))
    # What each cell changes, left out, is its influence (the jackknife).
    influence = (np.mean(without) - without) * math.sqrt(1.0 - 1.0 / n_cells)
    estimate = float(gains[:2].mean())
    apart = abs(float(gains[0] - gains[1]))
    return Explainable(
        bits_per_second=estimate,
        stderr=math.hypot(math.sqrt(wave_variance(influence)), apart / 2.0),
        upper=float(gains[2]),
        disagreement=apart / estimate if estimate > 0.0 else math.inf,
        coverage=float(np.mean(covered)),
        n_words=held.n_bins,
        n_distinct=len(held),
    )


def _cost(words: Words, baseline: Independent | ArrayLike | None) -> Floats:
    """Minus log p of each distinct word under independent units, nats."""
    if isinstance(baseline, Independent):
        return np.asarray(-baseline._score_distinct(words))
    given = words.rates if baseline is None else baseline
    rates = real_vector("baseline", given, words.n_dims, "unit")
    with np.errstate(divide="ignore"):
        on, off = np.log(rates), np.log1p(-rates)
    return np.asarray(-np.where(words.X, on, off).sum(axis=1))


def _gains(counts: NDArray[np.int64], cost: Floats, process: PitmanYor) -> Floats:
    """Cost minus entropy by Grassberger, by the process, and of the frequencies, nats."""
    plug_in = entropy(counts)  # too low on average (Jensen's inequality)
    entropies = grassberger_entropy(counts), pitman_yor_entropy(counts, process), plug_in
    return np.average(cost, weights=counts) - np.array(entropies)


def grassberger_entropy(counts: NDArray[np.int64]) -> float:
    """Entropy by Grassberger (2003), nats: ln n minus the mean of G(count) over words."""
    positive = counts[counts > 0]
    sign = np.where(positive % 2 == 0, 1.0, -1.0)
    half = positive / 2.0
    G = digamma(positive) + 0.5 * sign * (digamma(half + 0.5) - digamma(half))
    return float(math.log(positive.sum()) - np.average(G, weights=positive))


class PitmanYor(NamedTuple):
    """A Pitman-Yor process: how heavy its tail of rare words is, and how many there are."""

    discount: float  # d, from 0 (a Dirichlet process) to 1
    concentration: float  # alpha, positive


def fitted_pitman_yor(counts: NDArray[np.int64]) -> PitmanYor:
    """The process under which the counts are most probable, whichever words they belong to."""
    positive = counts[counts > 0]
    values, times = np.unique(positive, return_counts=True)
    n_words, steps = int(positive.sum()), np.arange(1, positive.size)

    def cost(at: Floats) -> float:
        d, alpha = _in_range(at)
        tables = np.log(alpha + steps * d).sum() + gammaln(1.0 + alpha) - gammaln(alpha + n_words)
        return -float(tables + times @ (gammaln(values - d) - gammaln(1.0 - d)))

    # Few parameters and a smooth surface: no slopes are needed. Two starts, light and heavy tail.
    starts = (np.array([-3.0, 3.0]), np.zeros(2))
    runs = [minimize(cost, start, method="Nelder-Mead") for start in starts]
    best = min(runs, key=lambda run: float(run.fun)).x
    return _in_range(best)


def _in_range(at: Floats) -> PitmanYor:
    """A process from any two numbers; short of a discount of 1, where entropy is infinite."""
    return PitmanYor(0.999 * float(expit(at[0])), math.exp(min(float(at[1]), 50.0)))


def pitman_yor_entropy(counts: NDArray[np.int64], process: PitmanYor) -> float:
    """Mean entropy given the counts, nats (Archer, Park & Pillow 2014)."""
    positive = counts[counts > 0]
    d, alpha = process
    total = alpha + positive.sum()
    unseen = (alpha + d * positive.size) * digamma(1.0 - d)
    seen = ((positive - d) * digamma(positive - d + 1.0)).sum()
    return float(digamma(total + 1.0) - (unseen + seen) / total)
