"""A cascade of boosted trees: log probabilities and samples.

Units are numbered in the order of the cascade. The log odds of unit i given the units before it are
a constant plus the sum of the leaves that its trees lead to. Trees ask whether a predictor is above
a threshold; predictor j < i is unit j, predictor i the number of active units before unit i.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from .l1_descent import gate


class Trees(NamedTuple):
    """Trees of all units as tables of nodes; a node's children come after it."""

    biases: np.ndarray  # (n_units,) log odds that the trees start from
    first: np.ndarray  # (n_units + 1,) first tree of each unit, int64
    roots: np.ndarray  # (n_trees,) first node of each tree, int64
    predictors: np.ndarray  # (n_nodes,) what a node asks about, -1 for a leaf, int64
    thresholds: np.ndarray  # (n_nodes,) above which it leads to the right
    left: np.ndarray  # (n_nodes,) next node, int64
    right: np.ndarray  # (n_nodes,), int64
    values: np.ndarray  # (n_nodes,) what a leaf adds, nats


@subroutine
def _log_odds(word, count, i, trees):
    """Log odds of unit i given the units before it, of which ``count`` are active."""
    total = trees.biases[i]
    for tree in range(trees.first[i], trees.first[i + 1]):
        node = trees.roots[tree]
        predictor = trees.predictors[node]
        while predictor >= 0:
            value = count if predictor == i else word[predictor]
            node = trees.right[node] if value > trees.thresholds[node] else trees.left[node]
            predictor = trees.predictors[node]
        total += trees.values[node]
    return total


# log p of each word: the sum over units given those before them.
# Cost: one comparison per tree and level, for each word and unit.
# Pinned by tests/models/test_boosted.py against scikit-learn.
@kernel(parallel=True)
def boosted_log_probability(words, trees, out):
    """Fill ``out`` (n_words,), nats."""
    for u in prange(words.shape[0]):
        total, count = 0.0, 0
        for i in range(words.shape[1]):
            log_odds = _log_odds(words[u], count, i, trees)
            total += gate(-log_odds if words[u, i] else log_odds)[2]
            count += words[u, i]
        out[u] = -total


# Draws words unit by unit: a unit is active where its uniform number is below its probability.
# Cost: that of log probabilities.
# Pinned by tests/models/test_every_model.py against the probabilities of all words.
@kernel(parallel=True)
def boosted_draw(uniform, trees, out):
    """Fill ``out`` (n_words, n_units) from uniform numbers of the same shape."""
    for u in prange(out.shape[0]):
        count = 0
        for i in range(out.shape[1]):
            log_odds = _log_odds(out[u], count, i, trees)
            out[u, i] = 1 if uniform[u, i] * (1.0 + math.exp(-log_odds)) < 1.0 else 0
            count += out[u, i]
