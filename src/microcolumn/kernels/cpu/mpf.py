"""Sums over single flips of unique words: value and gradient in one fused pass.

Minimum probability flow adds up K_n below, pseudolikelihood softplus(2 * log K_n); what they differ
in is in ``mpf_links.py``. For a word x and a bit n with direction d = 1 - 2*x_n

    K_n = exp(d * field_n / 2) * sqrt(prod_i f_ni),   f_ni = sbar_i + s_i * exp(d * W_ni)

with s_i = sigmoid(z_i) and sbar_i = sigmoid(-z_i) (docs/method.md, section 3). Dividing both terms
by what does not depend on n turns the multiply-add into an addition, which most processors do in
parallel with their multiplications. With a = sigmoid(c), abar = sigmoid(-c) and
r = abar * exp(c - z), which depend on the word alone,

    f_ni = h_ni / h_i,   h_ni = a_i * exp(d * W_ni) + r_i,   h_i = a_i + r_i,   sbar_i = r_i / h_i.

The gradient needs g_n / h_ni for every (word, bit, hidden unit), g = K_n / 2 times the weight of
the word. Instead of a division each, the running products of h of the forward pass are kept, one
per pair of hidden units, and unwound backwards, so that a row of bits costs one division in all.

Inactive bits run with the bits of a word across the lanes, ``GROUP`` words at a time; the few
active ones with the hidden units across the lanes. So each table is read along its rows, nothing
is gathered, and a table entry is loaded once per group of words.

Words whose products provably stay in range need no logarithm and no exponential: sums over
active bits become products of tables. Any other word goes the careful way: sums and exponentials,
products cut into blocks that cannot overflow, their powers of two counted separately. The careful
way is compiled when the first such word comes: ``careful`` is None or True, which are two types;
Numba leaves out the branches of the other.

Below, "flow" is short for what goes out of a word through a flip, whatever the objective.
"""

import numpy as np

from ..compile import kernel, subroutine
from ..loops.threads import in_threads
from ..simd.elementary import exp, frexp, log
from ..simd.groups import GROUP, group_max, group_sum, hadd, row_products, row_sums, tile
from ..simd.lanes import WIDTH, fma, full_like, reduce_add, splat, sqrt, vmax, vmin
from ..simd.memory import (
    broadcast_rows,
    gather_rows,
    hadd_finish,
    load,
    load_group,
    load_rows,
    store,
    store_rows,
)
from ..simd.views import sub_views, views
from .mpf_links import slopes, terms
from .mpf_tables import NEVER, shapes_for

_HALF_LN2 = 0.5 * np.log(2.0)
#: Up to so many pairs of hidden units two rows' products fit into a first-level cache.
_LAGGING_PAIRS = 32


# Adds up the terms of each word's flips in every chunk, and their gradient, into that chunk's sums.
# Cost: 3 additions and 4.5 multiplications per (word, inactive bit, hidden unit).
# Pinned to brute force over flips by tests/objectives/test_flips.py.
def sum_over_flips(logistic, words, model, shape, sums, scratch, lists):
    """Flow of weighted words, an ``ActiveBits``, or their pseudolikelihood, and its gradient.

    ``model`` (1, n) is a ``FlowTables`` in one row; ``sums`` (the result), ``scratch`` and
    ``lists``, each (n_chunks, n), hold ``Sums``, ``Scratch`` and ``Lists`` of a chunk in each row,
    with the sizes ``shape``.
    """
    n_chunks = words.borders.size - 1
    arguments = logistic, words, model, shape, sums, scratch, lists
    if any(in_threads(_sum_chunks, n_chunks, None, *arguments)):
        in_threads(_sum_chunks, n_chunks, True, *arguments)


