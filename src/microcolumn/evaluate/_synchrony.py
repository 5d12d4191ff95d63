"""Synchrony: how many units are active at once, in data or a model (docs/method.md, section 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from ..energy import log_weight, number_active
from ..errors import BadArgument
from ..formatting import counted
from ..kernels.states import states
from ..models import AlternativeModel, WordModel
from ..parameters import Parameters
from ..tables import AsTable
from ..validation import Floats, chunks, whole_number
from ..words import Words, as_words
from ._model_words import chain_stderr, drawn_words
from .inputs import words_for
from .time_errors import mean_stderr


@dataclass(frozen=True, slots=True, eq=False)
class Synchrony(AsTable):
    """Distribution of the number of active bits of a word, by :func:`synchrony`.

    Parameters
    ----------
    probability : ndarray, shape (n_dims + 1,)
        P(k bits active) for k = 0, 1, ...
    stderr : ndarray, shape (n_dims + 1,)
        Standard error: over time for data (docs/method.md, section 6), zero for an exact model and
        for numbers k that never occur, NaN for a single word.
    method : {"words", "exact", "samples"}
        Counted in data, summed over the model's states, or counted in words drawn from it.
    """

    _columns = ("probability", "stderr")

    probability: Floats
    stderr: Floats
    method: Literal["words", "exact", "samples"]

    def __repr__(self) -> str:
        mean = float(self.probability @ np.arange(self.probability.size))
        n_dims = self.probability.size - 1
        return f"Synchrony({mean:.2f} of {counted(n_dims, 'bit')} active on average, {self.method})"


def synchrony(
    source: Words | ArrayLike | WordModel,
    *,
    n_samples: int | None = None,
    initial: Words | ArrayLike | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Synchrony:
    """Distribution of the number of active units, of data or of a model.

    Parameters
    ----------
    source : Words, array_like of shape (n_words, n_units), or WordModel
        Observed words in time order, or a fitted model. For words of several bins, active bits are
        counted over the window.
    n_samples : int, optional
        Models only: draw this many words and count. By default the distribution is exact if a sum
        over all words, or over all hidden states of a model without couplings, takes a few seconds
        at most (about 20 units, or 15 live hidden units); otherwise 100,000 words are drawn, and
        fewer if they have more than 100 units.
    initial : Words or array_like, optional
        Models only: words in time order that Gibbs chains start from, such as the training words.
        Since these are close to equilibrium, the burn-in is ten times shorter.
    random_state : int, Generator or None
        Source of drawn words.

    Examples
    --------
    >>> synchrony([[0, 0], [1, 1], [0, 0], [0, 1]]).probability.tolist()
    [0.5, 0.25, 0.25]
    >>> from microcolumn.models import Independent
    >>> synchrony(Independent.from_parameters(Parameters(b=[0.0, 0.0]))).probability.round(12)
    array([0.25, 0.5 , 0.25])
    """
    if not isinstance(source, WordModel):
        for name, value in (("n_samples", n_samples), ("initial", initial)):
            if value is not None:
                raise BadArgument(name, "is for models", "leave it out to count observed words")
        return _of_words(as_words(source))
    check_is_fitted(source)
    probability = _exact(source) if n_samples is None else None
    if probability is not None:
        return Synchrony(probability, np.zeros_like(probability), "exact")
    start = None if initial is None else words_for(source, initial, None)
    # By default ten million bits, within limits.
    usual = min(max(10_000_000 // source.n_features_in_, 10_000), 100_000)
    n_words = usual if n_samples is None else whole_number("n_samples", n_samples, least=1)
    return _of_samples(source, n_words, start, random_state)


def _of_words(words: Words) -> Synchrony:
    n_active = words.X.sum(axis=1, dtype=np.int64)
    counts = np.bincount(n_active, weights=words.counts, minlength=words.n_dims + 1)
    in_time = n_active[words.index]
    stderr = np.zeros(words.n_dims + 1)
    for k in np.unique(n_active):
        stderr[k] = mean_stderr((in_time == k).astype(np.float64), words.weights)
    return Synchrony(counts / counts.sum(), stderr, "words")


def _of_samples(
    model: WordModel,
    n_samples: int,
    initial: Words | None,
    random_state: int | np.random.Generator | None,
) -> Synchrony:
    """Count sampled words; Gibbs chains are independent, the words of one chain are not."""
    X, n_chains = drawn_words(model, n_samples, initial, random_state)
    n_active, stderr = X.sum(axis=1, dtype=np.int64), np.zeros(X.shape[1] + 1)
    for k in np.unique(n_active):
        stderr[k] = chain_stderr((n_active == k).astype(np.float64), n_chains)
    return Synchrony(np.bincount(n_active, minlength=stderr.size) / n_samples, stderr, "samples")


def _exact(model: WordModel) -> Floats | None:
    """P(k units active) from all words or all hidden states; None if both take too long."""
    if isinstance(model, AlternativeModel):
        return model._active_distribution()
    theta, log_factor = model.parameters_.drop_dead_units()
    n_units, n_hidden = theta.n_visible, theta.n_hidden
    over_words = n_units + math.log2(n_units + n_hidden)
    over_hidden = math.inf if theta.J is not None else n_hidden + 2.0 * math.log2(n_units + 1)
    if min(over_words, over_hidden) > 28.0:  # log2 of the operations of a few seconds
        return None
    log_z = model.log_partition().value - log_factor
    return (_sum_over_words if over_words < over_hidden else _sum_over_hidden)(theta, log_z)


def _sum_over_words(theta: Parameters, log_z: float) -> Floats:
    """P(k units active) from the probability of every word."""
    total = np.zeros(theta.n_visible + 1)
    for part in chunks(1 << theta.n_visible, theta.n_visible + theta.n_hidden):
        X = states(theta.n_visible, np.arange(part.start, part.stop))
        n_active = X.sum(axis=1).astype(np.intp)
        total += np.bincount(n_active, np.exp(log_weight(theta, X) - log_z), total.size)
    return total


def _sum_over_hidden(theta: Parameters, log_z: float) -> Floats:
    """P(k units active) from every hidden state, given which the units are independent."""
    total = np.zeros(theta.n_visible + 1)
    for part in chunks(1 << theta.n_hidden, theta.n_visible + 1):
        h = states(theta.n_hidden, np.arange(part.start, part.stop))
        logits = np.broadcast_to(theta.b, (h.shape[0], theta.n_visible))
        log_p = np.full(h.shape[0], -log_z)
        if theta.W is not None and theta.c is not None:
            logits = logits + h @ theta.W.T
            log_p += h @ theta.c
        log_p += np.logaddexp(0.0, logits).sum(axis=1)
        total += np.exp(log_p) @ number_active(expit(logits), expit(-logits))
    return total
