"""How much any model of single words could gain over independent units: from their entropy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma

from ..models import Independent
from ..validation import Floats
from ..words import Words, as_words
from ._bootstrap import block_bins_of
from ._score import Score

#: Words of a block must nearly all occur in other blocks too, and both estimates must agree.
LEAST_COVERAGE, MOST_DISAGREEMENT = 0.9, 0.1


@dataclass(frozen=True, slots=True)
class Explainable:
    """What the best possible model of single words would gain over independent units.

    It is the cross-entropy of independent units on the words minus the entropy of the words. The
    estimate is the mean of two: with the entropy by Grassberger (2003) and by Chao & Shen (2003).
    ``upper`` takes the entropy of the observed frequencies, which is too low on average whatever
    the distribution of words and however they depend on each other in time, so that it is too
    large a gain on average.

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
    def known(self) -> bool:
        """Whether coverage is at least 0.9 and the two estimates agree to 10 %."""
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
        if not self.known:
            return (
                f"too many different words to say what could be explained ({self.n_distinct:,} of "
                f"{self.n_words:,}); at most {self.upper:.2f} bits/s"
            )
        return (
            f"{self.bits_per_second:.2f} ± {self.stderr:.2f} bits/s could be explained, "
            f"at most {self.upper:.2f}"
        )


def explainable(
    words: Words | ArrayLike,
    baseline: Independent | ArrayLike | None = None,
    *,
    block_bins: int | None = None,
) -> Explainable:
    """Estimate what the best possible model of single words would gain, in bits/s.

    Parameters
    ----------
    words : Words or array_like, shape (n_words, n_units)
        Held-out words in time order, without weights; those that models are scored on.
    baseline : Independent or array_like, shape (n_units,), optional
        Firing-rate model of the training words, or their rates per bin; by default the rates of
        ``words``.
    block_bins : int, optional
        Bins per block; by default as for ``excess_log_likelihood``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> together = np.repeat(rng.random((20_000, 1)) < 0.5, 2, axis=1)  # one bit in 20 ms
    >>> print(explainable(together))
    50.00 ± 0.00 bits/s could be explained, at most 50.00
    """
    held = as_words(words)
    if held.weights is not None:
        raise ValueError("words carry weights, so that they cannot be counted; pass plain words")
    if held.n_bins < 10:
        raise ValueError(f"there are {held.n_bins} words; pass at least 10 for blocks of them")
    cost = _cost(held, baseline)
    length = block_bins_of(held, block_bins)
    block = np.minimum(np.arange(held.n_bins) // length, held.n_bins // length - 1)
    n_blocks = int(block[-1]) + 1
    counts = np.bincount(held.index, minlength=len(held))
    seconds = held.bin_width * held.window
    gains = np.array(_gains(counts, cost)) / (math.log(2.0) * seconds)
    without, covered = [], []
    for b in range(n_blocks):
        inside = np.bincount(held.index[block == b], minlength=len(held))
        rest = counts - inside
        without.append(np.mean(_gains(rest, cost)[:2]) / (math.log(2.0) * seconds))
        covered.append(np.average(rest > 0, weights=inside))
    jackknife = np.var(without) * (n_blocks - 1)
    estimate = float(gains[:2].mean())
    apart = abs(float(gains[0] - gains[1]))
    return Explainable(
        bits_per_second=estimate,
        stderr=math.hypot(math.sqrt(jackknife), apart / 2.0),
        upper=float(gains[2]),
        disagreement=apart / estimate if estimate > 0.0 else math.inf,
        coverage=float(np.mean(covered)),
        n_words=held.n_bins,
        n_distinct=len(held),
    )


def _cost(words: Words, baseline: Independent | ArrayLike | None) -> Floats:
    """Minus log p of each distinct word under independent units, nats."""
    if isinstance(baseline, Independent):
        return -baseline.score_samples(words)
    rates = words.rates if baseline is None else np.asarray(baseline, dtype=np.float64)
    if rates.shape != (words.n_dims,):
        raise ValueError(
            f"baseline has shape {rates.shape} for {words.n_dims} units; it needs one rate per unit"
        )
    with np.errstate(divide="ignore"):
        on, off = np.log(rates), np.log1p(-rates)
    return -np.where(words.X, on, off).sum(axis=1)


def _gains(counts: NDArray[np.integer], cost: Floats) -> tuple[float, float, float]:
    """Cost minus entropy by Grassberger, by Chao and Shen, and of the frequencies, nats."""
    mean_cost = float(np.average(cost, weights=counts))
    found = counts[counts > 0]
    return (
        mean_cost - grassberger_entropy(found),
        mean_cost - chao_shen_entropy(found),
        mean_cost - plug_in_entropy(found),
    )


def plug_in_entropy(counts: NDArray[np.integer]) -> float:
    """Entropy of the frequencies, nats: too low on average (Jensen's inequality)."""
    p = counts / counts.sum()
    return float(-(p * np.log(p)).sum())


def grassberger_entropy(counts: NDArray[np.integer]) -> float:
    """Entropy by Grassberger (2003), nats: ln n minus the mean of G(count) over words."""
    n = counts.sum()
    sign = np.where(counts % 2 == 0, 1.0, -1.0)
    half = counts / 2.0
    G = digamma(counts) + 0.5 * sign * (digamma(half + 0.5) - digamma(half))
    return float(math.log(n) - (counts * G).sum() / n)


def chao_shen_entropy(counts: NDArray[np.integer]) -> float:
    """Entropy by Chao & Shen (2003), nats: frequencies times coverage, weighted by visibility."""
    n = int(counts.sum())
    singletons = int((counts == 1).sum())
    # With only singletons the coverage would be 0; one of them is taken as seen twice.
    coverage = 1.0 - min(singletons, n - 1) / n
    p = coverage * counts / n
    visible = -np.expm1(n * np.log1p(-np.minimum(p, 1.0 - 1e-16)))
    return float(-(p * np.log(p) / visible).sum())
