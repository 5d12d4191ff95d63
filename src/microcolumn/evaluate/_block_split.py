"""Cross-validation by blocks of time, as a splitter of scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import BadInput
from ..timeline import default_blocks
from ..validation import random_generator, whole_number
from ..words import Words

Places = NDArray[np.intp]


class BlockSplit:
    """Deal some twenty contiguous blocks of time to folds; each fold is the test part once.

    Neighbouring bins of a recording resemble each other, and so do bins that drift together. A
    splitter that deals single bins therefore scores a model on what it has nearly seen.

    Parameters
    ----------
    n_splits : int
        Number of folds, at least 2.
    random_state : int or numpy.random.Generator
        Seed of the deal.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from microcolumn import Ising, simulate
    >>> words = simulate.microcolumn(n_units=4, minutes=2, seed=0).bin()
    >>> search = GridSearchCV(Ising(), {"l1": [1e-4, 1e-3]}, cv=BlockSplit(3))
    >>> search.fit(words).n_splits_
    3
    """

    def __init__(self, n_splits: int = 5, random_state: int | np.random.Generator = 0) -> None:
        self.n_splits = whole_number("n_splits", n_splits, least=2)
        self.random_state = random_state

    def __repr__(self) -> str:
        return f"BlockSplit({self.n_splits})"

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Number of folds."""
        return self.n_splits

    def split(
        self, X: Words | ArrayLike, y: object = None, groups: object = None
    ) -> Iterator[tuple[Places, Places]]:
        """Places of the training and of the test bins of each fold, both in time order.

        Parameters
        ----------
        X : Words or array_like, shape (n_bins, n_units)
            Bins in time order.
        y, groups
            Not used; scikit-learn passes them.
        """
        n_bins = X.n_bins if isinstance(X, Words) else len(np.asarray(X))
        per_fold = -(-default_blocks(n_bins, 1) // self.n_splits)
        n_blocks = per_fold * self.n_splits
        if n_blocks > n_bins:
            raise BadInput(f"{n_bins} bins are too few for {n_blocks} blocks", "use fewer splits")
        rng = random_generator(self.random_state)
        folds = rng.permutation(np.arange(n_blocks) % self.n_splits)
        sizes = np.diff(np.arange(n_blocks + 1) * n_bins // n_blocks)
        fold_of_bin = np.repeat(folds, sizes)
        for fold in range(self.n_splits):
            is_test = fold_of_bin == fold
            yield np.flatnonzero(~is_test), np.flatnonzero(is_test)
