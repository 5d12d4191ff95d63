"""Reliable interactions: coefficients in closed form from words that occur often."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval

from ..energy import Tables
from ..partition import LogPartition
from ..validation import Bits, Floats, chunks, random_generator
from ..words import Words
from ._saving import Arrays, floats, normaliser_array, normaliser_of, shaped
from ._table_model import TableModel, found_log_partition
from ._words_estimator import floored_rates

#: Most annealing steps.
_STEPS = 4000


class ReliableInteractions(TableModel):
    """Interactions of the words that occur often, in closed form (Ganmor et al. 2011).

        log p(x) = log p(0) + sum of beta_s over the reliable words s whose active units x contains

    Reliable are words that occur more than ``n_min`` times. From few active units to many,
    beta_s = log p(s) - log p(0) less the beta of all reliable words within s, so that reliable
    words have their observed frequency; that of the silent word is 1 / Z of the paper. Words of one
    active unit always count, or a unit would cost nothing. Frequencies count one more word than the
    data, drawn from independent units at the training rates, which stay half a count away from 0
    and 1.

    Such a sum is not normalised: ``mass_`` is what it adds up to over all words. With up to 20
    units that is summed, beyond it is estimated by annealed importance sampling, with the error and
    the verdict that :meth:`log_partition` gives. Scores divide by it: whatever the mass is, the
    model that is scored is a distribution.

    Parameters
    ----------
    n_min : int
        Words that occur more often are reliable.
    random_state : int, Generator or None
        Source of annealing.

    Attributes
    ----------
    b_ : ndarray, shape (n_units,)
        beta of words of one active unit, nats.
    reliable_ : ndarray of uint8, shape (n_reliable, n_units)
        The other reliable words, from few active units to many.
    interactions_ : ndarray, shape (n_reliable,)
        Their beta, nats.
    log_silent_ : float
        Log of the frequency of the silent word.
    mass_ : float
        What the published formula sums up to: below 1 there is mass missing, above it is too much.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((2000, 1)) < 0.1
    >>> model = ReliableInteractions().fit(rng.random((2000, 4)) < np.where(together, 0.7, 0.05))
    >>> len(model.reliable_), round(model.mass_, 2)
    (9, 1.0)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_min": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    reliable_: Bits
    interactions_: Floats
    log_silent_: float

    def __init__(self, n_min: int = 10, random_state: Any = 0) -> None:
        self.n_min = n_min
        self.random_state = random_state

    @property
    def mass_(self) -> float:
        """Sum of the published formula over all words; 1 if it were normalised."""
        return math.exp(min(self.log_partition().value, 700.0))

    @property
    def n_parameters_(self) -> int:
        """Words of one active unit, other reliable words, and the silent one."""
        return int(self.b_.size) + len(self.interactions_) + 1

    @property
    def n_nonzero_(self) -> int:
        """Reliable words of two active units or more."""
        return len(self.interactions_)

    @property
    def size_(self) -> str:
        """Number of reliable words of two active units or more."""
        return f"{len(self.interactions_)} words"

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Five numbers of occurrences."""
        return tuple({"n_min": n_min} for n_min in (5, 10, 20, 50, 100))

    def _fit(self, words: Words) -> None:
        rates = floored_rates(words)
        n_words = max(float(words.counts.sum()), float(words.n_bins))
        counts = words.counts * (n_words / words.counts.sum())
        n_active = words.X.sum(axis=1, dtype=np.intp)
        often = (counts > self.n_min) & (n_active > 1)
        order = np.argsort(n_active[often], kind="stable")
        self.reliable_ = np.ascontiguousarray(words.X[often][order])
        seen = _log_frequencies(self.reliable_, counts[often][order], rates, n_words)
        singles = np.eye(words.n_dims, dtype=np.uint8)
        alone, silent = np.zeros(words.n_dims), 0.0
        for row in np.flatnonzero(n_active <= 1):
            if n_active[row]:
                alone[int(words.X[row].argmax())] = counts[row]
            else:
                silent = float(counts[row])
        none = np.zeros((1, words.n_dims), dtype=np.uint8)
        self.log_silent_ = float(_log_frequencies(none, np.array([silent]), rates, n_words)[0])
        self.b_ = _log_frequencies(singles, alone, rates, n_words) - self.log_silent_
        self.interactions_ = _interactions(self.reliable_, seen - self.log_silent_, self.b_)
        rng = random_generator(self.random_state)
        self._log_z = found_log_partition(self._theta(), words, rng, _STEPS)

    def log_partition(self) -> LogPartition:
        """Log of the total mass, nats; not converged where annealing could not make sure of it."""
        return super().log_partition().shifted(self.log_silent_)

    def _tables(self) -> Tables:
        """Each reliable word as a function of the number of its active units: 1 where all are."""
        sizes = self.reliable_.sum(axis=1, dtype=np.intp)
        widest = int(sizes.max(initial=1))
        inputs = np.full((len(sizes), widest), -1, dtype=np.int32)
        rows, units = np.nonzero(self.reliable_)
        first = np.cumsum(sizes) - sizes
        inputs[rows, np.arange(rows.size) - first[rows]] = units
        values = np.zeros((len(sizes), widest + 1))
        values[np.arange(len(sizes)), sizes] = 1.0
        return Tables(inputs, values, self.interactions_)

    def _arrays(self) -> Arrays:
        return {
            "b": self.b_,
            "reliable": self.reliable_,
            "interactions": self.interactions_,
            "log_silent": np.array([self.log_silent_]),
            "log_z": normaliser_array(self.log_partition()),
        }

    @classmethod
    def _from_arrays(cls, arrays: Arrays, settings: dict[str, Any]) -> Self:
        model = cls(**settings)
        model._check_settings()
        model.b_ = shaped("b", floats(arrays, "b"), (arrays["b"].size,))
        words = arrays["reliable"]
        shaped("reliable", words, (len(words), model.b_.size))
        if words.dtype != np.uint8 or (words > 1).any() or (words.sum(axis=1) < 2).any():
            raise ValueError("reliable has rows that are no words of two active units or more")
        model.reliable_ = words
        model.interactions_ = shaped("interactions", floats(arrays, "interactions"), (len(words),))
        model.log_silent_ = float(shaped("log_silent", floats(arrays, "log_silent"), (1,))[0])
        model._log_z = normaliser_of(arrays).shifted(-model.log_silent_)
        model._remember(model.b_.size, None)
        return model


def _log_frequencies(words: Bits, counts: Floats, rates: Floats, n_words: float) -> Floats:
    """Log of how often words occur, one more word of independent units counted."""
    prior = np.exp(words @ np.log(rates) + (1 - words.astype(np.int8)) @ np.log1p(-rates))
    found: Floats = np.log(counts + prior) - math.log(n_words + 1.0)
    return found


def _interactions(words: Bits, log_ratios: Floats, b: Floats) -> Floats:
    """Beta of each word, sorted by active units: its log ratio less the beta of all within it."""
    sizes, found = words.sum(axis=1, dtype=np.intp), log_ratios - words @ b
    members = words.astype(np.float32)
    for size in np.unique(sizes):
        own, before = np.flatnonzero(sizes == size), int(np.searchsorted(sizes, size))
        for part in chunks(own.size, max(before, 1)):
            overlap = members[own[part]] @ members[:before].T
            found[own[part]] -= (overlap == sizes[:before]) @ found[:before]
    return found
