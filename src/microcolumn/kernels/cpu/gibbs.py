"""Collapsed single-site Gibbs sweeps of many chains at once, along a geometric path.

Lanes are chains (docs/method.md, section 5): a group of ``CHAINS`` chains walks through the units
together, so that every table entry is loaded once per group and the groups run in parallel. Hidden
units are summed out: with E_i = exp(z_i) the hidden part of log p~ is log prod_i (1 + E_i), and
proposing to flip unit n needs log prod_i (1 + E_i exp(+-W_ni)): one multiply-add and one multiply
per hidden unit, one logarithm per unit. A flip multiplies E_i by exp(+-W_ni). Where inputs z can
leave the range of exp, the careful way keeps z itself and sums softplus(z_i +- W_ni) instead. It is
compiled when it is first needed: ``careful`` is None or True, and Numba leaves out the branches of
the other type.

Under a potential v of the number K of active units each chain keeps K, and what one unit more or
less would add: v[K + 1] - v[K] and v[K - 1] - v[K], which change with a flip alone.
"""

from typing import NamedTuple

import numpy as np

from ..compile import kernel, subroutine
from ..loops.threads import in_threads
from ..simd.elementary import exp, log, softplus
from ..simd.groups import GROUP
from ..simd.lanes import WIDTH, any_lane, fma, full_like, select, splat
from ..simd.memory import load, load_group, store
from ..simd.philox import uniforms
from ..simd.views import views

#: Chains of one group.
CHAINS = GROUP * WIDTH
#: Sweeps between exact recomputations of fields and hidden inputs; 128 sweeps of one flip per
#: unit lose at most 128 * n_units units in the last place.
REFRESH = 128
_DRAWS = 4  # uniforms of one Philox block


class GibbsTables(NamedTuple):
    """What a sweep needs to know of the model and of the base of the path.

    ``couplings`` is (0, 0) without pairwise terms; hidden units are the live ones.
    """

    biases: np.ndarray  # (n_units,)
    couplings: np.ndarray  # (n_units, n_units) or (0, 0)
    weights: np.ndarray  # (n_units, n_hidden)
    hidden_biases: np.ndarray  # (n_hidden,)
    up: np.ndarray  # exp(weights)
    down: np.ndarray  # exp(-weights)
    block_ends: np.ndarray  # ends of the runs of hidden units whose product fits into a double
    careful: bool  # inputs may leave the range of exp: keep z instead of exp(z)
    base_logits: np.ndarray  # (n_units,) logits of the independent model at beta = 0
    potential: np.ndarray  # (n_units + 1,), or (0,) without one


class Chains(NamedTuple):
    """State of all chains, in groups of ``CHAINS``; the kernel changes it in place."""

    x: np.ndarray  # (n_groups, n_units, CHAINS), 0.0 or 1.0
    fields: np.ndarray  # (n_groups, n_units, CHAINS), 2 J x
    inputs: np.ndarray  # (n_groups, n_hidden, CHAINS), exp(z), or z where careful
    hidden_log: np.ndarray  # (n_groups, CHAINS), sum_i softplus(z_i)
    log_weights: np.ndarray  # (n_groups, CHAINS), nats


class _Group(NamedTuple):
    """What ``Chains`` holds of one group, the numbers of its chains, and space to work in."""

    x: np.ndarray
    fields: np.ndarray
    inputs: np.ndarray
    hidden_log: np.ndarray
    log_weights: np.ndarray
    ids: np.ndarray  # (CHAINS,)
    draws: np.ndarray  # (_DRAWS, CHAINS), uniforms of the next units
    flips: np.ndarray  # (CHAINS,), +1 on, -1 off, 0 none
    counts: np.ndarray  # (3, CHAINS), active units K, and potential of one more and of one less


@subroutine(forceinline=True)
def _refresh(careful, group, model):
    """Fields, hidden inputs (E or z) and hidden log weight of one group, from x alone."""
    x, fields, inputs, block_ends = group.x, group.fields, group.inputs, model.block_ends
    couplings, weights, hidden_biases = model.couplings, model.weights, model.hidden_biases
    n_units = weights.shape[0]
    for n in range(couplings.shape[0]):
        field = splat(0.0, CHAINS)
        for m in range(n_units):
            field = fma(2.0 * couplings[n, m], load_group(x, (m, 0)), field)
        store(fields, (n, 0), field)
    hidden_log, start = splat(0.0, CHAINS), 0
    for block in range(block_ends.shape[0]):
        end, product = block_ends[block], splat(1.0, CHAINS)
        for i in range(start, end):
            z = splat(hidden_biases[i], CHAINS)
            for n in range(n_units):
                z = fma(weights[n, i], load_group(x, (n, 0)), z)
            if careful is not None:
                store(inputs, (i, 0), z)
                hidden_log = hidden_log + softplus(z)
            else:
                e = exp(z)
                store(inputs, (i, 0), e)
                product = fma(product, e, product)
        hidden_log = hidden_log + log(product)
        start = end
    return hidden_log


