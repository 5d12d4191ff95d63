"""The Ising model: biases and pairwise couplings."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from ..parameters import Kind
from ._settings import document_shared_parameters
from .penalised import PenalisedModel


@document_shared_parameters
@dataclass(eq=False, repr=False)
class Ising(PenalisedModel):
    """Pairwise maximum-entropy model, log p~(x) = x'Jx + b'x.

    Parameters
    ----------
    l1 : float
        L1 penalty per entry of J (each pair counts twice).
    {shared parameters}

    Examples
    --------
    >>> words = [[0, 0]] * 90 + [[1, 1]] * 6 + [[0, 1]] * 2 + [[1, 0]] * 2
    >>> model = Ising(l1=0.0).fit(words)
    >>> bool(model.J_[0, 1] > 0), model.optimality_ < 1e-6
    (True, True)
    """

    _kind: ClassVar[Kind] = "ising"

    l1: float = 1e-4
    _: KW_ONLY
    objective: str = "likelihood"
    n_init: int = 1
    tol: float | None = None
    max_iter: int = 5000
    random_state: Any = 0
