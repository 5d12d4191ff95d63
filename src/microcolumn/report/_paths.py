"""Fitted parameters along the path of penalties, small enough to travel in a page."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluate._activation import hidden_activation
from ..evaluate._splits import StudyComparison
from ..figures._conditions import first_split, where
from ..models import PopulationModel
from ..study import Results
from ..study._index import Condition
from ..study._rows import Row
from ..words import Words

#: How log Z was found, for readers who do not know the words of the store.
_METHODS = {
    "ais": "annealed importance sampling",
    "exact, visible side": "summed exactly over all words",
    "exact, hidden side": "summed exactly over hidden states",
}


def paths_at(
    results: Results,
    condition: Condition,
    compared: StudyComparison,
    rows: NDArray[np.int64],
    words: Words | None,
) -> list[dict[str, Any]]:
    """Every model of the first tested split at every penalty, for JSON except for its matrices.

    Parameters
    ----------
    results, condition, compared
        Of the study, where, and all models there.
    rows : ndarray of int64, shape (n_bits,)
        Bit that each row of the page shows.
    words : Words or None
        Of the test part, by which hidden units are ordered; None where they cannot be read.

    Returns
    -------
    list of dict
        ``chosen`` is the step that the validation part chose. Of each step, ``J`` (above the
        diagonal alone) and ``W`` (of live hidden units) are arrays, None where a model has none.
    """
    penalties, split = condition.experiment.penalties, first_split(compared)
    at = where(condition) | {"recording": condition.recording, "split": split}
    used = {
        model.variant: score.penalty
        for model in compared.models
        for score in model.splits
        if score.split == split
    }
    found = []
    for variant in results.index.variants(condition):
        models = results.path(variant=variant.name, **at)
        scores = results.normalisers(variant=variant.name, **at)
        steps = [
            {"penalty": penalty} | _step(model, scores[penalty], rows, words)
            for model, penalty in zip(models, penalties, strict=True)
        ]
        found.append(
            {
                "name": variant.name,
                "model": variant.model,
                "n_hidden": variant.n_hidden,
                "chosen": penalties.index(used[variant.name]),
                "steps": steps,
            }
        )
    return found


def strongest(matrix: NDArray[np.float64], most: int) -> dict[str, Any]:
    """The strongest entries of a matrix for JSON.

    Parameters
    ----------
    matrix : ndarray of float64, shape (n_rows, n_columns)
        Mostly zeros.
    most : int
        Entries that may be listed.

    Returns
    -------
    dict
        ``total`` counts the entries other than zero; ``gaps`` lead from one place ``row *
        n_columns + column`` to the next; ``values`` have four significant digits.
    """
    flat = matrix.ravel()
    positions = np.flatnonzero(flat)
    kept = positions
    if positions.size > most:
        kept = np.sort(positions[np.argsort(-np.abs(flat[positions]), kind="stable")[:most]])
    return {
        "total": int(positions.size),
        "gaps": np.diff(kept, prepend=0).tolist(),
        "values": [rounded(value) for value in flat[kept].tolist()],
    }


def most_per_matrix(sizes: Iterable[int], budget: int) -> int:
    """Largest number of entries per matrix with which all matrices stay within the budget.

    Examples
    --------
    >>> most_per_matrix([10, 50, 90], 110), most_per_matrix([10, 50], 1000)
    (50, 50)
    """
    left, allowed = budget, 0
    ordered = sorted(sizes)
    for k, size in enumerate(ordered):
        allowed = left // (len(ordered) - k)
        if size > allowed:
            return max(allowed, 1)
        left -= size
    return max(ordered, default=0)


def rounded(value: float | None) -> float | None:
    """Four significant digits, None for what is not finite."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.4g}")


def _step(
    model: PopulationModel, score: Row, rows: NDArray[np.int64], words: Words | None
) -> dict[str, Any]:
    theta = model.parameters_
    live = np.flatnonzero(theta.live)
    hidden = live if words is None else hidden_activation(model, words).order
    return {
        "score": rounded(score["validation_bits_per_second"]),
        "error": rounded(score["validation_stderr"]),
        "method": _METHODS[score["method"]],
        "converged": bool(score["converged"]),
        "hidden": hidden.tolist(),
        "J": None if theta.J is None else np.triu(theta.J[np.ix_(rows, rows)], 1),
        "W": None if theta.W is None else theta.W[np.ix_(rows, hidden)],
    }
