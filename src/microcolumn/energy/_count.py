"""A potential of the number of active units: v_K."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..validation import Floats
from ._term import Term


@dataclass(frozen=True, slots=True, eq=False)
class Count(Term):
    """The potential ``v`` (n_visible + 1,), zero for 0 and for 1."""

    v: Floats

    def log_weight(self, x: Floats) -> Floats:
        return np.asarray(self.v[x.sum(axis=1).astype(np.intp)])

    def moments(self, x: Floats, weights: Floats, squared: bool = False) -> dict[str, Floats]:
        shares = np.bincount(x.sum(axis=1).astype(np.intp), weights, self.v.size)
        return {"v": shares.astype(np.float64)}
