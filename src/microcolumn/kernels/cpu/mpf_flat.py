"""From a flat vector of parameters into the MPF kernel's arrays, and from its sums back."""

import math

import numpy as np

from ..compile import kernel
from ..simd.lanes import WIDTH


# Copies free coordinates into a model's arrays; hidden units without weights are left out.
# Cost: a few moves per coordinate.
# Pinned, with `gather`, by tests/objectives/test_mpf.py.
@kernel
def scatter(x, free, rows, columns, b, J, W, c, live):
    """Fill b, J and the beginnings of W, c and live; the number of live hidden units, and max |W|.

    The coordinates ``x`` are couplings of the pairs (rows, columns), biases and weights of the free
    units, and hidden biases. The beginning of the flat ``W`` becomes the matrix (n_visible,
    n_live) of hidden units with weights, whose positions ``live`` begins with.
    """
    n_hidden, at = live.size, rows.size
    for k in range(rows.size):
        J[rows[k], columns[k]] = x[k]
        J[columns[k], rows[k]] = x[k]
    for k in range(free.size):
        b[free[k]] = x[at + k]
    at += free.size
    n_live, largest = 0, 0.0
    for i in range(n_hidden):
        size = 0.0
        for k in range(free.size):
            size = max(size, abs(x[at + k * n_hidden + i]))
        if size > 0.0:
            live[n_live] = i
            n_live += 1
            largest = max(largest, size)
    W[: b.size * n_live] = 0.0
    for k in range(free.size):
        for j in range(n_live):
            W[free[k] * n_live + j] = x[at + k * n_hidden + live[j]]
    for j in range(n_live):
        c[j] = x[at + free.size * n_hidden + live[j]]
    return n_live, largest


# Derivatives of K along the coordinates, from the kernel's sums.
# Cost: a few additions per coordinate, one exponential per dead hidden unit.
# Pinned, with `scatter`, by tests/objectives/test_mpf.py.
@kernel(error_model="numpy")
def gather(x, free, rows, columns, live, total, grow, scale, out):
    """Fill ``out`` with the gradient times ``scale``; whether all of it is finite.

    A hidden unit that left the kernel has no weights, so its z is c alone: then f = 1, nothing
    flows through z, and dK/dW_ni is sigmoid(c_i) times the direct part, the gradient of b_n.
    """
    n_hidden = (out.size - rows.size - free.size) // (free.size + 1)
    for k in range(rows.size):
        n, m = rows[k], columns[k]
        out[k] = 2.0 * scale * (total.couplings[n, m] + total.couplings[m, n])
    first = rows.size
    for k in range(free.size):
        out[first + k] = scale * total.biases[free[k]]
    weights = first + free.size
    hidden = weights + free.size * n_hidden
    j = 0
    for i in range(n_hidden):
        if j < live.size and live[j] == i:
            for k in range(free.size):
                n = free[k]
                row, lane = n // WIDTH, n % WIDTH
                inactive = total.inactive[row, j >> 1, j & 1, lane] * grow[row, j >> 1, j & 1, lane]
                out[weights + k * n_hidden + i] = scale * (total.weights[n, j] + inactive)
            out[hidden + i] = scale * total.hidden_biases[j]
            j += 1
        else:
            on = 1.0 / (1.0 + math.exp(-x[hidden + i]))
            for k in range(free.size):
                out[weights + k * n_hidden + i] = on * out[first + k]
            out[hidden + i] = 0.0
    return bool(np.all(np.isfinite(out)))