@kernel(nogil=True, error_model="numpy")
def _sum_chunks(
    first_chunk, last_chunk, careful, logistic, all_words, tables, shape, all_sums, all_scratch,
    all_lists,
):  # fmt: skip
    """Add up what goes one way, which begins with the plain one; groups of words that do not."""
    of_model, of_sums, of_scratch, of_lists = shapes_for(shape)
    words, model = views(all_words), sub_views(tables, 0, of_model)
    n_left = 0
    for k in range(first_chunk, last_chunk):
        sums, scratch = sub_views(all_sums, k, of_sums), sub_views(all_scratch, k, of_scratch)
        lists = sub_views(all_lists, k, of_lists)
        if careful is None:
            all_sums[k, :] = 0.0
        last = words.borders[k + 1]
        for u in range(words.borders[k], last, GROUP):
            n_words = min(GROUP, last - u)
            needs_care, n_active = _list_active(words, model, lists, u, n_words)
            if needs_care != (careful is not None):
                n_left += 1
                continue
            for w in range(GROUP):
                scratch.weight[w, 0] = words.weights[u + w] if w < n_words else 0.0
            _add_up_fields(words, model, scratch, lists, careful, u, n_words, n_active)
            if careful is None:
                _prepare(words, model, scratch, u, n_words)
            else:
                _prepare_carefully(words, model, scratch, u, n_words)
            n_blocks = _cut(scratch, lists, model.bounds[2], careful)
            _inactive_bits(logistic, model, scratch, lists, sums, careful, n_blocks)
            _active_bits(logistic, model, scratch, lists, sums, careful, n_active)
            _add_hidden(words, model, scratch, lists, sums, u, n_words)
            _add_visible(scratch, lists, sums, n_active)
    return n_left


@subroutine(forceinline=True)
def _list_active(words, model, lists, u, n_words):
    """List the active bits of the group; whether a product of theirs might leave its range."""
    active, offsets, unit, word = words.active, words.offsets, lists.unit, lists.word
    field_reach, product_reach, bounds = model.field_reach, model.product_reach, model.bounds
    n_active, careful = 0, False
    for w in range(n_words):
        fields, products = bounds[0], bounds[1]
        for j in range(offsets[u + w], offsets[u + w + 1]):
            n = active[j]
            unit[n_active] = n
            word[n_active] = w
            n_active += 1
            fields -= field_reach[n]
            products -= product_reach[n]
        careful |= fields < 0.0 or products < 0.0
    for k in range(n_active, n_active + GROUP - 1):
        unit[k] = 0
        word[k] = GROUP
    return careful, n_active


@subroutine(error_model="numpy")
def _add_up_fields(words, model, scratch, lists, careful, u, n_words, n_active):
    """Fields of each word; those of active bits are listed separately."""
    active, offsets, fields = words.active, words.offsets, scratch.fields
    biases = model.bias_factor if careful is None else model.biases
    couplings = model.coupling_factor if careful is None else model.couplings
    for w in range(GROUP):
        start, stop = (offsets[u + w], offsets[u + w + 1]) if w < n_words else (0, 0)
        for n in range(fields.shape[0]):
            field = load(biases, n * WIDTH)
            for j in range(start, stop if couplings.shape[0] > 0 else start):
                term = load(couplings, (active[j], n * WIDTH))
                field = field * term if careful is None else field + term
            store(fields, (n, w * WIDTH), field)
    unit, word, own = lists.unit, lists.word, scratch.field
    for k in range(n_active):
        n, lane = unit[k] // WIDTH, word[k] * WIDTH + unit[k] % WIDTH
        own[k, 0] = fields[n, lane]
        fields[n, lane] = 0.0 if careful is None else NEVER


