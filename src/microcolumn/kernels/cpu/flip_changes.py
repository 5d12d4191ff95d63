"""Change of log p~ of words by flipping bits, with hidden units summed out.

By the ratios of docs/method.md, section 3; one logarithm is taken of as many of them as provably
stay in the range of a double.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...validation import Bits, Floats, chunks
from ..arrays import ModelArrays
from ..compile import kernel
from ..loops.threads import in_threads, threads_for
from ..simd.elementary import log, sigmoids
from ..simd.lanes import WIDTH, fma, reduce_add, splat
from ..simd.memory import load, store

#: Most nats of a factor: products of factors up to exp(600) are finite.
_MOST_NATS = 600.0


def flip_changes(model: ModelArrays, words: Bits, units: Sequence[int]) -> Floats:
    """Find log p~(x with bit n flipped) - log p~(x), nats, of words x (n_words, n_units).

    Of each of the bits ``units``: shape (n_words, n_chosen). Where a bit is off they are the log
    odds of a spike, where it is on minus them.
    """
    chosen = list(units)
    out = np.empty((len(words), len(chosen)))
    for part in chunks(len(words), max(model.n_units, model.n_hidden), 1 << 18):
        x = np.array(words[part], order="C")  # kernels take no read-only arrays
        with threads_for(out[part].size * max(1, model.n_hidden)):
            out[part] = _changes(model, x, chosen)
    return out


def _changes(model: ModelArrays, x: Bits, units: list[int]) -> Floats:
    bits = np.ascontiguousarray(x[:, units])
    change = np.empty(bits.shape)
    if model.J is None:
        change[:] = model.b[units]
    else:
        fields = np.ascontiguousarray(2.0 * model.J[:, units])
        sums_of_active(x, fields, model.b[units], change)
    change *= 1.0 - 2.0 * bits
    if model.n_hidden:
        change += _changes_of_hidden(model, x, units, bits)
    if model.v is not None:
        n_active = x.sum(axis=1, dtype=np.intp)[:, None]
        change += model.v[n_active + 1 - 2 * bits.astype(np.intp)] - model.v[n_active]
    return change


def _changes_of_hidden(model: ModelArrays, x: Bits, units: list[int], bits: Bits) -> Floats:
    """Part of the hidden units in the changes; a flip adds the flipped bit's own weights."""
    W, c = model.hidden_in_rows(WIDTH)
    z = np.empty((len(x), c.size))
    sums_of_active(x, W, c, z)
    largest = float(np.abs(W[units]).max(initial=0.0))
    out = np.zeros(bits.shape)
    if largest <= _MOST_NATS:
        rows_per_log = int(_MOST_NATS / max(largest, 1.0))
        factors = np.exp(np.stack([W[units], -W[units]]))
        log_factors_of_flips(z, bits, factors, rows_per_log, np.empty_like(z), out)
        return out
    present = np.logaddexp(0.0, z)
    for k, unit in enumerate(units):
        flipped = z + (1.0 - 2.0 * bits[:, k, None]) * W[unit]
        out[:, k] = (np.logaddexp(0.0, flipped) - present).sum(axis=1)
    return out


# Log of the product of the hidden units' factors, for every word and chosen bit.
# Costs a multiply-add and a multiplication per (word, bit, hidden unit).
# Pinned by tests/kernels/cpu/test_flips.py against softplus written out.
def log_factors_of_flips(z, bits, factors, rows_per_log, off, out):
    """Write the change in nats for each of the ``bits`` to ``out``, both (n_words, n_bits).

    The hidden inputs ``z`` (n_words, n_hidden), padded to a multiple of WIDTH, are overwritten, and
    ``off`` is scratch of the same shape. ``factors`` (2, n_bits, n_hidden) holds exp(W) for bits
    that are off and exp(-W) for bits that are on, 1 for padding; a product of ``rows_per_log`` of
    them stays in range.
    """
    in_threads(_log_factors, z.shape[0], z, bits, factors, rows_per_log, off, out)


@kernel(nogil=True)
def _log_factors(first, last, z, bits, factors, rows_per_log, off, out):
    n_hidden = z.shape[1]
    step = rows_per_log * WIDTH
    for u in range(first, last):
        for i in range(0, n_hidden, WIDTH):
            s, sbar = sigmoids(load(z, (u, i)))
            store(z, (u, i), s)
            store(off, (u, i), sbar)
        for k in range(bits.shape[1]):
            bit = bits[u, k]
            logs = splat(0.0, WIDTH)
            for start in range(0, n_hidden, step):
                p = splat(1.0, WIDTH)
                for i in range(start, min(start + step, n_hidden), WIDTH):
                    e = load(factors, (bit, k, i))
                    p = p * fma(load(z, (u, i)), e, load(off, (u, i)))
                logs = logs + log(p)
            out[u, k] = reduce_add(logs)


# Adds up the rows of the active bits of each word: out[u] = start + words[u] @ rows.
# Costs one addition per active bit and column, and a test per bit.
# Pinned by tests/kernels/cpu/test_flips.py against a matrix product.
def sums_of_active(words, rows, start, out):
    """Write the inputs from the active bits of words to ``out``, shape (n_words, n_columns)."""
    in_threads(_sums_of_active, words.shape[0], words, rows, start, out)


@kernel(nogil=True)
def _sums_of_active(first, last, words, rows, start, out):
    for u in range(first, last):
        for i in range(start.size):
            out[u, i] = start[i]
        for n in range(words.shape[1]):
            if words[u, n]:
                for i in range(start.size):
                    out[u, i] += rows[n, i]
