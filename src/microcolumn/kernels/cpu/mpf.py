"""Minimum probability flow over unique words: value and gradient in one fused pass.

For a word x and a bit n with direction d = 1 - 2*x_n (METHOD section 3)

    K_n = exp(D_n / 2),   D_n = d * field_n + sum_i log f_ni,   f_ni = sbar_i + s_i * exp(d * W_ni)

with s_i = sigmoid(z_i) and sbar_i = sigmoid(-z_i). METHOD writes f as 1 + s*(exp(dW) - 1), which
loses all digits where s is near one and exp(dW) near zero; the sum of two positive terms costs
the same multiply-add and keeps them. The gradient needs 1/f_ni for every (word, bit, hidden
unit): instead of a division each, the running products P_i = f_1...f_i of the forward pass are
kept and unwound, 1/f_i = P_{i-1} / P_i, so that a row of bits costs one division in all.

Inactive bits run with the bits of a word across the lanes, the few active ones with the hidden
units across the lanes; thus each table is read along its rows and nothing is gathered.
"""

import numpy as np
from numba import njit, prange

from .elementary import exp, log, sigmoids, softplus
from .lanes import fma, like, load, splat, store, total

#: Bits (or hidden units) per row: two AVX-512 registers of doubles, to hide the latency of the
#: running product. Tables are padded to multiples of it.
ROW = 16


# Adds up the flow out of each word of every chunk, and its gradient, into that chunk's sums.
# About 7 multiply-adds per (word, bit, hidden unit), 2 per (word, active bit, bit) for couplings.
# Pinned to brute force over flips by tests/objectives/test_mpf.py.
@njit(cache=True, parallel=True)
def flow(words, model, sums):
    """Minimum probability flow of weighted words; partial sums per chunk.

    Parameters
    ----------
    words : tuple
        ``(offsets, active, weights, chunks)``: bits ``active[offsets[u]:offsets[u + 1]]`` are on
        in word u, of weight ``weights[u]``; chunk k holds words ``chunks[k]:chunks[k + 1]``.
    model : tuple
        Tables of ``objectives.mpf``: biases ``b``, couplings ``2J`` (no rows if there are none),
        ``W``, ``c``; ``exp(W)`` and ``expm1(W)`` transposed; ``exp(-W)`` and ``expm1(-W)``; the
        borders of the blocks of hidden units whose product of f cannot overflow; and, for the
        complement neighbour (empty without it), its constants.
    sums : tuple
        Zero on entry, chunk as first axis: flow ``K``, gradients of ``b``, ``2J``, ``W`` (inactive
        bits apart, transposed and without the factor exp(W)), ``c``, and of the complement.
    """
    chunks = words[3]
    for k in prange(chunks.size - 1):
        _flow_of_chunk(words, model, sums, k)


@njit(cache=True)
def _flow_of_chunk(words, model, sums, k):
    offsets, active, weights, chunks = words
    b, J2, W, c, grow, grow1, shrink, shrink1, blocks = model[:9]
    K, gb, gJ, gW, gWt, gc = sums[:6]
    n_bits, n_hidden = b.size, c.size
    number = b.dtype.type
    z = np.empty(n_hidden, b.dtype)
    s = np.empty(n_hidden, b.dtype)
    sbar = np.empty(n_hidden, b.dtype)
    through = np.empty(n_hidden, b.dtype)  # derivative through z, shared by all active bits
    fields = np.empty(n_bits, b.dtype)
    push = np.empty(n_bits, b.dtype)  # d * g_n: the word's contribution to the bias gradient
    inactive = np.empty(n_bits, b.dtype)
    prefix = np.empty((n_hidden + 1, ROW), b.dtype)
    inactive[:] = number(1)
    for u in range(chunks[k], chunks[k + 1]):
        on = active[offsets[u] : offsets[u + 1]]
        half = number(0.5 * weights[u])
        _add_rows(b, J2, on, fields)
        _add_rows(c, W, on, z)
        for i in range(0, n_hidden, ROW):
            up, down = sigmoids(load(z, i, ROW))
            store(s, i, up)
            store(sbar, i, down)
            store(through, i, splat(number(0), ROW))
        for n in on:
            inactive[n] = number(0)
        K[k] += _inactive_bits(
            half, fields, inactive, s, sbar, grow, grow1, blocks, prefix, push, gWt[k], through
        )
        for n in on:
            inactive[n] = number(1)
            g = _active_bit(
                half, -fields[n], s, sbar, shrink[n], shrink1[n], blocks, gW[k, n], through
            )
            K[k] += g
            push[n] = -g
        _add_row(push, number(1), gb[k])
        for i in range(0, n_hidden, ROW):
            row = load(through, i, ROW) * load(s, i, ROW) * load(sbar, i, ROW)
            store(through, i, row)
        _add_row(through, number(1), gc[k])
        for n in on:
            _add_row(through, number(1), gW[k, n])
            if J2.shape[0] > 0:
                _add_row(push, number(2), gJ[k, n])
        if model[9].size > 0:
            K[k] += _complement(half, on, z, s, model[9:], gW[k], gc[k], sums[6:], k)