@subroutine(error_model="numpy")
def _prepare(words, model, scratch, u, n_words):
    """r, sbar and scale of each word; words missing from the group weigh nothing."""
    active, offsets, half_weights = words.active, words.offsets, words.half_weights
    on, off, shrink = model.on, model.off, model.shrink
    scale, r_of, sbar = scratch.scale, scratch.r, scratch.sbar
    for w in range(GROUP):
        start, stop = (offsets[u + w], offsets[u + w + 1]) if w < n_words else (0, 0)
        scale[w, 0] = half_weights[u + w] if w < n_words else 0.0
        for i in range(0, on.shape[0], GROUP * WIDTH):
            r = load_group(off, i)
            for j in range(start, stop):
                r = r * load_group(shrink, (active[j], i))
            store(r_of, (w, i), r)
    scale[GROUP, 0] = 0.0
    products = tile(splat(1.0, WIDTH))
    for i in range(0, on.shape[0], WIDTH):
        r = load_rows(r_of, 0, i)
        h = tile(load(on, i)) + r
        products = products * h
        store_rows(sbar, 0, i, r / h)
    store(scale, (0, 0), load(scale, (0, 0), GROUP) / sqrt(row_products(products)))


@subroutine(error_model="numpy")
def _prepare_carefully(words, model, scratch, u, n_words):
    """The same for words with large products: the logarithm of scale, and a clipped r."""
    active, offsets, log_half_weights = words.active, words.offsets, words.log_half_weights
    scale, r_of, weights = scratch.scale, scratch.r, model.weights
    for w in range(GROUP):
        start, stop = (offsets[u + w], offsets[u + w + 1]) if w < n_words else (0, 0)
        scale[w, 0] = log_half_weights[u + w] if w < n_words else NEVER
        for i in range(0, r_of.shape[1], GROUP * WIDTH):
            z = load_group(model.beyond, i)
            for j in range(start, stop):
                z = z + load_group(weights, (active[j], i))
            store(r_of, (w, i), z)
    scale[GROUP, 0] = NEVER
    mantissa = tile(splat(1.0, WIDTH))
    exponent = tile(splat(0.0, WIDTH))
    for i in range(0, r_of.shape[1], WIDTH):
        z = vmax(load_rows(r_of, 0, i), tile(load(model.lowest, i)))
        minus = 0.0 - z
        r = tile(load(model.off, i)) * exp(minus)
        h = tile(load(model.on, i)) + r
        store_rows(r_of, 0, i, r)
        store_rows(scratch.sbar, 0, i, r / h)
        mantissa, powers = frexp(mantissa * h)
        exponent = exponent + powers
        size = vmin(group_max(vmax(z, minus)), load(model.far, i))
        store(scratch.reach, i, vmax(size, load(model.weight_reach, i)))
    half_log = 0.5 * log(row_products(mantissa))
    half_log = fma(row_sums(exponent), _HALF_LN2, half_log)
    store(scale, (0, 0), load(scale, (0, 0), GROUP) - half_log)


@subroutine(forceinline=True)
def _cut(scratch, lists, limit, careful):
    """Cut the pairs of hidden units into blocks over which no product of h leaves its range."""
    reach, blocks = scratch.reach, lists.blocks
    n_pairs, n_blocks, so_far = blocks.shape[0] - 1, 0, 0.0
    for pair in range(min(1, n_pairs) if careful is None else n_pairs):
        size = reach[2 * pair] + reach[2 * pair + 1]
        if pair == 0 or so_far + size > limit:
            blocks[n_blocks] = pair
            n_blocks += 1
            so_far = 0.0
        so_far += size
    blocks[n_blocks] = n_pairs
    return n_blocks


@subroutine(error_model="numpy")
def _inactive_bits(logistic, model, scratch, lists, sums, careful, n_blocks):
    """Flow through the bits that are off and its gradient; lanes are bits.

    With few hidden units the backward passes follow one row of bits behind the forward ones, so
    that the square root and the division between them run in parallel with other work. With many,
    it matters more that the running products of one row fit into the cache.
    """
    n_rows = scratch.fields.shape[0]
    lag = 1 if scratch.prefix.shape[1] <= _LAGGING_PAIRS else 0
    product, total = tile(splat(1.0, WIDTH)), tile(splat(0.0, WIDTH))
    for n in range(n_rows + lag):
        if n < n_rows:
            product, total = _forward(
                logistic, model, scratch, lists, careful, n_blocks, n, lag & n, product, total
            )
        if n >= lag:
            _backward(model, scratch, lists, sums, n_blocks, n - lag, lag & (n - lag))
    weight = broadcast_rows(scratch.weight, 0, 0)
    sums.value[0] += reduce_add(group_sum(terms(logistic, weight, product, total)))


