"""The choice of a penalty on the validation part (METHOD section 6)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple


class Candidate(NamedTuple):
    """A fit of a path.

    Parameters
    ----------
    penalty : float
        Its L1 penalty.
    bits_per_second : float
        Excess log-likelihood on the validation part.
    converged : bool
        Whether its log Z may be relied upon.
    """

    penalty: float
    bits_per_second: float
    converged: bool


def chosen(candidates: Iterable[Candidate]) -> Candidate:
    """Candidate with the best validation score, of equals the sparsest.

    A fit whose log Z has not converged is chosen only if there is no other: annealing that misses
    a mode makes log Z too small and the score too good.

    Examples
    --------
    >>> chosen([Candidate(0.0, 9.0, False), Candidate(1e-3, 8.0, True), Candidate(2e-3, 8.0, True)])
    Candidate(penalty=0.002, bits_per_second=8.0, converged=True)
    """

    def rank(candidate: Candidate) -> tuple[bool, bool, float, float]:
        score = candidate.bits_per_second
        known = not math.isnan(score)
        return candidate.converged, known, score if known else 0.0, candidate.penalty

    return max(candidates, key=rank)
