"""Trees and 2-trees of units: each depends on at most one other, or on two that share an edge."""

from __future__ import annotations

from ..kernels.loops.two_trees import grow_two_tree, spanning_tree
from ..validation import Floats
from ._ancestral import Ancestral, Places


class Tree(Ancestral):
    """The pairwise model on the tree with most mutual information, exact at any size.

    The tree of highest likelihood (Chow & Liu 1968; docs/method.md, section 11) is an Ising model
    with couplings along its edges only, whose normaliser, entropy and samples have closed forms.
    With fewer edges it is a forest: of all forests with so many edges, that of highest likelihood.

    Parameters
    ----------
    n_edges : int, optional
        Edges to keep, the most informative ones; by default all that have any information.
        :func:`microcolumn.evaluate.choose` finds the number that held-out words prefer.

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
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((1000, 3)) < 0.2
    >>> X[:, 2] ^= X[:, 0]
    >>> Tree(n_edges=1).fit(X).edges_.tolist()
    [[2, 0]]
    """

    @staticmethod
    def _grow(pairs: Floats, n_words: float, order: Places, parents: Places, gains: Floats) -> None:
        spanning_tree(pairs, n_words, order, parents[:, 0], gains[:, 0])

    @classmethod
    def _most_edges(cls, n_units: int) -> int:
        return n_units - 1


class TwoTree(Ancestral):
    """The pairwise model on a 2-tree that a greedy search finds, exact at any size.

    A tree with loops (Carcamo & Lynn 2024, "GSP networks"; docs/method.md, section 11): a product
    of logistic regressions of each unit on two parents that share an edge, without interaction. It
    is an Ising model whose normaliser, entropy and samples have closed forms.

    Parameters
    ----------
    n_edges : int, optional
        Edges to keep, the most informative ones, a second parent only after the first one; by
        default all that have any information. :func:`microcolumn.tune` finds the number that
        held-out words prefer.

    Attributes
    ----------
    edges_ : ndarray of int64, shape (n_edges, 2)
        A unit and its parent at the two ends of each edge, the most informative edge first.
    information_ : ndarray, shape (n_edges,)
        What this parent says of this unit in the training words, nats: the mutual information for
        a first parent, what it adds to that for a second one.
    entropy_, b_
        As of :class:`Tree`.

    Examples
    --------
    >>> import microcolumn as mc
    >>> words = mc.simulate.microcolumn(n_units=6, minutes=1, seed=0).bin(0.020)
    >>> model = TwoTree().fit(words)
    >>> len(model.edges_)
    9
    """

    _grow = staticmethod(grow_two_tree)

    @classmethod
    def _most_edges(cls, n_units: int) -> int:
        return max(2 * n_units - 3, 0)
