"""Fitted parameters along the path of penalties, small enough to travel in a page."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluate.activation import hidden_activation
from ..models import PopulationModel
from ..study.catalogue import NotComputedError, Place
from ..study.results import Results
from ..words import Words

#: How log Z was found, for readers who do not know the words of the store.
_METHODS = {
    "ais": "annealed importance sampling",
    "exact, visible side": "summed exactly over all words",
    "exact, hidden side": "summed exactly over hidden states",
}


@dataclass(frozen=True, slots=True, eq=False)
class Sparse:
    """Entries of a matrix other than zero.

    Parameters
    ----------
    places : ndarray of int64, shape (n_entries,)
        ``row * n_columns + column``, increasing.
    values : ndarray of float64, shape (n_entries,)
        What stands there.
    """

    places: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, matrix: NDArray[np.float64]) -> Sparse:
        """The entries of a matrix."""
        flat = matrix.ravel()
        places = np.flatnonzero(flat)
        return cls(places, flat[places])

    def as_dict(self, most: int) -> dict[str, Any]:
        """The ``most`` strongest entries for JSON: places as gaps, four significant digits."""
        kept = np.arange(self.places.size)
        if kept.size > most:
            kept = np.sort(np.argsort(-np.abs(self.values), kind="stable")[:most])
        gaps = np.diff(self.places[kept], prepend=0)
        return {
            "total": int(self.places.size),
            "gaps": gaps.tolist(),
            "values": [rounded(value) for value in self.values[kept].tolist()],
        }


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One model at one penalty, drawn in the order of the page.

    Parameters
    ----------
    facts : dict
        Penalty, validation score, how log Z was found, numbers of parameters.
    couplings, weights : Sparse or None
        Of bits x bits (above the diagonal alone) and of bits x live hidden units.
    """

    facts: dict[str, Any]
    couplings: Sparse | None
    weights: Sparse | None

    @property
    def matrices(self) -> list[Sparse]:
        """The matrices that the model has."""
        return [each for each in (self.couplings, self.weights) if each is not None]

    def as_dict(self, most: int) -> dict[str, Any]:
        """For JSON, with at most so many entries of a matrix."""
        return self.facts | {
            "J": None if self.couplings is None else self.couplings.as_dict(most),
            "W": None if self.weights is None else self.weights.as_dict(most),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """One model at every penalty.

    Parameters
    ----------
    name, model, n_hidden : str, str and int
        Full name, class and number of hidden units, live or not.
    chosen : int or None
        Which step the validation part chose; None where nothing is tested yet.
    steps : list of Step
        In the plan's order.
    """

    name: str
    model: str
    n_hidden: int
    chosen: int | None
    steps: list[Step]

    def as_dict(self, most: int) -> dict[str, Any]:
        """For JSON, with at most so many entries of a matrix."""
        return {
            "name": self.name,
            "model": self.model,
            "n_hidden": self.n_hidden,
            "chosen": self.chosen,
            "steps": [step.as_dict(most) for step in self.steps],
        }


def paths_at(
    results: Results, place: Place, rows: NDArray[np.int64], words: Words | None
) -> list[Path]:
    """Paths of all models of split 0 that are computed.

    Parameters
    ----------
    results : Results
        Of the study.
    place : Place
        Recording, experiment and lags.
    rows : ndarray of int64, shape (n_bits,)
        Bit that each row of the page shows.
    words : Words or None
        Of the test part, by which hidden units are ordered; None where they cannot be read.
    """
    where: dict[str, Any] = {"experiment": place.experiment.name, "lags": place.lags}
    found = []
    for variant in results.catalogue.variants(place):
        try:
            models = results.path(place.recording, variant.name, **where)
        except NotComputedError:
            continue
        scores = results.normalisers(place.recording, variant.name, **where)
        penalties = place.experiment.penalties
        try:
            used = results.model(place.recording, variant.name, **where).l1
            chosen = penalties.index(used)
        except NotComputedError:
            chosen = None
        steps = [
            _step(model, penalty, scores.get(penalty, {}), rows, words)
            for model, penalty in zip(models, penalties, strict=True)
        ]
        found.append(Path(variant.name, variant.model, variant.n_hidden, chosen, steps))
    return found


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
    model: PopulationModel,
    penalty: float,
    score: Any,
    rows: NDArray[np.int64],
    words: Words | None,
) -> Step:
    theta = model.parameters_
    hidden = np.flatnonzero(theta.live)
    if words is not None:
        hidden = hidden_activation(model, words).order
    method = score.get("method")
    facts = {
        "penalty": penalty,
        "score": rounded(score.get("validation_bits_per_second")),
        "error": rounded(score.get("validation_stderr")),
        "method": _METHODS.get(method, method),
        "converged": bool(score.get("converged", True)),
        "hidden": hidden.tolist(),
    }
    J = None if theta.J is None else Sparse.of(np.triu(theta.J[np.ix_(rows, rows)], 1))
    W = None if theta.W is None else Sparse.of(theta.W[np.ix_(rows, hidden)])
    return Step(facts, J, W)