@subroutine(forceinline=True)
def _product(model, scratch, n, slot, first, last):
    """Product of h over pairs of hidden units; what it was before each pair is kept."""
    grow, r, prefix = model.grow, scratch.r, scratch.prefix
    p = tile(splat(1.0, WIDTH))
    for j in range(first, last):
        one = tile(load(grow, (n, j, 0, 0))) + broadcast_rows(r, 0, 2 * j)
        other = tile(load(grow, (n, j, 1, 0))) + broadcast_rows(r, 0, 2 * j + 1)
        store(prefix, (slot, j, 0), p)
        p = p * (one * other)
    return p


@subroutine(forceinline=True)
def _forward(logistic, model, scratch, lists, careful, n_blocks, n, slot, product, total):
    """Slope g of row n of bits (zero where they are on), and g / product of each block."""
    fields, scale = load_group(scratch.fields, (n, 0)), broadcast_rows(scratch.scale, 0, 0)
    blocks, inverse = lists.blocks, scratch.inverse
    mantissa, exponent = tile(splat(1.0, WIDTH)), tile(splat(0.0, WIDTH))
    for b in range(n_blocks):
        p = _product(model, scratch, n, slot, blocks[b], blocks[b + 1])
        store(inverse, (slot, b, 0), p)
        mantissa = mantissa * p
        if careful is not None:
            mantissa, powers = frexp(mantissa)
            exponent = exponent + powers
    base = fields * scale if careful is None else fields + scale
    weight = broadcast_rows(scratch.weight, 0, 0)
    g, product, total = slopes(logistic, careful, base, mantissa, exponent, weight, product, total)
    store(scratch.push, (n, 0), g)
    for b in range(n_blocks):
        store(inverse, (slot, b, 0), g / load_group(inverse, (slot, b, 0)))
    return product, total


@subroutine(forceinline=True)
def _backward(model, scratch, lists, sums, n_blocks, n, slot):
    """Gradient through row n of bits: q = g / h, unwound from the products."""
    grow, grow1, r, prefix = model.grow, model.grow1, scratch.r, scratch.prefix
    through_of, inactive, blocks = scratch.through, sums.inactive, lists.blocks
    for b in range(n_blocks):
        inverse = load_group(scratch.inverse, (slot, b, 0))
        for j in range(blocks[b + 1] - 1, blocks[b] - 1, -1):
            one = tile(load(grow, (n, j, 0, 0))) + broadcast_rows(r, 0, 2 * j)
            other = tile(load(grow, (n, j, 1, 0))) + broadcast_rows(r, 0, 2 * j + 1)
            both = inverse * load_group(prefix, (slot, j, 0))
            inverse = inverse * (one * other)
            q_one, q_other = both * other, both * one
            store(inactive, (n, j, 0, 0), load(inactive, (n, j, 0, 0)) + group_sum(q_one))
            store(inactive, (n, j, 1, 0), load(inactive, (n, j, 1, 0)) + group_sum(q_other))
            through = hadd(
                q_one * tile(load(grow1, (n, j, 0, 0))), q_other * tile(load(grow1, (n, j, 1, 0)))
            )
            if n > 0:
                through = through + load_group(through_of, (j, 0))
            store(through_of, (j, 0), through)