@subroutine(forceinline=True)
def _count(x, counts, potential):
    last = potential.shape[0] - 1
    if last < 0:
        return
    n_active = splat(0.0, CHAINS)
    for n in range(last):
        n_active = n_active + load_group(x, (n, 0))
    store(counts, (0, 0), n_active)
    for chain in range(CHAINS):
        _take_steps(counts, chain, potential)


@subroutine(forceinline=True)
def _take_steps(counts, chain, potential):
    """What one active unit more or less adds to log p~ of a chain."""
    k, last = int(counts[0, chain]), potential.shape[0] - 1
    counts[1, chain] = potential[min(k + 1, last)] - potential[k]
    counts[2, chain] = potential[max(k - 1, 0)] - potential[k]


@subroutine(forceinline=True)
def _proposed_hidden(careful, n, before, direction, inputs, model):
    """Hidden log weight after flipping unit n, from z if careful, else from E, block by block."""
    up, down, weights, block_ends = model.up, model.down, model.weights, model.block_ends
    hidden_log, start = splat(0.0, CHAINS), 0
    if careful is not None:
        for i in range(weights.shape[1]):
            z = fma(direction, weights[n, i], load_group(inputs, (i, 0)))
            hidden_log = hidden_log + softplus(z)
        return hidden_log
    active = before > 0.0
    for block in range(block_ends.shape[0]):
        end, product = block_ends[block], splat(1.0, CHAINS)
        for i in range(start, end):
            factor = select(active, splat(down[n, i], CHAINS), up[n, i])
            product = product * fma(load_group(inputs, (i, 0)), factor, 1.0)
        hidden_log = hidden_log + log(product)
        start = end
    return hidden_log


@subroutine(forceinline=True)
def _carry_flips(careful, n, group, model):
    """Carry flips of unit n into fields, hidden inputs and counts, only in rows with a flip."""
    flips, fields, inputs, counts = group.flips, group.fields, group.inputs, group.counts
    potential = model.potential
    couplings, weights, up, down = model.couplings, model.weights, model.up, model.down
    for lane in range(0, CHAINS, WIDTH):
        flip = load(flips, lane)
        on, off = flip > 0.0, flip < 0.0
        if not any_lane(on | off):
            continue
        for m in range(couplings.shape[0]):
            field = load(fields, (m, lane))
            store(fields, (m, lane), fma(flip, 2.0 * couplings[n, m], field))
        for i in range(weights.shape[1]):
            before = load(inputs, (i, lane))
            if careful is not None:
                store(inputs, (i, lane), fma(flip, weights[n, i], before))
            else:
                factor = select(on, up[n, i], select(off, splat(down[n, i], WIDTH), 1.0))
                store(inputs, (i, lane), before * factor)
        if potential.shape[0] > 0:
            store(counts, (0, lane), load(counts, (0, lane)) + flip)
            for chain in range(lane, lane + WIDTH):
                if flips[chain] != 0.0:
                    _take_steps(counts, chain, potential)


@subroutine(forceinline=True)
def _excess(group, hidden_log, model):
    """The log p~(x) - sum_n a_n x_n of each chain, which annealing integrates over beta."""
    x, fields, biases, base_logits = group.x, group.fields, model.biases, model.base_logits
    flips, counts, potential, value = group.flips, group.counts, model.potential, hidden_log
    for n in range(biases.shape[0]):
        slope = biases[n] - base_logits[n]
        value = fma(load_group(x, (n, 0)), fma(0.5, load_group(fields, (n, 0)), slope), value)
    if potential.shape[0] > 0:  # in the space of the flips, which are carried by now
        for chain in range(CHAINS):
            flips[chain] = potential[int(counts[0, chain])]
        value = value + load_group(flips, 0)
    return value


