"""Independent populations side by side: what each of several components says of words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kernels.loops.mixtures import log_joint, log_mixture, responsibility_sums
from ..kernels.loops.rows import whole_rows
from ..kernels.loops.threads import threads_for
from ..objectives._sparse_words import SparseWords
from ..validation import Floats

#: Log probability of the components that pad a row: they never occur.
_NEVER = -1e30


class Components(NamedTuple):
    """Components as kernels take them, in whole rows of lanes.

    Attributes
    ----------
    logits : ndarray, shape (n_bits, n_padded)
        Log odds of a spike of each bit in each component, nats.
    silent : ndarray, shape (n_padded,)
        Log probability of each component and of the silent word in it.
    n_components : int
        Without those that pad the row.
    """

    logits: Floats
    silent: Floats
    n_components: int

    @classmethod
    def of(cls, modes: Floats, log_weights: Floats) -> Components:
        """From probabilities of a spike (n_components, n_bits) and log weights of components."""
        log_silent = np.log1p(-modes)
        logits = np.ascontiguousarray((np.log(modes) - log_silent).T)
        silent = log_weights + log_silent.sum(axis=1)
        return cls(whole_rows(logits), whole_rows(silent, _NEVER), len(modes))

    def log_probability(self, words: SparseWords) -> Floats:
        """Log of the summed probability of all components, nats, shape (n_words,)."""
        out = np.empty(words.n_words)
        with threads_for(self._operations(words)):
            log_mixture(words.offsets, words.active, self.logits, self.silent, words.first, out)
        return out

    def log_joint(self, words: SparseWords) -> Floats:
        """Log probability of each component and word, nats, shape (n_words, n_padded)."""
        out = np.empty((words.n_words, self.silent.size))
        with threads_for(self._operations(words)):
            log_joint(words.offsets, words.active, self.logits, self.silent, words.first, out)
        return out

    def sums(self, words: SparseWords, counts: Floats) -> tuple[Floats, Floats, float]:
        """Expected spikes (n_components, n_bits) and words (n_components,) of each component.

        Also the log-likelihood of all words, nats. ``counts`` (n_words,) says how often each word
        occurs.
        """
        n_chunks = words.first.size - 1
        spikes, shares = (
            np.zeros((n_chunks, *self.logits.shape)),
            np.zeros((n_chunks, self.silent.size)),
        )
        nats = np.zeros(n_chunks)
        with threads_for(self._operations(words)):
            responsibility_sums(
                words.offsets, words.active, counts, self.logits, self.silent, words.first,
                spikes, shares, nats,
            )  # fmt: skip
        n = self.n_components
        return spikes.sum(axis=0)[:, :n].T, shares.sum(axis=0)[:n], float(nats.sum())

    def _operations(self, words: SparseWords) -> float:
        """Multiply-adds of a pass over the words, roughly: an exponential counts as 20."""
        return float(self.silent.size * (words.active.size + 20.0 * words.n_words))
