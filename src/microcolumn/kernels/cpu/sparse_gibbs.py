"""Collapsed Gibbs sweeps of models with couplings, for many units of which few change at a time.

The same chains as :mod:`.gibbs`, with the same random numbers (docs/method.md, section 5). There
lanes are chains, so that a flip in any of them has the fields of all units carried on in all. Here
chains go one by one and lanes are units: a flip adds one row of the couplings, or its few entries
that are not zero, to the fields of its own chain. So a sweep costs a random number per unit and a
row per flip, and flips are rare where most units are silent.

Whether unit n flips is u < sigmoid(o) for the log odds o of the flip, here logit(u) < o. Hidden
units are summed out: with s_i = sigmoid(z_i) turning n on adds log prod_i (1 + s_i (exp(W_ni) - 1))
to log p~, turning it off log prod_i (1 + s_i (exp(-W_ni) - 1)), for a block of units at once.
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from ..simd.elementary import frexp, log, sigmoids, softplus
from ..simd.lanes import WIDTH, fma, full_like, reduce_add, select, splat
from ..simd.memory import load, store
from ..simd.philox import uniforms
from ..simd.views import views
from .gibbs import REFRESH

#: Units in whole blocks: those of one row of Philox blocks, 4 draws in each of 8 lanes.
BLOCK = 4 * WIDTH
#: Units whose hidden parts are found at once.
_AHEAD = 2 * WIDTH
#: Chains of one thread's turn.
_TURN = 16
_LN_2 = float(np.log(2.0))
# Of 2 atanh(t) for |t| <= 1/3: the next term is below 1e-12.
_SERIES = tuple(2.0 / (2 * k + 1) for k in range(11, 0, -1))


class SparseTables(NamedTuple):
    """What a sweep needs to know of the model and of the base of the path.

    Units are padded to whole blocks, hidden units to whole rows with weights of zero and biases so
    low that they are off. Couplings come in rows, or as lists of those that are not zero.
    """

    biases: np.ndarray  # (n_padded,)
    base_logits: np.ndarray  # (n_padded,)
    couplings: np.ndarray  # (n_units, n_padded), 2 J; (0, 0) where they are listed
    first_link: np.ndarray  # (n_units + 1,)
    linked: np.ndarray  # (n_links,), int32: units that each unit is coupled to
    links: np.ndarray  # (n_links,), 2 J
    weights: np.ndarray  # (n_units, n_hidden_padded)
    hidden_biases: np.ndarray  # (n_hidden_padded,)
    has_weights: np.ndarray  # (n_units,), bool: whether any of a unit's weights is not zero
    up: np.ndarray  # (n_hidden, n_padded), exp(W) - 1
    down: np.ndarray  # (n_hidden, n_padded), exp(-W) - 1
    potential: np.ndarray  # (n_units + 1,), or (0,) without one


class SparseChains(NamedTuple):
    """State of all chains; the kernel changes it in place."""

    x: np.ndarray  # (n_chains, n_padded), 0.0 or 1.0
    fields: np.ndarray  # (n_chains, n_padded), 2 J x
    inputs: np.ndarray  # (n_chains, n_hidden_padded), z
    log_weights: np.ndarray  # (n_chains,), nats


class _Chain(NamedTuple):
    """One chain, and space to work in."""

    x: np.ndarray
    fields: np.ndarray
    inputs: np.ndarray
    on: np.ndarray  # (n_hidden_padded,), sigmoid(z)
    levels: np.ndarray  # (n_padded,), log odds without fields and hidden units, at beta
    hidden: np.ndarray  # (n_padded,), what hidden units add to the log odds of a unit
    draws: np.ndarray  # (4, n_padded / 4), logit(u) of position 4 k + j at [j, k]
    lanes: np.ndarray  # (WIDTH,), 0, 1, 2, ...


@subroutine(forceinline=True)
def _logit(u):
    """log(u / (1 - u)) of each lane, from one division: 2 atanh((m - k) / (m + k)) + e ln 2."""
    m, e = frexp(u)
    k, d = frexp(1.0 - u)
    t = (m - k) / (m + k)
    square = t * t
    p = fma(square, _SERIES[0], _SERIES[1])
    for coefficient in _SERIES[2:]:
        p = fma(p, square, coefficient)
    return fma(e - d, _LN_2, fma(p * square, t, t + t))


@subroutine(forceinline=True)
def _draw(chain, number, counter, key):
    draws, lanes = chain.draws, load(chain.lanes, 0)
    of_chain, of_sweep = full_like(lanes, number), full_like(lanes, counter[0])
    stream = full_like(lanes, counter[1])
    for first in range(0, draws.shape[1], WIDTH):
        block = lanes + np.uint64(first)
        rows = uniforms(of_chain, of_sweep, block, stream, key[0], key[1])
        for j in range(4):
            store(draws, (j, first), _logit(rows[j]))


@subroutine(forceinline=True)
def _carry(n, change, chain, model):
    """Carry a flip of unit n, +1 on or -1 off, into the fields and hidden inputs of its chain.

    True where the hidden inputs have changed.
    """
    fields, couplings, inputs, on = chain.fields, model.couplings, chain.inputs, chain.on
    if couplings.shape[0] > 0:
        for m in range(0, fields.shape[0], WIDTH):
            store(fields, m, fma(load(couplings, (n, m)), change, load(fields, m)))
    else:
        first_link, linked, links = model.first_link, model.linked, model.links
        for k in range(first_link[n], first_link[n + 1]):
            fields[linked[k]] += change * links[k]
    weights = model.weights
    if not model.has_weights[n]:
        return False
    for i in range(0, inputs.shape[0], WIDTH):
        z = fma(load(weights, (n, i)), change, load(inputs, i))
        store(inputs, i, z)
        s, _ = sigmoids(z)
        store(on, i, s)
    return True


@subroutine(forceinline=True)
def _refresh(chain, model):
    """Fields and hidden inputs of a chain from its word alone."""
    x, fields, inputs, on = chain.x, chain.fields, chain.inputs, chain.on
    hidden_biases = model.hidden_biases
    for n in range(0, fields.shape[0], WIDTH):
        store(fields, n, splat(0.0, WIDTH))
    for i in range(0, inputs.shape[0], WIDTH):
        z = load(hidden_biases, i)
        store(inputs, i, z)
        s, _ = sigmoids(z)
        store(on, i, s)
    for n in range(model.weights.shape[0]):
        if x[n] > 0.0:
            _carry(n, 1.0, chain, model)


@subroutine(forceinline=True)
def _look_ahead(first, chain, model):
    """What hidden units add to the log odds of the units of a block, by the present inputs."""
    on, up, down = chain.on, model.up, model.down
    is_active = load(chain.x, first, _AHEAD) > 0.0
    product = splat(1.0, _AHEAD)
    for i in range(up.shape[0]):
        change = select(is_active, load(down, (i, first), _AHEAD), load(up, (i, first), _AHEAD))
        product = product * fma(change, on[i], 1.0)
    added = log(product)
    store(chain.hidden, first, select(is_active, 0.0 - added, added))


@subroutine(forceinline=True)
def _n_active(x):
    total = splat(0.0, WIDTH)
    for n in range(0, x.shape[0], WIDTH):
        total = total + load(x, n)
    return int(reduce_add(total))


@subroutine(forceinline=True)
def _sweep(chain, model, beta, backwards):
    """One scan over the units of a chain at inverse temperature beta."""
    x, fields, levels, hidden = chain.x, chain.fields, chain.levels, chain.hidden
    biases, base_logits, draws = model.biases, model.base_logits, chain.draws
    n_units, n_hidden, ahead = model.weights.shape[0], model.up.shape[0], -1
    potential = model.potential
    is_counted, k = potential.shape[0] > 0, 0
    if is_counted:
        k = _n_active(x)
    for n in range(0, levels.shape[0], WIDTH):
        store(levels, n, fma(load(biases, n), beta, load(base_logits, n) * (1.0 - beta)))
    for position in range(n_units):
        n = n_units - 1 - position if backwards else position
        if n_hidden > 0 and n // _AHEAD != ahead:
            ahead = n // _AHEAD
            _look_ahead(ahead * _AHEAD, chain, model)
        direction = 1.0 - (x[n] + x[n])
        log_odds = levels[n] + beta * (fields[n] + hidden[n])
        if is_counted:
            others = k - int(x[n])
            log_odds += beta * (potential[others + 1] - potential[others])
        if direction * log_odds > draws[position % 4, position // 4]:
            x[n] += direction
            k += int(direction)
            if _carry(n, direction, chain, model):
                _look_ahead(ahead * _AHEAD, chain, model)


@subroutine(forceinline=True)
def _excess(chain, model):
    """The log p~(x) - sum_n a_n x_n of a chain, which annealing integrates over beta."""
    x, fields, inputs, value = chain.x, chain.fields, chain.inputs, splat(0.0, WIDTH)
    biases, base_logits = model.biases, model.base_logits
    for n in range(0, x.shape[0], WIDTH):
        slope = load(biases, n) - load(base_logits, n)
        value = fma(load(x, n), fma(load(fields, n), 0.5, slope), value)
    for i in range(0, inputs.shape[0], WIDTH):
        value = value + softplus(load(inputs, i))
    of_count = 0.0
    if model.potential.shape[0] > 0:
        of_count = model.potential[_n_active(x)]
    return reduce_add(value) + of_count


@subroutine
def _advance_chain(arrays, tables, number, path, backwards, seed, first):
    """All sweeps of one chain: what they add to its log weight."""
    chain, model = views(arrays), views(tables)
    key = (seed & np.uint64(0xFFFFFFFF), seed >> np.uint64(32))
    inputs, on = chain.inputs, chain.on
    for i in range(0, inputs.shape[0], WIDTH):
        s, _ = sigmoids(load(inputs, i))
        store(on, i, s)
    log_weight = 0.0
    for k in range(path.shape[0]):
        if (first + k) % REFRESH == 0:
            _refresh(chain, model)
        _draw(chain, np.uint64(number), (np.uint64(first + k), np.uint64(backwards)), key)
        _sweep(chain, model, path[k, 0], backwards)
        if path[k, 1] != 0.0:
            log_weight += path[k, 1] * _excess(chain, model)
    return log_weight


# A run of sweeps of all chains: sweep k at beta = path[k, 0], then log w += path[k, 1] * excess.
# Cost per chain and unit: a quarter Philox block and a logit; per flip a row of couplings, and with
# hidden units 3 operations for each of them and of the next units. Chains are independent.
# Pinned by tests/kernels/cpu/test_sparse_gibbs.py::test_chains_are_those_of_the_definition.
@kernel(parallel=True)
def advance_sparse(chains, model, path, backwards, seed, first):
    """Advance all chains in place; arguments are as for :func:`.gibbs.advance`."""
    n_chains, n_padded = chains.x.shape
    n_hidden, log_weights = chains.inputs.shape[1], chains.log_weights
    for turn in prange(-(-n_chains // _TURN)):
        on, levels, hidden = np.empty(n_hidden), np.empty(n_padded), np.zeros(n_padded)
        draws, lanes = np.empty((4, n_padded // 4)), np.arange(WIDTH).astype(np.uint64)
        for number in range(turn * _TURN, min((turn + 1) * _TURN, n_chains)):
            own = _Chain(
                chains.x[number],
                chains.fields[number],
                chains.inputs[number],
                on,
                levels,
                hidden,
                draws,
                lanes,
            )
            added = _advance_chain(own, model, number, path, backwards, seed, first)
            log_weights[number] = log_weights[number] + added
