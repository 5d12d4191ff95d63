"""Couplings: x'Jx, so that a pair contributes 2 J_nm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..validation import Floats
from ._term import Term


@dataclass(frozen=True, slots=True, eq=False)
class Pairs(Term):
    """Couplings ``J`` (n_visible, n_visible), symmetric with a zero diagonal."""

    J: Floats

    def log_weight(self, x: Floats) -> Floats:
        return np.asarray(np.einsum("un,un->u", x @ self.J, x))

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        together = (x * weights[:, None]).T @ x
        np.fill_diagonal(together, 0.0)
        return {"J": together}