@subroutine(forceinline=True)
def _sweep(careful, group, hidden_log, model, beta, backwards, counter, key):
    """One scan over the units of a group at inverse temperature beta: its hidden log weight.

    Costs per chain and unit 2 * n_hidden operations, a log, an exp and a quarter Philox block.
    """
    x, fields, draws = group.x, group.fields, group.draws
    biases, base_logits, counts = model.biases, model.base_logits, group.counts
    n_units, is_counted = biases.shape[0], model.potential.shape[0] > 0
    for position in range(n_units):
        n = n_units - 1 - position if backwards else position
        if position % _DRAWS == 0:
            ids = load_group(group.ids, 0)
            block = full_like(ids, np.uint64(position // _DRAWS))
            sweep, stream = full_like(ids, counter[0]), full_like(ids, counter[1])
            rows = uniforms(ids, sweep, block, stream, key[0], key[1])
            for j in range(_DRAWS):
                store(draws, (j, 0), rows[j])
        u = load_group(draws, (position % _DRAWS, 0))
        before = load_group(x, (n, 0))
        direction = 1.0 - (before + before)
        proposed = _proposed_hidden(careful, n, before, direction, group.inputs, model)
        visible = direction * (biases[n] + load_group(fields, (n, 0)))
        if is_counted:
            steps = select(before > 0.0, load_group(counts, (2, 0)), load_group(counts, (1, 0)))
            visible = visible + steps
        base = direction * ((1.0 - beta) * base_logits[n])
        log_odds = fma(beta, visible + (proposed - hidden_log), base)
        # u < sigmoid(log_odds), without a division and exact at both ends.
        flipped = u * exp(0.0 - log_odds) < 1.0 - u
        hidden_log = select(flipped, proposed, hidden_log)
        flip = select(flipped, direction, 0.0)
        store(x, (n, 0), before + flip)
        store(group.flips, 0, flip)
        _carry_flips(careful, n, group, model)
    return hidden_log


@subroutine
def _advance_group(careful, arrays, tables, path, backwards, seed, first):
    """All sweeps of one group: refreshes, scans and weights; all of the above is inlined here."""
    group, model = views(arrays), views(tables)
    key = (seed & np.uint64(0xFFFFFFFF), seed >> np.uint64(32))
    hidden_log = load_group(group.hidden_log, 0)
    log_weight = load_group(group.log_weights, 0)
    stream = np.uint64(backwards)
    _count(group.x, group.counts, model.potential)
    for k in range(path.shape[0]):
        beta, increment = path[k, 0], path[k, 1]
        if (first + k) % REFRESH == 0:
            hidden_log = _refresh(careful, group, model)
        counter = (np.uint64(first + k), stream)
        hidden_log = _sweep(careful, group, hidden_log, model, beta, backwards, counter, key)
        if increment != 0.0:
            log_weight = fma(increment, _excess(group, hidden_log, model), log_weight)
    store(group.hidden_log, 0, hidden_log)
    store(group.log_weights, 0, log_weight)


# A run of sweeps of all chains: sweep k at beta = path[k, 0], then log w += path[k, 1] * excess.
# Cost: see _sweep; groups are independent, so results are the same for any number of threads.
# Pinned by tests/kernels/cpu/test_gibbs.py::test_log_weights_follow_the_definition_along_a_path.
def advance(chains, model, path, backwards, seed, first):
    """Advance all chains in place; sweep 0 fills ``fields``, ``inputs`` and ``hidden_log``.

    ``backwards`` scans units in descending order, the reversal of the ascending scan. ``seed``
    (uint64) is the key of the random numbers, and ``first`` the index of the first sweep, so that
    a run in several calls equals one call.
    """
    careful = True if model.careful else None
    sweeps = path, backwards, seed, first
    in_threads(_advance_groups, chains.x.shape[0], careful, chains, model, *sweeps)


@kernel(nogil=True)
def _advance_groups(
    first_group, last_group, careful, chains, model, path, backwards, seed, first
):  # fmt: skip
    for group in range(first_group, last_group):
        own = _Group(
            chains.x[group],
            chains.fields[group],
            chains.inputs[group],
            chains.hidden_log[group],
            chains.log_weights[group],
            np.arange(group * CHAINS, (group + 1) * CHAINS).astype(np.uint64),
            np.empty((_DRAWS, CHAINS)),
            np.empty(CHAINS),
            np.empty((3, CHAINS)),
        )
        _advance_group(careful, own, model, path, backwards, seed, first)
