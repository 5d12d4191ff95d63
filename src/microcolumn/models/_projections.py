"""Random projections of words: sparse, with thresholds where the data cross them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..energy import Tables, all_patterns
from ..energy.tables import Inputs
from ..kernels import pattern_sums
from ..validation import Floats
from ..words import Words

#: A projection is above its threshold in this many training words at least, and in this share of
#: them at most.
LEAST_WORDS, MOST_SHARE = 10.0, 0.5
#: Batches of candidates that are drawn before there are taken to be no more.
_BATCHES = 20


@dataclass(frozen=True, slots=True, eq=False)
class Projections:
    """Features 1[a_j . x > theta_j] of words, each of a few units."""

    inputs: Inputs  # units with a weight, in ascending order, (n_projections, n_inputs)
    weights: Floats  # a_j of these, (n_projections, n_inputs)
    thresholds: Floats  # not negative: the silent word is below all of them, (n_projections,)

    @property
    def heights(self) -> Floats:
        """a_j . x for each pattern of the inputs, shape (n_projections, 2**n_inputs)."""
        return self.weights @ all_patterns(self.inputs.shape[1]).T.astype(np.float64)

    def tables(self, strengths: Floats | None = None) -> Tables:
        """The features as tables over the patterns of their inputs; by default of strength 0."""
        values = (self.heights > self.thresholds[:, None]).astype(np.float64)
        return Tables(
            self.inputs, values, np.zeros(len(values)) if strengths is None else strengths
        )

    @classmethod
    def drawn(
        cls, words: Words, n_projections: int, n_inputs: int, rng: np.random.Generator
    ) -> Projections:
        """Projections with standard normal weights, and thresholds that the words cross.

        How many words are above a threshold is drawn as well, with equal chances for all orders
        of magnitude from ``LEAST_WORDS`` to ``MOST_SHARE``. There may be fewer projections than
        asked for where units are few or silent: no feature comes twice.
        """
        n_inputs = min(n_inputs, words.n_dims)
        kept: dict[bytes, tuple[Inputs, Floats, float]] = {}
        for _ in range(_BATCHES):
            batch = _candidates(words, n_projections, n_inputs, rng)
            values = batch.tables().values.astype(np.uint8)
            for key, one in zip(
                map(bytes, np.hstack([batch.inputs.view(np.uint8), values])),
                zip(batch.inputs, batch.weights, batch.thresholds, strict=True),
                strict=True,
            ):
                kept.setdefault(key, one)
            if len(kept) >= n_projections:
                break
        chosen = list(kept.values())[:n_projections]
        return cls(
            np.array([one[0] for one in chosen], dtype=np.int32).reshape(-1, n_inputs),
            np.array([one[1] for one in chosen]).reshape(-1, n_inputs),
            np.array([one[2] for one in chosen], dtype=np.float64),
        )


def _candidates(
    words: Words, n_projections: int, n_inputs: int, rng: np.random.Generator
) -> Projections:
    """As many projections as are asked for, less those that no threshold suits."""
    drawn = rng.random((n_projections, words.n_dims)).argsort(axis=1)[:, :n_inputs]
    inputs = np.sort(drawn, axis=1).astype(np.int32)
    weights = rng.standard_normal((n_projections, n_inputs))
    n_words = max(float(words.counts.sum()), float(words.n_bins))
    counts = words.counts * (n_words / words.counts.sum())
    every = Projections(inputs, weights, np.zeros(n_projections))
    order = np.argsort(-every.heights, axis=1)
    heights = np.take_along_axis(every.heights, order, axis=1)
    sums = pattern_sums(every.tables().functions, words.X, counts)
    above = np.cumsum(np.take_along_axis(sums, order, axis=1), axis=1)
    # A threshold below the i-th highest pattern lets as many words through.
    suits = (heights > 0.0) & (above >= LEAST_WORDS) & (above <= MOST_SHARE * n_words)
    most = np.where(suits, above, LEAST_WORDS).max(axis=1)
    wanted = np.log(LEAST_WORDS) + rng.random(n_projections) * np.log(most / LEAST_WORDS)
    distance = np.abs(np.log(np.maximum(above, 1e-300)) - wanted[:, None])
    last = np.where(suits, distance, np.inf).argmin(axis=1)
    rows = np.arange(n_projections)
    below = np.maximum(heights[rows, last + 1], 0.0)
    thresholds = 0.5 * (heights[rows, last] + below)
    good = suits.any(axis=1)
    return Projections(inputs[good], weights[good], thresholds[good])
