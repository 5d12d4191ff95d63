"""Trees of units: each unit depends on at most one other (Chow & Liu 1968)."""

from __future__ import annotations

import numpy as np

from ..kernels.loops.two_trees import spanning_tree
from ..validation import Floats
from ._ancestral import Ancestral, Places


class Tree(Ancestral):
    """The pairwise model on the tree with most mutual information, exact at any size.

    The maximum spanning tree of the mutual informations of all pairs is the tree of highest
    likelihood (Chow & Liu 1968). It is an Ising model with couplings along its edges only, whose
    normaliser, entropy and samples have closed forms. With fewer edges it is a forest: of all
    forests with so many edges, that of highest likelihood.

    Each unit has its training rate, kept half a count away from never and always. A coupling is the
    log odds ratio of the two units with half a word added to each of the four cells of their
    table, so that pairs that were never active together have finite ones.

    Parameters
    ----------
    n_edges : int, optional
        Edges to keep, the most informative ones; by default all that have any information.
        :func:`microcolumn.choose` finds the number that held-out words prefer.

    Attributes
    ----------
    edges_ : ndarray of int64, shape (n_edges, 2)
        Units at the two ends of each edge, the most informative edge first.
    information_ : ndarray, shape (n_edges,)
        Mutual information of these two units in the training words, nats.
    entropy_ : float
        Entropy of the model, nats per word.
    b_ : ndarray, shape (n_units,)
        Biases of the Ising model that this is; see :meth:`as_parameters` for the couplings.

    Examples
    --------
    >>> import microcolumn as mc
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((1000, 3)) < 0.2
    >>> X[:, 2] ^= X[:, 0]
    >>> Tree(n_edges=1).fit(X).edges_.tolist()
    [[2, 0]]
    """

    def _grown(self, pairs: Floats, n_words: float) -> tuple[Places, Places, Floats]:
        n_units = len(pairs)
        order, parents = np.empty(n_units, dtype=np.int64), np.full((n_units, 2), -1)
        gains = np.zeros((n_units, 2))
        spanning_tree(pairs, n_words, order, parents[:, 0], gains[:, 0])
        return order, parents, gains

    @classmethod
    def _most_edges(cls, n_units: int) -> int:
        return n_units - 1
