"""Words of independent units given how many of them are active."""

from __future__ import annotations

import numpy as np

from ...validation import Bits, Floats


def draw_given_total(probabilities: Floats, total: int, uniforms: Floats, out: Bits) -> None:
    """Overwrite ``out`` (n_words, n_units) with words that have ``total`` active units.

    Units are drawn from the last one on, with ``uniforms`` of the same shape as ``out``.
    """
    # chances[n, k]: k of the first n units are active.
    chances = np.zeros((probabilities.size + 1, total + 1))
    chances[0, 0] = 1.0
    for n, p in enumerate(probabilities):
        chances[n + 1] = chances[n] * (1.0 - p)
        chances[n + 1, 1:] += chances[n, :-1] * p
    left = np.full(len(out), total)
    for n in range(probabilities.size - 1, -1, -1):
        share = chances[n, left - 1] * probabilities[n]
        drawn = uniforms[:, n] * chances[n + 1, left] < share
        out[:, n] = (left > 0) & (drawn | (left == n + 1))
        left -= out[:, n]