@subroutine(error_model="numpy")
def _active_bits(logistic, model, scratch, lists, sums, careful, n_active):
    """Flow through the bits that are on, and its slope g."""
    g_of, push, unit, word = scratch.g, scratch.push, lists.unit, lists.word
    term = scratch.term
    for k in range(0, n_active, GROUP):
        g, own = _flow_of_active(logistic, model, scratch, lists, careful, k)
        store(g_of, (k, 0), g)
        store(term, (k, 0), own)
    value = 0.0
    for k in range(n_active):
        value += term[k, 0]
        push[unit[k] // WIDTH, word[k] * WIDTH + unit[k] % WIDTH] = -g_of[k, 0]
    sums.value[0] += value


@subroutine(forceinline=True)
def _flow_of_active(logistic, model, scratch, lists, careful, k):
    """Slope g and term of GROUP active bits of the list from k on; lanes are hidden units."""
    on, part, unit, word = model.on, scratch.part, lists.unit, lists.word
    shrink, r = model.shrink, scratch.r
    p = tile(splat(1.0, WIDTH))
    exponent = tile(splat(0.0, WIDTH))
    for i in range(0, on.shape[0], 2 * WIDTH):
        a, b = tile(load(on, i)), tile(load(on, i + WIDTH))
        one = fma(a, gather_rows(shrink, unit, k, i), gather_rows(r, word, k, i))
        other = fma(b, gather_rows(shrink, unit, k, i + WIDTH), gather_rows(r, word, k, i + WIDTH))
        both = one * other
        inverse = 1.0 / both  # one division for two registers
        store_rows(part, k, i, inverse * other * a)
        store_rows(part, k, i + WIDTH, inverse * one * b)
        p = p * both
        if careful is not None:
            p, powers = frexp(p)
            exponent = exponent + powers
    scale, field = gather_rows(scratch.scale, word, k, 0, 1), load(scratch.field, (k, 0), GROUP)
    weight = gather_rows(scratch.weight, word, k, 0, 1)
    base = scale / field if careful is None else scale - field
    one, none = full_like(base, 1.0), full_like(base, 0.0)
    g, product, total = slopes(
        logistic, careful, base, row_products(p), row_sums(exponent), weight, one, none
    )
    return g, terms(logistic, weight, product, total)


@subroutine(error_model="numpy")
def _add_hidden(words, model, scratch, lists, sums, u, n_words):
    """Gradient of weights and hidden biases through z and, for active bits, directly."""
    through_of, sbar, part, g = scratch.through, scratch.sbar, scratch.part, scratch.g
    shrink, shrink1, unit, offsets = model.shrink, model.shrink1, lists.unit, words.offsets
    weights, hidden_biases = sums.weights, sums.hidden_biases
    first = 0
    for w in range(n_words):
        last = first + offsets[u + w + 1] - offsets[u + w]
        for i in range(0, hidden_biases.shape[0], GROUP * WIDTH):
            through = hadd_finish(through_of, i // 2, w * WIDTH)
            for k in range(first, last):
                q = load_group(part, (k, i)) * g[k, 0]
                through = fma(q, load_group(shrink1, (unit[k], i)), through)
            through = through * load_group(sbar, (w, i))
            store(hidden_biases, i, load_group(hidden_biases, i) + through)
            for k in range(first, last):
                q = load_group(part, (k, i)) * g[k, 0]
                change = through - q * load_group(shrink, (unit[k], i))
                store(weights, (unit[k], i), load_group(weights, (unit[k], i)) + change)
        first = last


@subroutine(error_model="numpy")
def _add_visible(scratch, lists, sums, n_active):
    """Gradient of biases, and of couplings with the active bits."""
    biases, couplings, push = sums.biases, sums.couplings, scratch.push
    for n in range(push.shape[0]):
        store(biases, n * WIDTH, load(biases, n * WIDTH) + group_sum(load_group(push, (n, 0))))
    for k in range(n_active if couplings.shape[0] > 0 else 0):
        m, w = lists.unit[k], lists.word[k]
        for n in range(push.shape[0]):
            here = load(couplings, (m, n * WIDTH))
            store(couplings, (m, n * WIDTH), here + load(push, (n, w * WIDTH)))
