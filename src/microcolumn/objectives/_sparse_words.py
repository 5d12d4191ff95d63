"""Words as lists of their active bits, with what a model says of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..kernels.cpu.sparse_words import log_weights, moments
from ..kernels.cpu.threads import threads_for
from ..kernels.simd.lanes import WIDTH
from ..packing import packed, unpacked
from ..parameters import Parameters
from ..validation import Bits, Floats, chunks

#: Words are added up in so many chunks, whatever the number of threads.
_CHUNKS = 16
#: Input of the hidden units that pad a row: certainly off.
_OFF = -1e4


class SparseWords:
    """Words whose active bits are listed once for many evaluations.

    Parameters
    ----------
    keys : ndarray of uint64, shape (n_integers, n_words)
        Words as :func:`microcolumn.packing.packed` gives them.
    n_units : int
        Bits of a word.

    Attributes
    ----------
    active, offsets : ndarray
        Active bits of all words one after the other, and where those of each word begin, shape
        (n_words + 1,).
    first : ndarray, shape (n_chunks + 1,)
        First word of each of the chunks in which kernels add words up.
    """

    def __init__(self, keys: NDArray[np.uint64], n_units: int) -> None:
        self.n_words, self.n_units = keys.shape[1], n_units
        active, n_active = [np.zeros(0, dtype=np.int32)], np.zeros(self.n_words, dtype=np.intp)
        for part in chunks(self.n_words, n_units):
            words = unpacked(keys[:, part], n_units)
            n_active[part] = words.sum(axis=1, dtype=np.intp)
            active.append(np.nonzero(words)[1].astype(np.int32))
        self.active = np.concatenate(active)
        self.offsets = np.concatenate([[0], np.cumsum(n_active)])
        # Chunks of about equally many active bits.
        work = self.offsets + 4 * np.arange(self.n_words + 1)
        shares = work[-1] * np.arange(1, _CHUNKS) / _CHUNKS
        inner = np.searchsorted(work, shares)
        self.first = np.concatenate([[0], inner, [self.n_words]]).astype(np.intp)

    @classmethod
    def of(cls, words: Bits) -> SparseWords:
        """From binary words, shape (n_words, n_units)."""
        return cls(packed(words), words.shape[1])

    def log_weights(self, theta: Parameters) -> Floats:
        """Unnormalised log probability of each word (nats), shape (n_words,)."""
        if theta.is_gaussian:
            pairs, constant = theta.as_pairs()
            return self.log_weights(pairs) + constant
        out = np.empty(self.n_words)
        J = np.zeros((0, 0)) if theta.J is None else theta.J
        with threads_for(self._operations(theta)):
            log_weights(self.offsets, self.active, theta.b, J, *_padded(theta), out)
        if theta.v is not None:
            out += theta.v[np.diff(self.offsets)]
        return out

    def moments(self, theta: Parameters, weights: Floats) -> Parameters:
        """Sum over words of weight times x, xx', x sigmoid(z)' and sigmoid(z), as ``Parameters``.

        For a potential also the weight of the words with each number of active bits. ``weights``
        has shape (n_words,).
        """
        if theta.is_gaussian:
            return theta.pulled_back(self.moments(theta.as_pairs()[0], weights), weights.sum())
        W, c = _padded(theta)
        n, n_hidden = self.n_units, theta.n_hidden
        pairs = np.zeros((_CHUNKS, n if theta.J is not None else 1, n))
        crossed, hidden = np.zeros((_CHUNKS, *W.shape)), np.zeros((_CHUNKS, c.size))
        with threads_for(self._operations(theta)):
            moments(self.offsets, self.active, weights, W, c, self.first, pairs, crossed, hidden)
        summed = pairs.sum(axis=0)
        J = None
        rates = summed[0]
        if theta.J is not None:
            rates = np.diagonal(summed).copy()
            below = np.tril(summed, -1)
            J = below + below.T
        v: Floats | None = None
        if theta.v is not None:
            n_active = np.diff(self.offsets)
            v = np.bincount(n_active, weights, theta.v.size).astype(np.float64)
        if not n_hidden:
            return Parameters.trusted(rates, J, None, None, v)
        W_sums, c_sums = crossed.sum(axis=0)[:, :n_hidden], hidden.sum(axis=0)[:n_hidden]
        return Parameters.trusted(rates, J, W_sums, c_sums)

    def _operations(self, theta: Parameters) -> float:
        """Multiply-adds, roughly: a sigmoid counts as 20."""
        n_active = float(self.active.size)
        pairs = n_active**2 / max(self.n_words, 1) if theta.J is not None else 0.0
        return float(pairs + theta.n_hidden * (n_active + 20.0 * self.n_words))


def _padded(theta: Parameters) -> tuple[Floats, Floats]:
    """Weights and hidden biases with hidden units in whole rows."""
    n_hidden = theta.n_hidden
    padded = -(-n_hidden // WIDTH) * WIDTH
    W, c = np.zeros((theta.n_visible, padded)), np.full(padded, _OFF)
    if theta.W is not None and theta.c is not None:
        W[:, :n_hidden], c[:n_hidden] = theta.W, theta.c
    return W, c
