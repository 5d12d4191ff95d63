"""Log weights and moments of words whose active bits are listed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...validation import Floats
from ..arrays import ModelArrays
from ..loops.threads import threads_for
from ..simd.lanes import WIDTH
from .sparse_words import log_weights, moments

#: Words are added up in so many chunks, whatever the number of threads.
_CHUNKS = 16
#: Input of the hidden units that pad a row: certainly off.
_OFF = -1e4


class SparseWords:
    """Words whose active bits are listed once for many evaluations.

    ``active`` (n_active,) has those of all words, one word after the other, and ``offsets``
    (n_words + 1,) where those of each begin.
    """

    def __init__(self, offsets: NDArray[np.intp], active: NDArray[np.int32], n_units: int) -> None:
        self.n_words, self.n_units = offsets.size - 1, n_units
        self._offsets, self._active = offsets, active
        # Chunks of about equally many active bits.
        work = offsets + 4 * np.arange(self.n_words + 1)
        shares = work[-1] * np.arange(1, _CHUNKS) / _CHUNKS
        inner = np.searchsorted(work, shares)
        #: First word of each of the chunks in which kernels add words up, shape (n_chunks + 1,).
        self.first = np.concatenate([[0], inner, [self.n_words]]).astype(np.intp)

    def log_weights(self, model: ModelArrays) -> Floats:
        """Unnormalised log probability of each word (nats), shape (n_words,)."""
        out = np.empty(self.n_words)
        J = np.zeros((0, 0)) if model.J is None else model.J
        with threads_for(self._operations(model)):
            log_weights(self._offsets, self._active, model.b, J, *_padded(model), out)
        if model.v is not None:
            out += model.v[np.diff(self._offsets)]
        return out

    def moments(self, model: ModelArrays, weights: Floats) -> ModelArrays:
        """Sum over words of weight times what each array of the model multiplies in log p~.

        These are x, xx' without its diagonal, x sigmoid(z)', sigmoid(z), and whether so many bits
        are active, for the arrays that the model has. ``weights`` has shape (n_words,).
        """
        W, c = _padded(model)
        n, n_hidden = self.n_units, model.n_hidden
        pairs = np.zeros((_CHUNKS, n if model.J is not None else 1, n))
        crossed, hidden = np.zeros((_CHUNKS, *W.shape)), np.zeros((_CHUNKS, c.size))
        bits = self._offsets, self._active
        with threads_for(self._operations(model)):
            moments(*bits, weights, W, c, self.first, pairs, crossed, hidden)
        summed = pairs.sum(axis=0)
        sums = ModelArrays(summed[0])
        if model.J is not None:
            below = np.tril(summed, -1)
            sums = sums._replace(b=np.diagonal(summed).copy(), J=below + below.T)
        if n_hidden:
            W, c = crossed.sum(axis=0)[:, :n_hidden], hidden.sum(axis=0)[:n_hidden]
            sums = sums._replace(W=W, c=c)
        if model.v is not None:
            counts = np.bincount(np.diff(self._offsets), weights, model.v.size)
            sums = sums._replace(v=counts.astype(np.float64))
        return sums

    def _operations(self, model: ModelArrays) -> float:
        """Multiply-adds, roughly: a sigmoid counts as 20."""
        n_active = float(self._active.size)
        pairs = n_active**2 / max(self.n_words, 1) if model.J is not None else 0.0
        return float(pairs + model.n_hidden * (n_active + 20.0 * self.n_words))


def _padded(model: ModelArrays) -> tuple[Floats, Floats]:
    """Weights and hidden biases with hidden units in whole rows."""
    filling = -model.n_hidden % WIDTH
    W, c = np.zeros((model.n_units, model.n_hidden + filling)), np.full(filling, _OFF)
    W[:, : model.n_hidden] = model.hidden[0]
    return W, np.concatenate([model.hidden[1], c])
