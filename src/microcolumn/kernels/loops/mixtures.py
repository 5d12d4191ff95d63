"""Mixtures of independent populations on sparse words, from their active bits alone.

Words come as in a sparse matrix: the active bits of word u are ``active`` from ``offsets[u]`` to
``offsets[u + 1]``. With silent[k] the log probability of component k and of the silent word in it,
and logits[n, k] the log odds of bit n, the log probability of component k and word x is

    z_k(x) = silent[k] + sum_n x_n logits[n, k].

Components run across the lanes, padded to whole rows with ``silent`` so low that they never occur.
"""

import math

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from ..simd.elementary import exp
from ..simd.lanes import WIDTH, any_lane, reduce_add, reduce_max, splat
from ..simd.memory import load, store

#: Share of a word below which it adds nothing to a component's sums that a double would keep.
_NEGLIGIBLE = 1e-30
#: Components whose sums are in registers together, so that one addition need not wait for another.
_BLOCK = 4 * WIDTH


@subroutine(forceinline=True)
def _joint(offsets, active, u, logits, silent, z):
    """Fill ``z`` with z_k of word u; the largest of them."""
    begin, end = offsets[u], offsets[u + 1]
    in_blocks = silent.size - silent.size % _BLOCK
    top = -np.inf
    for i in range(0, in_blocks, _BLOCK):
        block = load(silent, i, _BLOCK)
        for k in range(begin, end):
            block = block + load(logits, (active[k], i), _BLOCK)
        store(z, i, block)
        top = max(top, reduce_max(block))
    for i in range(in_blocks, silent.size, WIDTH):
        row = load(silent, i)
        for k in range(begin, end):
            row = row + load(logits, (active[k], i))
        store(z, i, row)
        top = max(top, reduce_max(row))
    return top


@subroutine(forceinline=True)
def _exponentials(z, top):
    """Replace ``z`` by exp(z - top); their sum."""
    total = splat(0.0, WIDTH)
    for i in range(0, z.size, WIDTH):
        row = exp(load(z, i) - top)
        store(z, i, row)
        total = total + row
    return reduce_add(total)


# Log probability of each word: log sum_k exp z_k.
# Cost: one addition per active bit and component, an exponential per component.
# Pinned to a dense computation by tests/kernels/loops/test_mixtures.py.
@kernel(parallel=True)
def log_mixture(offsets, active, logits, silent, first, out):
    """Fill ``out`` (n_words,); chunk c holds the words ``first[c]`` to ``first[c + 1]``."""
    for chunk in prange(first.size - 1):
        z = np.empty(silent.size)
        for u in range(first[chunk], first[chunk + 1]):
            top = _joint(offsets, active, u, logits, silent, z)
            out[u] = top + math.log(_exponentials(z, top))


# Log probability z_k of each word and component.
# Cost: one addition per active bit and component.
# Pinned to a dense computation by tests/kernels/loops/test_mixtures.py.
@kernel(parallel=True)
def log_joint(offsets, active, logits, silent, first, out):
    """Fill ``out`` (n_words, n_components), padded components included."""
    for chunk in prange(first.size - 1):
        for u in range(first[chunk], first[chunk + 1]):
            _joint(offsets, active, u, logits, silent, out[u])


# One pass of expectation: responsibilities r_k(x) = exp(z_k - log sum) times the count of each
# word, summed over words (``shares``) and over the words in which each bit is active (``spikes``),
# and the log-likelihood.
# Cost: two additions per active bit and component, an exponential per component.
# Pinned to a dense computation by tests/kernels/loops/test_mixtures.py.
@kernel(parallel=True)
def responsibility_sums(
    offsets, active, counts, logits, silent, first, spikes, shares, log_likelihood
):  # fmt: skip
    """Add to ``spikes`` (n_chunks, n_bits, n_components), ``shares`` and ``log_likelihood``.

    Each has one part per chunk; chunk c holds the words ``first[c]`` to ``first[c + 1]``.
    """
    for chunk in prange(first.size - 1):
        z = np.empty(silent.size)
        nats = 0.0
        for u in range(first[chunk], first[chunk + 1]):
            top = _joint(offsets, active, u, logits, silent, z)
            total = _exponentials(z, top)
            nats += counts[u] * (top + math.log(total))
            scale = counts[u] / total
            for i in range(0, silent.size, WIDTH):
                row = load(z, i) * scale
                if not any_lane(row > _NEGLIGIBLE):
                    continue
                store(shares, (chunk, i), load(shares, (chunk, i)) + row)
                for k in range(offsets[u], offsets[u + 1]):
                    n = active[k]
                    store(spikes, (chunk, n, i), load(spikes, (chunk, n, i)) + row)
        log_likelihood[chunk] = nats
