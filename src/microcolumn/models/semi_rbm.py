"""The semi-restricted Boltzmann machine: couplings and hidden units."""

from __future__ import annotations

from typing import ClassVar

from ..parameters import Kind
from .penalised import HiddenModel


class SemiRBM(HiddenModel):
    """Semi-restricted Boltzmann machine: an Ising model with hidden units.

    Parameters
    ----------
    n_hidden : int
        Number of hidden units; the penalty decides how many stay alive.
    l1 : float
        Penalty per entry of J (each pair counts twice) and of W.
    objective : {"mpf", "likelihood"}
        Minimum probability flow, or exact maximum likelihood (up to about 25 units).
    complement : bool
        With "mpf", count the word with all bits flipped as one more neighbour. Off by default: at
        the best penalty it changes nothing on held-out words. Without a penalty it keeps sparse
        data from growing a mode of all cells active (``benchmarks/complement.py``).
    device : {"auto", "cpu"}
        Where kernels run.
    n_init : int
        Number of random starts besides those from the RBM and the Ising
        model inside it; the lowest objective wins.
    tol : float
        Largest violation of the optimality conditions that counts as converged.
    max_iter : int
        Most iterations of the solver from one start.
    random_state : int, Generator, RandomState or None
        Seed of the random starts.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((500, 1)) < 0.1
    >>> words = (rng.random((500, 4)) < np.where(together, 0.7, 0.05)).astype(int)
    >>> model = SemiRBM(n_hidden=3, l1=0.01).fit(words)
    >>> model.J_.shape, model.W_.shape
    ((4, 4), (4, 3))
    """

    _kind: ClassVar[Kind] = "srbm"
