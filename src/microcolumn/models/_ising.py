"""The Ising model: biases and pairwise couplings."""

from __future__ import annotations

from typing import Any, ClassVar

from ..parameters import Kind
from ._penalised import PenalisedModel


class Ising(PenalisedModel):
    """Pairwise maximum-entropy model, log p~(x) = x'Jx + b'x.

    Parameters
    ----------
    l1 : float
        Penalty per entry of J (each pair counts twice).
    objective : {"mpf", "likelihood"}
        Minimum probability flow, or exact maximum likelihood (up to about 30 units).
    complement : bool
        With "mpf", count the word with all bits flipped as one more neighbour. Off by default: at
        the best penalty it changes nothing on held-out words. Without a penalty it keeps sparse
        data from growing a mode of all cells active (``benchmarks/complement.py``).
    device : {"auto", "cpu"}
        Where kernels run.
    n_init : int
        Number of starts. The problem is convex, so that one is enough.
    tol : float
        Largest violation of the optimality conditions that counts as converged. The default is
        tight because the optimum is unique: any start gives the same parameters to six digits.
    max_iter : int
        Most iterations of the solver.
    random_state : int, Generator, RandomState or None
        Seed of the random starts.

    Examples
    --------
    >>> words = [[0, 0]] * 90 + [[1, 1]] * 6 + [[0, 1]] * 2 + [[1, 0]] * 2
    >>> model = Ising(l1=0.0).fit(words)
    >>> bool(model.J_[0, 1] > 0), model.optimality_ < 1e-6
    (True, True)
    """

    _kind: ClassVar[Kind] = "ising"

    def __init__(
        self,
        l1: float = 2e-3,
        *,
        objective: str = "mpf",
        complement: bool = False,
        device: str = "auto",
        n_init: int = 1,
        tol: float = 1e-10,
        max_iter: int = 5000,
        random_state: Any = 0,
    ) -> None:
        self.l1 = l1
        self.objective = objective
        self.complement = complement
        self.device = device
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
