"""The newest bin of a window given its past, by sums over all states of the bin.

For a given past the newest bin is a small model of its own: the past shifts the biases of its
units and the inputs of the hidden units. Bit k of a state's number is unit k of the bin.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

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
#: Parts of the pasts with sums of their own, which are the same for any number of threads.
_PARTS = 32
#: Sums may be added up in any order, hence in wide registers.
_REORDERED = {"reassoc"}
#: States with weights in all, for all pasts that one thread works on, in numbers (512 kB).
_MOST_STATES = 1 << 16


class NewestMoments(NamedTuple):
    """Of the newest bin after each of some pasts, and weighted sums over these."""

    log_z: Floats  # log of the summed weight of all states, nats, (n_pasts,)
    active: Floats  # probability of a spike of each unit, (n_pasts, n_newest)
    hidden: Floats  # mean of each hidden unit, (n_pasts, n_hidden)
    states: Floats  # summed probability of each state, (2^n_newest,)
    W: Floats  # summed probability that unit and hidden unit are on, (n_newest, n_hidden)


def newest_log_odds(model: ModelArrays, n_newest: int, pasts: Bits) -> Floats:
    """Log odds of a spike of each unit of the newest bin, nats, shape (n_pasts, n_newest).

    The last ``n_newest`` units of the model are the newest bin, whose 2^n_newest states are summed;
    ``pasts`` (n_pasts, n_units - n_newest) are binary words of the earlier bins.
    """
    n_units = model.n_units
    W, _ = model.hidden
    # Hidden units without a weight onto the newest bin cancel.
    given = _given(model, n_newest, pasts, np.any(W[n_units - n_newest :] != 0.0, axis=0))
    n_states, n_active = 1 << n_newest, states(n_newest).sum(axis=1).astype(np.int64)
    odds = np.empty((len(pasts), n_newest))
    with threads_for(float(len(pasts)) * n_states * (20.0 + len(given.tables))):
        _log_odds(
            *given,
            np.zeros(n_units + 1) if model.v is None else model.v,
            pasts.sum(axis=1, dtype=np.int64),
            n_active,
            odds,
        )
    return odds


def newest_moments(model: ModelArrays, n_newest: int, pasts: Bits, shares: Floats) -> NewestMoments:
    """Log weight of all states of the newest bin after each past, and means over them.

    The last ``n_newest`` units of the model are the newest bin; weights leave out biases of the
    past and couplings within it, which are the same for all states. ``pasts`` (n_pasts, n_units -
    n_newest) are binary words of the earlier bins, and count in sums by their ``shares``. The model
    has no potential of the number of active units.
    """
    given = _given(model, n_newest, pasts, np.ones(model.n_hidden, dtype=bool))
    n_pasts, n_hidden, n_states = len(pasts), model.n_hidden, 1 << n_newest
    found = NewestMoments(
        np.empty(n_pasts),
        np.empty((n_pasts, n_newest)),
        np.empty((n_pasts, n_hidden)),
        np.zeros((_PARTS, n_states)),
        np.zeros((_PARTS, n_hidden, n_newest)),
    )
    n_at_once = max(min(_CHUNK, _MOST_STATES // n_states), 1)
    with threads_for(float(n_pasts) * n_states * (20.0 + 4.0 * n_hidden)):
        _moments(*given, shares, n_at_once, *found)
    return found._replace(states=found.states.sum(axis=0), W=found.W.sum(axis=0).T)


class _Given(NamedTuple):
    """What pasts add to biases and to inputs of hidden units, and tables over the states."""

    fields: Floats  # (n_pasts, n_newest)
    inputs: Floats  # (n_pasts, n_hidden)
    by_pairs: Floats  # log weight of each state without both, (2^n_newest,)
    weights: Floats  # (n_hidden, n_newest)
    highest: Floats  # the largest sum of weights of each hidden unit, (n_hidden,)
    tables: Floats  # exponentials of summed weights relative to it, (n_hidden, 2^n_newest)


def _given(model: ModelArrays, n_newest: int, pasts: Bits, used: NDArray[np.bool_]) -> _Given:
    """What the sums take of a model and its hidden units that are ``used``."""
    n_units = model.n_units
    J = np.zeros((n_units, n_units)) if model.J is None else model.J
    W, c = model.hidden
    past, newest = slice(n_units - n_newest), slice(n_units - n_newest, n_units)
    x, weights = pasts.astype(np.float64), W[newest][:, used]
    # Relative to the largest sum, so that no exponential overflows.
    highest = np.maximum(weights, 0.0).sum(axis=0)
    tables = np.exp(sums_over_states(weights) - highest).T
    return _Given(
        2.0 * x @ J[past, newest],
        x @ W[past][:, used] + c[used],
        pairwise_log_weights(model.b[newest], J[newest, newest]),
        np.ascontiguousarray(weights.T),
        highest,
        np.ascontiguousarray(tables),
    )


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


@subroutine(fastmath=_REORDERED)
def _normalise(log_w, product, w):
    """Fill ``w`` with the probabilities of all states; log of their summed weight."""
    top, total = log_w.max(), 0.0
    for s in range(w.size):  # products are at least 1, so that the sum is, too
        w[s] = math.exp(log_w[s] - top) * product[s]
        total += w[s]
    w /= total
    return top + math.log(total)


@subroutine(fastmath=_REORDERED)
def _add_on(input, weights, highest, table, probability, on, sums):
    """Add to ``on`` the probability of each state with a hidden unit on; their sum.

    ``sums`` is memory to work in.
    """
    total, top = 0.0, input + highest
    if top > 0.5 * _MOST_NATS:
        _sums(weights, sums)
        for s in range(on.size):
            both = probability[s] * gate(input + sums[s])[0]
            on[s] += both
            total += both
        return total
    scale = math.exp(top)
    for s in range(on.size):
        weight = scale * table[s]
        both = probability[s] * weight / (1.0 + weight)
        on[s] += both
        total += both
    return total


@subroutine(fastmath=_REORDERED)
def _add_marginals(values, out):
    """Add to ``out`` (n,) the summed value of the states in which each unit is active.

    ``values`` (2^n,) are lost: the last unit is summed out, then the one before it.
    """
    for k in range(out.size - 1, -1, -1):
        half, active = 1 << k, 0.0
        for s in range(half):
            active += values[half + s]
            values[s] += values[half + s]
        out[k] += active


# Log weight, spikes and hidden units of the newest bin after each past, and sums over all pasts.
# Cost, per past and state of the bin: three multiply-adds and a division per hidden unit, and an
# exponential. Pinned to sums over all states by tests/objectives/test_conditional.py.
@kernel(parallel=True, fastmath=_REORDERED)
def _moments(
    fields,
    inputs,
    by_pairs,
    weights,
    highest,
    tables,
    shares,
    n_at_once,
    log_z,
    active,
    hidden,
    states,
    W,
):
    """Fill what :class:`NewestMoments` has, the last two for each part of the pasts."""
    n_pasts, n_states = len(fields), by_pairs.size
    for part in prange(_PARTS):
        first, last = n_pasts * part // _PARTS, n_pasts * (part + 1) // _PARTS
        log_w, product, sums = np.empty(n_states), np.empty(n_states), np.empty(n_states)
        p = np.empty((n_at_once, n_states))
        for start in range(first, last, n_at_once):
            stop = min(start + n_at_once, last)
            for u in range(start, stop):
                _sums(fields[u], log_w)
                log_w += by_pairs
                _add_hidden(inputs[u], weights, highest, tables, log_w, product, sums)
                log_z[u] = _normalise(log_w, product, p[u - start])
                sums[:], active[u] = p[u - start], 0.0
                _add_marginals(sums, active[u])
                p[u - start] *= shares[u]
                states[part] += p[u - start]
            for i in range(len(weights)):
                product[:] = 0.0
                for u in range(start, stop):
                    here = p[u - start]
                    given = inputs[u, i], weights[i], highest[i], tables[i]
                    on = _add_on(*given, here, product, sums)
                    hidden[u, i] = on / shares[u]
                _add_marginals(product, W[part, i])
