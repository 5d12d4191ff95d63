"""Log odds of each unit of a window's newest bin given its past (docs/method.md, section 6).

For one past the weight of a state s of the newest bin is, up to a constant,

    prod_k g_k**s_k * prod_{j<k} exp(2 J_jk s_j s_k) * prod_i (off_i + on_i E_i(s)),

g_k = exp(field_k), on_i = sigmoid(z_i) and off_i = sigmoid(-z_i), of which the past fixes the field
and the input z_i, and E_i(s) = exp(sum_k W_ki s_k). All terms are positive, and E is the same for
all pasts, of which ``_BLOCK`` share its table.

The states are built up unit by unit: the table of the first k units is doubled by unit k, and a
hidden unit is multiplied in as soon as all units it has weights onto are there, so that a sparse
hidden unit meets few states. Where a product could leave the range of a double, its logarithm is
taken at the ``cuts``, and the next product begins.
"""

import math

import numpy as np
from numba import prange

from ..compile import kernel, subroutine

#: Pasts that share the tables of E.
_BLOCK = 16
#: A share of the weight below this may have lost states that left the range of a double.
_SMALLEST_SHARE = 1e-250


@subroutine
def _fill(rows, n_units, table):
    """Exponential of the summed rows of active units, for all states of the first ``n_units``."""
    table[0] = 1.0
    for k in range(n_units):
        factor = math.exp(rows[k])
        for s in range(1 << k):
            table[(1 << k) + s] = table[s] * factor


@subroutine
def _add_unit(boost, coupled, k, weights, logs):
    """Double the states of the first k units by unit k."""
    for s in range(1 << k):
        weights[(1 << k) + s] = weights[s] * (boost * coupled[s])
        logs[(1 << k) + s] = logs[s]


@subroutine(fastmath={"contract"})
def _multiply(off, on, gains, n_states, weights):
    for s in range(n_states):
        weights[s] *= off + on * gains[s]


@subroutine
def _take_logs(n_states, weights, logs):
    """Move a product to its logarithm, so that the next one can begin."""
    for s in range(n_states):
        logs[s] += math.log(weights[s])
        weights[s] = 1.0


@subroutine
def _fold(weights, logs, is_cut, out):
    """Log odds of each unit from the weights of all states, which are overwritten.

    They are NaN where a value is too small a share to be trusted.
    """
    n_units = out.size
    if is_cut:
        _take_logs(1 << n_units, weights, logs)
        weights[:] = np.exp(logs - logs.max())
    for k in range(n_units - 1, -1, -1):
        half, on, off = 1 << k, 0.0, 0.0
        for s in range(half):
            on += weights[half + s]
            off += weights[s]
            weights[s] += weights[half + s]
        both = on + off
        is_known = min(on, off) > both * _SMALLEST_SHARE
        out[k] = math.log(on / both) - math.log(off / both) if is_known else np.nan


# Log odds of every unit of the newest bin for each past, the bin's other units summed out.
# Costs two multiplications and an addition per (past, state met, hidden unit), 6 more per state.
# Pinned by tests/kernels/cpu/test_newest_tables.py against enumeration.
@kernel(parallel=True, error_model="numpy")
def log_odds_of_newest(boosts, on, off, couplings, weights, levels, cuts, out):
    """Write log odds in nats to ``out``, shape (n_pasts, n_units).

    ``boosts`` (n_pasts, n_units) are g, ``on`` and ``off`` have shape (n_pasts, n_hidden).
    ``couplings`` (n_units, n_units) are 2 J, and ``weights`` (n_units, n_hidden) are W. Hidden unit
    i has weights onto the first ``levels[i]`` units, which increase; where ``cuts[i]``, a new
    product begins with it.
    """
    (n_pasts, n_units), n_hidden = boosts.shape, levels.size
    is_cut = np.any(cuts)
    for task in prange(-(-n_pasts // _BLOCK)):
        first = task * _BLOCK
        pasts = range(first, min(first + _BLOCK, n_pasts))
        table = np.empty(1 << n_units)
        states, logs = np.ones((_BLOCK, 1 << n_units)), np.zeros((_BLOCK, 1 << n_units))
        n_added = 0
        for i in range(n_hidden + 1):
            level = levels[i] if i < n_hidden else n_units
            for k in range(n_added, level):
                _fill(couplings[:, k], k, table)
                for u in pasts:
                    _add_unit(boosts[u, k], table, k, states[u - first], logs[u - first])
            n_added = level
            if i < n_hidden:
                _fill(weights[:, i], level, table)
                for u in pasts:
                    if cuts[i]:
                        _take_logs(1 << level, states[u - first], logs[u - first])
                    _multiply(off[u, i], on[u, i], table, 1 << level, states[u - first])
        for u in pasts:
            _fold(states[u - first], logs[u - first], is_cut, out[u])