@njit(cache=True)
def _add_rows(start, rows, on, out):
    """out = start + sum of the given rows (none if the table is empty)."""
    for j in range(0, out.size, ROW):
        acc = load(start, j, ROW)
        if rows.shape[0] > 0:
            for n in on:
                acc = acc + load(rows, (n, j), ROW)
        store(out, j, acc)


@njit(cache=True)
def _add_row(row, factor, out):
    for j in range(0, row.size, ROW):
        store(out, j, fma(load(row, j, ROW), splat(factor, ROW), load(out, j, ROW)))


@njit(cache=True)
def _inactive_bits(
    half, fields, inactive, s, sbar, grow, grow1, blocks, prefix, push, gWt, through
):
    """Flow through the bits that are off; lanes are bits. Fills ``push`` and returns sum g."""
    number = fields.dtype.type
    sum_g = splat(number(0), ROW)
    for n in range(0, fields.size, ROW):
        exponent = load(fields, n, ROW)
        for block in range(blocks.size - 1):
            p = splat(number(1), ROW)
            for i in range(blocks[block], blocks[block + 1]):
                p = p * fma(splat(s[i], ROW), load(grow, (i, n), ROW), splat(sbar[i], ROW))
                store(prefix, (i + 1, 0), p)
            exponent = exponent + log(p)
        g = exp(exponent * splat(number(0.5), ROW)) * splat(half, ROW) * load(inactive, n, ROW)
        store(push, n, g)
        sum_g = sum_g + g
        for block in range(blocks.size - 1):
            first, last = blocks[block], blocks[block + 1]
            inverse = g / load(prefix, (last, 0), ROW)
            store(prefix, (first, 0), splat(number(1), ROW))
            for i in range(last - 1, first - 1, -1):
                up = splat(s[i], ROW)
                q = inverse * load(prefix, (i, 0), ROW)  # g / f_ni
                inverse = inverse * fma(up, load(grow, (i, n), ROW), splat(sbar[i], ROW))
                store(gWt, (i, n), fma(q, up, load(gWt, (i, n), ROW)))
                through[i] += total(q * load(grow1, (i, n), ROW))
    return total(sum_g)


@njit(cache=True)
def _active_bit(half, exponent, s, sbar, shrink, shrink1, blocks, gW, through):
    """Flow through one bit that is on; lanes are hidden units. Returns g."""
    number = s.dtype.type
    p = splat(number(1), ROW)
    for i in range(0, s.size, ROW):
        p = p * fma(load(s, i, ROW), load(shrink, i, ROW), load(sbar, i, ROW))
        if blocks.size > 2:  # large weights: no product of more than one row
            exponent += total(log(p))
            p = splat(number(1), ROW)
    exponent += total(log(p))
    g = np.exp(number(0.5) * exponent) * half
    for i in range(0, s.size, ROW):
        up, e = load(s, i, ROW), load(shrink, i, ROW)
        q = like(up, g) / fma(up, e, load(sbar, i, ROW))
        store(gW, i, load(gW, i, ROW) - q * up * e)
        store(through, i, fma(q, load(shrink1, i, ROW), load(through, i, ROW)))
    return g


@njit(cache=True)
def _complement(half, on, z, s, opposite, gW, gc, sums, k):
    """Flow to the word with all bits flipped; lanes are hidden units. Returns g."""
    visible, turn, z_sum = opposite
    g_total, g_on, g_hidden = sums
    number = z.dtype.type
    change = visible[0]
    for n in on:
        change -= turn[n]
    hidden_change = splat(number(0), ROW)
    for i in range(0, z.size, ROW):
        here = load(z, i, ROW)
        hidden_change = hidden_change + softplus(load(z_sum, i, ROW) - here) - softplus(here)
    g = half * np.exp(number(0.5) * (change + total(hidden_change)))
    g_total[k] += g
    for n in on:
        g_on[k, n] += g
    for i in range(0, z.size, ROW):
        there, _ = sigmoids(load(z_sum, i, ROW) - load(z, i, ROW))
        there, here = there * like(there, g), load(s, i, ROW) * like(there, g)
        store(g_hidden, (k, i), load(g_hidden, (k, i), ROW) + there)
        store(gc, i, load(gc, i, ROW) + there - here)
        for n in on:
            store(gW, (n, i), load(gW, (n, i), ROW) - there - here)
    return g
