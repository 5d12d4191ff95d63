"""Trees and 2-trees of units, grown from the counts of pairs alone.

``pairs`` (n_units, n_units) holds the words in which two units are active together, and on its
diagonal those in which each is; ``n_words`` is the number of words. Of the table of three units a
single number is left open, t, the words in which all three are active, which the absence of an
interaction of three fixes (docs/method.md, "TwoTree").
"""

import math

import numpy as np

from ..compile import kernel, subroutine

#: Steps of Newton or of halving; halving alone reaches the precision of the numbers with them.
_STEPS = 100


@subroutine(forceinline=True)
def _xlogx(x):
    return x * math.log(x) if x > 0.0 else 0.0


@subroutine
def _information(both, first, second, n):
    """Mutual information of two units in nats, from their counts."""
    cells = _xlogx(both) + _xlogx(first - both) + _xlogx(second - both)
    cells += _xlogx(n - first - second + both)
    sides = _xlogx(first) + _xlogx(n - first) + _xlogx(second) + _xlogx(n - second)
    return max(0.0, (cells - sides + _xlogx(n)) / n)


@subroutine
def _together(i, j, k, ij, ik, jk, n):
    """Words in which all three are active, from those of single units and pairs."""
    low = max(0.0, ij + ik - i, ij + jk - j, ik + jk - k)
    high = min(ij, ik, jk, n - i - j - k + ij + ik + jk)
    if not low < high:
        return 0.5 * (low + high)
    begin, end, t = low, high, min(max(ij * ik / i, low), high) if i > 0.0 else low
    for _ in range(_STEPS):
        a, b, c, d = t, i - ij - ik + t, j - ij - jk + t, k - ik - jk + t
        e, f, g, h = ij - t, ik - t, jk - t, n - i - j - k + ij + ik + jk - t
        excess = a * b * c * d - e * f * g * h
        if excess > 0.0:
            end = t
        else:
            begin = t
        slope = (a + b) * c * d + a * b * (c + d) + (e + f) * g * h + e * f * (g + h)
        step = excess / slope if slope > 0.0 else 0.0
        previous, t = t, t - step
        if not begin < t < end:
            t = 0.5 * (begin + end)
        if abs(t - previous) <= 1e-14 * high or end - begin <= 1e-15 * high:
            break
    return t


@subroutine
def _sum_of_table(i, j, k, ij, ik, jk, n):
    """Sum of n log n over the eight cells of three units."""
    t = _together(i, j, k, ij, ik, jk, n)
    total = _xlogx(t) + _xlogx(ij - t) + _xlogx(ik - t) + _xlogx(jk - t)
    total += _xlogx(i - ij - ik + t) + _xlogx(j - ij - jk + t) + _xlogx(k - ik - jk + t)
    return total + _xlogx(n - i - j - k + ij + ik + jk - t)


# The spanning tree of most mutual information, grown from unit 0 (Prim).
# Cost: one mutual information, four logarithms, per pair of units; memory for n_units.
# Pinned by tests/models/test_tree.py to all spanning trees.
@kernel
def spanning_tree(pairs, n_words, order, parents, information):
    """Fill the order in which units join, their parents (-1 for the first) and what ties them."""
    n_units = order.size
    best, tied = np.full(n_units, -1.0), np.full(n_units, -1)
    joined = np.zeros(n_units, dtype=np.bool_)
    unit = 0
    for place in range(n_units):
        order[place], parents[unit], information[unit] = unit, tied[unit], max(best[unit], 0.0)
        joined[unit] = True
        for m in range(n_units):
            if joined[m]:
                continue
            gain = _information(pairs[unit, m], pairs[unit, unit], pairs[m, m], n_words)
            if gain > best[m]:
                best[m], tied[m] = gain, unit
        unit = np.argmax(np.where(joined, -2.0, best))


@subroutine
def _offer(pairs, n_words, first, second, edge, joined, edges, gains, own):
    """Let every unit outside look at an edge: what it would learn of it, if more than so far."""
    j, k, jk = pairs[first, first], pairs[second, second], pairs[first, second]
    parents = _xlogx(jk) + _xlogx(j - jk) + _xlogx(k - jk) + _xlogx(n_words - j - k + jk)
    constant = _xlogx(n_words) - parents
    for m in range(gains.size):
        if joined[m]:
            continue
        with_first, with_second = pairs[first, m], pairs[second, m]
        table = _sum_of_table(pairs[m, m], j, k, with_first, with_second, jk, n_words)
        gain = max(0.0, (table - own[m] + constant) / n_words)
        if gain > gains[m]:
            gains[m], edges[m] = gain, edge


@subroutine
def _strongest_pair(pairs, n_words):
    """The two units with most mutual information, and how much they have."""
    first, second, most = 0, 0, -1.0
    for i in range(pairs.shape[0]):
        for j in range(i):
            information = _information(pairs[i, j], pairs[i, i], pairs[j, j], n_words)
            if information > most:
                first, second, most = j, i, information
    return first, second, most


# The 2-tree that a greedy search finds: first the pair with most information, then always the
# unit that learns most from an edge that is there, which adds an edge to each end of it.
# Cost: for each two units a table of three, about 300 ns, and a comparison.
# Pinned by tests/models/test_two_tree.py to the same search by brute force.
@kernel
def grow_two_tree(pairs, n_words, order, parents, gains):
    """Fill the order in which units join, their two parents (-1 for none) and their gains, nats.

    ``parents`` (n_units, 2) begin with the one that says more by itself; ``gains`` (n_units, 2)
    are its mutual information and what the other one adds.
    """
    n_units = order.size
    parents[:], gains[:] = -1, 0.0
    first, second, most = _strongest_pair(pairs, n_words)
    order[0] = first
    if n_units == 1:
        return
    order[1] = second
    parents[second, 0], gains[second, 0] = first, most
    joined = np.zeros(n_units, dtype=np.bool_)
    joined[first] = joined[second] = True
    ends = np.empty((2 * n_units, 2), dtype=np.int64)
    ends[0, 0], ends[0, 1] = first, second
    n_edges, n_offered = 1, 0
    own = np.empty(n_units)
    for m in range(n_units):
        own[m] = _xlogx(pairs[m, m]) + _xlogx(n_words - pairs[m, m])
    best, edges = np.full(n_units, -1.0), np.zeros(n_units, dtype=np.int64)
    for place in range(2, n_units):
        for edge in range(n_offered, n_edges):
            _offer(pairs, n_words, ends[edge, 0], ends[edge, 1], edge, joined, edges, best, own)
        n_offered = n_edges
        unit = np.argmax(np.where(joined, -2.0, best))
        j, k = ends[edges[unit], 0], ends[edges[unit], 1]
        from_j = _information(pairs[unit, j], pairs[unit, unit], pairs[j, j], n_words)
        from_k = _information(pairs[unit, k], pairs[unit, unit], pairs[k, k], n_words)
        if from_k > from_j:
            j, k, from_j = k, j, from_k
        order[place], joined[unit] = unit, True
        parents[unit, 0], parents[unit, 1] = j, k
        gains[unit, 0], gains[unit, 1] = from_j, max(0.0, best[unit] - from_j)
        ends[n_edges, 0], ends[n_edges, 1] = unit, j
        ends[n_edges + 1, 0], ends[n_edges + 1, 1] = unit, k
        n_edges += 2
