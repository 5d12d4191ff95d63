"""Change of log p~ of words by flipping bits, with hidden units summed out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...validation import Bits, Floats, chunks
from ..arrays import ModelArrays
from ..loops.threads import threads_for
from ..simd.lanes import WIDTH
from .flips import log_factors_of_flips, sums_of_active

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
    if model.W is not None and model.c is not None and model.c.size:
        change += _changes_of_hidden(model.W, model.c, x, units, bits)
    if model.v is not None:
        n_active = x.sum(axis=1, dtype=np.intp)[:, None]
        change += model.v[n_active + 1 - 2 * bits.astype(np.intp)] - model.v[n_active]
    return change


def _changes_of_hidden(W: Floats, c: Floats, x: Bits, units: list[int], bits: Bits) -> Floats:
    """Part of the hidden units in the changes; a flip adds the flipped bit's own weights."""
    padding = [(0, 0), (0, -c.size % WIDTH)]
    padded = np.pad(W, padding)
    z = np.empty((len(x), padded.shape[1]))
    sums_of_active(x, padded, np.pad(c, padding[1]), z)
    largest = float(np.abs(W[units]).max(initial=0.0))
    out = np.zeros(bits.shape)
    if largest <= _MOST_NATS:
        rows_per_log = int(_MOST_NATS / max(largest, 1.0))
        factors = np.exp(np.stack([padded[units], -padded[units]]))
        log_factors_of_flips(z, bits, factors, rows_per_log, np.empty_like(z), out)
        return out
    present = np.logaddexp(0.0, z)
    for k, unit in enumerate(units):
        flipped = z + (1.0 - 2.0 * bits[:, k, None]) * padded[unit]
        out[:, k] = (np.logaddexp(0.0, flipped) - present).sum(axis=1)
    return out
