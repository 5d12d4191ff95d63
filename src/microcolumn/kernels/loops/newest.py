"""Log odds of the newest bin of a window given its past, by sums over all states of the bin.

For a given past the newest bin is a small model of its own: the past shifts the biases of its
units and the inputs of the hidden units. Bit k of a state's number is unit k of the bin.
"""

from __future__ import annotations

import math

import numpy as np
from numba import prange

from ...validation import Bits, Floats
from ..arrays import ModelArrays
from ..compile import kernel, subroutine
from ..states import pairwise_log_weights, states, sums_over_states
from .l1_descent import gate
from .threads import threads_for

#: Largest log of a product of factors before it is added to the sum of logarithms, nats.
_MOST_NATS = 600.0
#: Sums below this, or this share of others, may have lost digits to underflow.
_LEAST = 1e-250
#: Pasts that one thread works on at a time.
_CHUNK = 16


def newest_log_odds(model: ModelArrays, n_newest: int, pasts: Bits) -> Floats:
    """Log odds of a spike of each unit of the newest bin, nats, shape (n_pasts, n_newest).

    The last ``n_newest`` units of the model are the newest bin, whose 2^n_newest states are summed;
    ``pasts`` (n_pasts, n_units - n_newest) are binary words of the earlier bins.
    """
    n_units = model.n_units
    J = np.zeros((n_units, n_units)) if model.J is None else model.J
    W, c = model.hidden
    past, newest = slice(n_units - n_newest), slice(n_units - n_newest, n_units)
    # Hidden units without a weight onto the newest bin cancel.
    used = np.any(W[newest] != 0.0, axis=0)
    x, weights = pasts.astype(np.float64), W[newest][:, used]
    # Relative to the largest sum, so that no exponential overflows.
    highest = np.maximum(weights, 0.0).sum(axis=0)
    tables = np.exp(sums_over_states(weights) - highest).T
    n_states, n_active = 1 << n_newest, states(n_newest).sum(axis=1).astype(np.int64)
    odds = np.empty((len(pasts), n_newest))
    with threads_for(float(len(pasts)) * n_states * (20.0 + len(tables))):
        _log_odds(
            2.0 * x @ J[past, newest],
            x @ W[past][:, used] + c[used],
            pairwise_log_weights(model.b[newest], J[newest, newest]),
            np.ascontiguousarray(weights.T),
            highest,
            np.ascontiguousarray(tables),
            np.zeros(n_units + 1) if model.v is None else model.v,
            pasts.sum(axis=1, dtype=np.int64),
            n_active,
            odds,
        )
    return odds


@subroutine
def _sums(rows, out):
    """Sum of the rows (n,) of the active units of each state, by doubling."""
    out[0] = 0.0
    for k in range(rows.size):
        half = 1 << k
        for s in range(half):
            out[half + s] = out[s] + rows[k]


@subroutine
def _add_hidden(inputs, weights, highest, tables, log_w, product, sums):
    """Hidden units' part of the weight of each state: what ``product`` cannot hold is in ``log_w``.

    The logarithm of a product of as many factors as stay in range serves all of them.
    """
    product[:], reach = 1.0, 0.0
    for i in range(inputs.size):
        top = inputs[i] + highest[i]
        if top > 0.5 * _MOST_NATS:
            _sums(weights[i], sums)
            for s in range(log_w.size):
                log_w[s] += gate(inputs[i] + sums[s])[2]
            continue
        if reach + max(top, 0.0) + 0.7 > _MOST_NATS:
            for s in range(log_w.size):
                log_w[s] += math.log(product[s])
            product[:], reach = 1.0, 0.0
        reach += max(top, 0.0) + 0.7
        scale, table = math.exp(top), tables[i]
        for s in range(log_w.size):
            product[s] *= 1.0 + scale * table[s]


@subroutine
def _log_sum(log_w, product, k, bit):
    """Logarithm of the summed weight of the states in which bit k has a value."""
    top = -np.inf
    for s in range(log_w.size):
        if (s >> k) & 1 == bit:
            top = max(top, log_w[s] + math.log(product[s]))
    total = 0.0
    for s in range(log_w.size):
        if (s >> k) & 1 == bit:
            total += math.exp(log_w[s] + math.log(product[s]) - top)
    return top + math.log(total)


@subroutine
def _marginals(log_w, product, w, odds):
    """Fill ``odds`` (n,) from the weights of all states; ``w`` is memory to work in."""
    top = log_w.max()
    for s in range(w.size):
        w[s] = math.exp(log_w[s] - top) * product[s]
    for k in range(odds.size - 1, -1, -1):  # the last unit is summed out, then the one before it
        half = 1 << k
        silent, active = 0.0, 0.0
        for s in range(half):
            silent += w[s]
            active += w[half + s]
            w[s] += w[half + s]
        if _LEAST * silent < active < silent / _LEAST and min(silent, active) > _LEAST:
            odds[k] = math.log(active / silent)
        else:
            odds[k] = _log_sum(log_w, product, k, 1) - _log_sum(log_w, product, k, 0)


# Log odds of each unit of the newest bin after each past, the other units summed out.
# Cost, per past and state of the bin: two multiply-adds per hidden unit and an exponential.
# Pinned to sums over all states by tests/kernels/loops/test_newest.py.
@kernel(parallel=True)
def _log_odds(fields, inputs, by_pairs, weights, highest, tables, v, n_before, n_active, odds):
    """Fill ``odds`` (n_pasts, n).

    ``fields`` (n_pasts, n) and ``inputs`` (n_pasts, n_hidden) are what the past adds to biases, and
    the inputs of hidden units; ``by_pairs`` (2^n,) is the log weight of each state without both;
    ``tables`` (n_hidden, 2^n) are exponentials of summed ``weights`` (n_hidden, n) relative to the
    ``highest``. ``v`` is the potential of the number of active units, ``n_before`` (n_pasts,) of
    which the past has, and ``n_active`` (2^n,) each state.
    """
    n_pasts, n_states = len(fields), by_pairs.size
    for chunk in prange((n_pasts + _CHUNK - 1) // _CHUNK):
        log_w, product, sums = np.empty(n_states), np.empty(n_states), np.empty(n_states)
        for u in range(chunk * _CHUNK, min((chunk + 1) * _CHUNK, n_pasts)):
            _sums(fields[u], log_w)
            for s in range(n_states):
                log_w[s] += by_pairs[s] + v[n_before[u] + n_active[s]]
            _add_hidden(inputs[u], weights, highest, tables, log_w, product, sums)
            _marginals(log_w, product, sums, odds[u])
