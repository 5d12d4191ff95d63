"""How active hidden units are over words; figures order them by it (docs/method.md, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..energy import hidden_mean
from ..models import PopulationModel
from ..parameters import Parameters
from ..validation import Floats, chunks
from ..words import Words
from .inputs import words_for


@dataclass(frozen=True, slots=True, eq=False)
class HiddenActivation:
    """Activation P(h_k = 1 | x) of each hidden unit over words, each as often as it occurs.

    All arrays have shape (n_hidden,). The variance is the mean squared deviation, so that one word
    has variance 0; ``live`` hidden units have at least one weight other than zero.
    """

    mean: Floats
    variance: Floats
    live: NDArray[np.bool_]

    @property
    def order(self) -> NDArray[np.int64]:
        """Live hidden units by decreasing variance, equal ones by position, shape (n_live,)."""
        live = np.flatnonzero(self.live)
        return live[np.argsort(-self.variance[live], kind="stable")]


def in_windows(model: PopulationModel, words: Words) -> Words:
    """Words that the model takes, its order of units; single bins become windows of its length."""
    window, rest = divmod(model.n_features_in_, words.n_units)
    longer = words.window == 1 < window and not rest
    return words_for(model, words.embed(window) if longer else words, None)


def activation_in_time(model: PopulationModel, words: Words, hidden: Sequence[int]) -> Floats:
    """P(h_k = 1 | x) for the words that :func:`in_windows` gives, in time, (n_bins, n_chosen)."""
    columns, distinct = list(hidden), np.zeros((len(words), len(hidden)))
    shown = Parameters(b=model.b_, W=model.W_[:, columns], c=model.c_[columns])
    for part in chunks(len(words), words.n_dims):
        distinct[part] = hidden_mean(shown, words.X[part])
    return distinct[words.index]


def hidden_activation(model: PopulationModel, words: Words) -> HiddenActivation:
    """Mean and variance of the activation of a fitted model's hidden units, if it has any."""
    theta, words = model.parameters_, words_for(model, words, None)
    parts = chunks(len(words), max(theta.n_visible, theta.n_hidden))
    total, mean, variance = words.counts.sum(), np.zeros(theta.n_hidden), np.zeros(theta.n_hidden)
    for part in parts:
        mean += words.counts[part] @ hidden_mean(theta, words.X[part]) / total
    # About the mean: a difference of mean squares would lose the variance of units that are nearly
    # always on.
    for part in parts:
        variance += words.counts[part] @ (hidden_mean(theta, words.X[part]) - mean) ** 2 / total
    return HiddenActivation(mean, variance, theta.live)
