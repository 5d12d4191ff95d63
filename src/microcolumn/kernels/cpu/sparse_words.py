"""Log weights and weighted moments of many words whose active bits are listed.

Words come as in a sparse matrix: the active bits of word u are ``active`` from ``offsets[u]`` to
``offsets[u + 1]``. Hidden units run across the lanes, padded to whole rows with weights of zero
and biases so low that they are off for certain.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ...validation import Floats
from ..arrays import ModelArrays
from ..compile import kernel, subroutine
from ..loops.threads import threads_for
from ..simd.elementary import decay, log
from ..simd.lanes import WIDTH, reduce_add, select, splat
from ..simd.memory import load, store

#: Words are added up in so many chunks, whatever the number of threads.
_CHUNKS = 16
#: Hidden units after which a product of factors up to 2 is reduced to its logarithm.
_FACTORS = 512 * WIDTH


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
        live, constant, _ = _live(model)
        J = np.zeros((0, 0)) if live.J is None else live.J
        words, hidden = (self._offsets, self._active), live.hidden_in_rows(WIDTH)
        with threads_for(self._operations(live)):
            _log_weights(*words, live.b, J, *hidden, self._first, out)
        return self._with_potential(out + constant, model)

    def sums(self, model: ModelArrays, weights: Floats) -> tuple[Floats, ModelArrays]:
        """Log weights (nats, (n_words,)), and sums of what each array multiplies in log p~.

        These are the sums over words of weight times x, xx' without its diagonal, x sigmoid(z)',
        sigmoid(z), and whether so many bits are active, for the arrays that the model has.
        ``weights`` has shape (n_words,).
        """
        live, constant, is_live = _live(model)
        out, sums = self._run(live, weights)
        if model.v is not None:
            sums = sums._replace(v=self._by_number(weights, model.v.size))
        sums = _with_dead_units(model, sums, is_live, float(weights.sum()))
        return self._with_potential(out + constant, model), sums

    def mass_moments(
        self, model: ModelArrays, log_measure: Floats, frequent: int
    ) -> tuple[Floats, float, ModelArrays]:
        """Log mass of words that stand for others, that of all, and means by their mass.

        A word has its log weight and ``log_measure`` (n_words,), nats, as its log mass. That of
        the word ``frequent`` sets the scale: OverflowError where others have 700 nats more.
        """
        live, constant, is_live = _live(model)
        given = self._with_potential(log_measure + constant, model)
        begin, end = self._offsets[frequent : frequent + 2]
        single = SparseWords(np.array([0, end - begin]), self._active[begin:end], self.n_units)
        scale = float(given[frequent] + single.log_weights(live._replace(v=None))[0])
        out, sums = self._run(live, given, scale)
        masses = given + out
        with np.errstate(over="ignore"):
            shares = np.exp(masses - scale)
        total = float(shares.sum())
        if not math.isfinite(total):
            raise OverflowError("a word has far more mass than the one that is drawn most")
        others = (None if part is None else part / total for part in sums[1:])
        means = ModelArrays(sums.b / total, *others)
        if model.v is not None:
            means = means._replace(v=self._by_number(shares / total, model.v.size))
        return masses, scale + math.log(total), _with_dead_units(model, means, is_live)

    def _run(
        self, live: ModelArrays, given: Floats, scale: float = math.nan
    ) -> tuple[Floats, ModelArrays]:
        """Log weights without a potential, and sums over words that weigh as the kernel says."""
        W, c = live.hidden_in_rows(WIDTH)
        n, n_hidden, coupled = self.n_units, live.n_hidden, live.J is not None
        pairs = np.zeros((_CHUNKS, n if coupled else 1, n))
        crossed, hidden = np.zeros((_CHUNKS, *W.shape)), np.zeros((_CHUNKS, c.size))
        J, out = np.zeros((0, 0)) if live.J is None else live.J, np.empty(self.n_words)
        words = self._offsets, self._active, given, scale
        with threads_for(self._operations(live)):
            _sums(*words, live.b, J, W, c, self._first, pairs, crossed, hidden, out)
        summed = pairs.sum(axis=0)
        sums = ModelArrays(summed[0])
        if coupled:
            below = np.tril(summed, -1)
            sums = sums._replace(b=np.diagonal(summed).copy(), J=below + below.T)
        if live.W is not None:
            W, c = crossed.sum(axis=0)[:, :n_hidden], hidden.sum(axis=0)[:n_hidden]
            sums = sums._replace(W=W, c=c)
        return out, sums

    def _with_potential(self, log_weights: Floats, model: ModelArrays) -> Floats:
        if model.v is not None:
            log_weights += model.v[np.diff(self._offsets)]
        return log_weights

    def _by_number(self, weights: Floats, size: int) -> Floats:
        """Summed weight of the words with each number of active bits, shape (size,)."""
        return np.bincount(np.diff(self._offsets), weights, size).astype(np.float64)

    def _operations(self, model: ModelArrays) -> float:
        """Multiply-adds, about: an exponential counts as 20."""
        n_active = float(self._active.size)
        pairs = n_active**2 / max(self.n_words, 1) if model.J is not None else 0.0
        return float(pairs + model.n_hidden * (n_active + 20.0 * self.n_words))


def _live(model: ModelArrays) -> tuple[ModelArrays, float, NDArray[np.bool_] | None]:
    """A model without hidden units that have no weights, what these add, and which have weights.

    The last is None where all have.
    """
    if model.W is None or model.c is None:
        return model, 0.0, None
    is_live = np.asarray(model.W.any(axis=0))
    if is_live.all():
        return model, 0.0, None
    constant = float(np.logaddexp(0.0, model.c[~is_live]).sum())
    return model._replace(W=model.W[:, is_live], c=model.c[is_live]), constant, is_live


def _with_dead_units(
    model: ModelArrays, sums: ModelArrays, is_live: NDArray[np.bool_] | None, total: float = 1.0
) -> ModelArrays:
    """Sums over words for all hidden units, from those for units with weights."""
    if is_live is None or model.c is None:
        return sums
    return sums.with_dead_units(model.c, is_live, total)


@subroutine(forceinline=True)
def _visible(offsets, active, u, biases, couplings):
    """The b'x + x'Jx of a word; ``couplings`` are (0, 0) for a model without."""
    begin, value = offsets[u], 0.0
    for k in range(begin, offsets[u + 1]):
        n = active[k]
        value += biases[n]
        if couplings.shape[0] > 0:
            row, pairs = couplings[n], 0.0
            for j in range(begin, k):
                pairs += row[active[j]]
            value += 2.0 * pairs
    return value


@subroutine(forceinline=True)
def _fill_inputs(offsets, active, u, weights, hidden_biases, z):
    """The inputs of all hidden units: row by row of the weights, which are read in order."""
    for i in range(0, z.size, WIDTH):
        store(z, i, load(hidden_biases, i))
    for k in range(offsets[u], offsets[u + 1]):
        n = active[k]
        for i in range(0, z.size, WIDTH):
            store(z, i, load(z, i) + load(weights, (n, i)))


# log p~ of each word: sum of b, of 2 J over pairs, and of softplus(c + W'x).
# Cost: an addition per active bit and hidden unit, an exponential per hidden unit, a load per pair.
# The logarithm of a product of (1 + e**-|z|) serves many hidden units.
# Pinned to microcolumn.energy by tests/kernels/cpu/test_sparse_words.py.
@kernel(parallel=True)
def _log_weights(offsets, active, biases, couplings, weights, hidden_biases, first, out):
    """Fill ``out`` (n_words,); chunk k holds the words ``first[k]`` to ``first[k + 1]``."""
    for chunk in prange(first.size - 1):
        inputs = np.empty(hidden_biases.size)
        for u in range(first[chunk], first[chunk + 1]):
            _fill_inputs(offsets, active, u, weights, hidden_biases, inputs)
            total, product = splat(0.0, WIDTH), splat(1.0, WIDTH)
            for i in range(0, inputs.size, WIDTH):
                z = load(inputs, i)
                product = product * (1.0 + decay(z))
                total = total + select(z > 0.0, z, 0.0)
                if i % _FACTORS == _FACTORS - WIDTH:
                    total, product = total + log(product), splat(1.0, WIDTH)
            value = _visible(offsets, active, u, biases, couplings)
            out[u] = value + reduce_add(total + log(product))


# The same, and sums of weight * (x, x x', x sigmoid(z)', sigmoid(z)) of the words of each chunk. A
# word's weight may follow from its log p~.
# Cost: two additions per active bit and hidden unit, an exponential and a division per hidden unit,
# a load and an addition per pair.
# Pinned to dense products by tests/kernels/cpu/test_sparse_words.py.
@kernel(parallel=True)
def _sums(
    offsets, active, given, scale, biases, couplings, weights, hidden_biases,
    first, pairs, crossed, hidden, out,
):  # fmt: skip
    """Add to ``pairs`` (rates on the diagonal, pairs below it), ``crossed`` and ``hidden``.

    Each has one part per chunk; chunk k holds the words ``first[k]`` to ``first[k + 1]``. Without
    couplings ``pairs`` holds rates alone, (n_chunks, 1, n_units). Words weigh ``given``, or
    exp(given + log p~ - scale) unless the scale is nan.
    """
    for chunk in prange(first.size - 1):
        on = np.empty(hidden_biases.size)
        for u in range(first[chunk], first[chunk + 1]):
            _fill_inputs(offsets, active, u, weights, hidden_biases, on)
            total, product = splat(0.0, WIDTH), splat(1.0, WIDTH)
            for i in range(0, on.size, WIDTH):
                z = load(on, i)
                e = decay(z)
                off = 1.0 / (1.0 + e)
                store(on, i, select(z > 0.0, off, e * off))
                product = product * (1.0 + e)
                total = total + select(z > 0.0, z, 0.0)
                if i % _FACTORS == _FACTORS - WIDTH:
                    total, product = total + log(product), splat(1.0, WIDTH)
            value = _visible(offsets, active, u, biases, couplings)
            value += reduce_add(total + log(product))
            out[u], weight = value, given[u]
            if not np.isnan(scale):
                weight = np.exp(weight + value - scale)
            if weight != 0.0:
                _add_visible(offsets, active, u, chunk, weight, pairs)
                _add_hidden(offsets, active, u, chunk, weight, on, crossed, hidden)


@subroutine(forceinline=True)
def _add_visible(offsets, active, u, chunk, weight, pairs):
    begin, end = offsets[u], offsets[u + 1]
    for k in range(begin, end):
        n = active[k]
        if pairs.shape[1] > 1:
            for j in range(begin, k + 1):
                pairs[chunk, n, active[j]] += weight
        else:
            pairs[chunk, 0, n] += weight


@subroutine(forceinline=True)
def _add_hidden(offsets, active, u, chunk, weight, on, crossed, hidden):
    """Add the weight of hidden units that are ``on`` with these chances, which it overwrites."""
    for i in range(0, on.size, WIDTH):
        s = load(on, i) * weight
        store(on, i, s)
        store(hidden, (chunk, i), load(hidden, (chunk, i)) + s)
    for k in range(offsets[u], offsets[u + 1]):
        n = active[k]
        for i in range(0, on.size, WIDTH):
            store(crossed, (chunk, n, i), load(crossed, (chunk, n, i)) + load(on, i))
