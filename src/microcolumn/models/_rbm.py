"""The restricted Boltzmann machine: biases and hidden units."""

from __future__ import annotations

from typing import ClassVar

from ..parameters import Kind
from ._penalised import HiddenModel


class RBM(HiddenModel):
    """Restricted Boltzmann machine, log p~(x) = b'x + sum_i softplus(c_i + W_i'x).

    Parameters
    ----------
    n_hidden : int
        Number of hidden units; the penalty decides how many stay alive.
    l1 : float
        Penalty per entry of W.
    objective : {"mpf", "likelihood"}
        Minimum probability flow, or exact maximum likelihood (up to about 25 live hidden units
        or 25 units).
    complement : bool
        With "mpf", count the word with all bits flipped as one more neighbour. Off by default: at
        the best penalty it changes nothing on held-out words. Without a penalty it keeps sparse
        data from growing a mode of all cells active (``benchmarks/complement.py``).
    device : {"auto", "cpu"}
        Where kernels run.
    n_init : int
        Number of random starts; the lowest objective wins.
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
    >>> model = RBM(n_hidden=3, l1=0.01).fit(words)
    >>> model.W_.shape, model.n_live_hidden_
    ((4, 3), 1)
    """

    _kind: ClassVar[Kind] = "rbm"
