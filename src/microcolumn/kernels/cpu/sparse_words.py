"""Log weights and weighted moments of many words whose active bits are listed.

Words come as in a sparse matrix: the active bits of word u are ``active`` from ``offsets[u]`` to
``offsets[u + 1]``. Hidden units run across the lanes, padded to whole rows with weights of zero
and biases so low that they are off for certain.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ...validation import Floats
from ..arrays import ModelArrays
from ..compile import kernel
from ..loops.threads import threads_for
from ..simd.elementary import sigmoids, softplus
from ..simd.lanes import WIDTH, reduce_add, splat
from ..simd.memory import load, store

#: Words are added up in so many chunks, whatever the number of threads.
_CHUNKS = 16


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
        self._first = np.concatenate([[0], inner, [self.n_words]]).astype(np.intp)

    def log_weights(self, model: ModelArrays) -> Floats:
        """Unnormalised log probability of each word (nats), shape (n_words,)."""
        out = np.empty(self.n_words)
        J = np.zeros((0, 0)) if model.J is None else model.J
        with threads_for(self._operations(model)):
            _log_weights(self._offsets, self._active, model.b, J, *model.hidden_in_rows(WIDTH), out)
        if model.v is not None:
            out += model.v[np.diff(self._offsets)]
        return out

    def moments(self, model: ModelArrays, weights: Floats) -> ModelArrays:
        """Sum over words of weight times what each array of the model multiplies in log p~.

        These are x, xx' without its diagonal, x sigmoid(z)', sigmoid(z), and whether so many bits
        are active, for the arrays that the model has. ``weights`` has shape (n_words,).
        """
        W, c = model.hidden_in_rows(WIDTH)
        n, n_hidden = self.n_units, model.n_hidden
        pairs = np.zeros((_CHUNKS, n if model.J is not None else 1, n))
        crossed, hidden = np.zeros((_CHUNKS, *W.shape)), np.zeros((_CHUNKS, c.size))
        bits = self._offsets, self._active
        with threads_for(self._operations(model)):
            _moments(*bits, weights, W, c, self._first, pairs, crossed, hidden)
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


# log p~ of each word: sum of b, of 2 J over pairs, and of softplus(c + W'x).
# Cost: one addition per active bit and hidden unit, a softplus per hidden unit, a load per pair.
# Pinned to microcolumn.energy by tests/kernels/cpu/test_sparse_words.py.
@kernel(parallel=True)
def _log_weights(offsets, active, biases, couplings, weights, hidden_biases, out):
    """Fill ``out`` (n_words,); ``couplings`` are (0, 0) for a model without."""
    coupled, n_hidden = couplings.shape[0] > 0, hidden_biases.size
    for u in prange(out.size):
        begin, end = offsets[u], offsets[u + 1]
        value = 0.0
        for k in range(begin, end):
            n = active[k]
            value += biases[n]
            if coupled:
                row = couplings[n]
                pairs = 0.0
                for j in range(begin, k):
                    pairs += row[active[j]]
                value += 2.0 * pairs
        total = splat(0.0, WIDTH)
        for i in range(0, n_hidden, WIDTH):
            z = load(hidden_biases, i)
            for k in range(begin, end):
                z = z + load(weights, (active[k], i))
            total = total + softplus(z)
        out[u] = value + reduce_add(total)


# Adds up weight * (x, x x', x sigmoid(z)', sigmoid(z)) of the words of each chunk.
# Cost: two additions per active bit and hidden unit, a sigmoid per hidden unit, one per pair.
# Pinned to dense products by tests/kernels/cpu/test_sparse_words.py.
@kernel(parallel=True)
def _moments(offsets, active, word_weights, weights, hidden_biases, first, pairs, crossed, hidden):
    """Add to ``pairs`` (rates on the diagonal, pairs below it), ``crossed`` and ``hidden``.

    Each has one part per chunk; chunk k holds the words ``first[k]`` to ``first[k + 1]``.
    Without couplings ``pairs`` holds rates alone, (n_chunks, 1, n_units).
    """
    n_hidden, coupled = hidden_biases.size, pairs.shape[1] > 1
    for chunk in prange(first.size - 1):
        for u in range(first[chunk], first[chunk + 1]):
            begin, end, weight = offsets[u], offsets[u + 1], word_weights[u]
            if weight == 0.0:
                continue
            for k in range(begin, end):
                n = active[k]
                if coupled:
                    for j in range(begin, k + 1):
                        pairs[chunk, n, active[j]] += weight
                else:
                    pairs[chunk, 0, n] += weight
            for i in range(0, n_hidden, WIDTH):
                z = load(hidden_biases, i)
                for k in range(begin, end):
                    z = z + load(weights, (active[k], i))
                s, _ = sigmoids(z)
                s = s * weight
                store(hidden, (chunk, i), load(hidden, (chunk, i)) + s)
                for k in range(begin, end):
                    n = active[k]
                    store(crossed, (chunk, n, i), load(crossed, (chunk, n, i)) + s)
