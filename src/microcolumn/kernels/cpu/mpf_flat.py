"""From a flat vector of parameters into the MPF kernel's arrays, and from its sums back.

The coordinates are couplings of the pairs (rows, columns), biases and weights of the free units,
and hidden biases. Both ways are pinned by tests/kernels/cpu/test_flip_sums.py.
"""

import numpy as np


def scatter(x, free, rows, columns, b, J, n_hidden):
    """Fill b and J; W, c and the places of the hidden units that have weights."""
    pairs, biases, weights, hidden_biases = _parts(x, rows, free, n_hidden)
    if rows.size:
        J[rows, columns] = J[columns, rows] = pairs
    b[free] = biases
    live = np.flatnonzero(weights.any(axis=0))
    if live.size == n_hidden and free.size == b.size:
        return weights, hidden_biases, live
    W = np.zeros((b.size, live.size))
    W[free] = weights[:, live]
    return W, hidden_biases[live], live


def gather(x, free, rows, columns, live, total, grow, scale, out):
    """Fill ``out`` with the gradient times ``scale``, from the kernel's sums.

    A hidden unit that left the kernel has no weights, so its z is c alone: then f = 1, nothing
    flows through z, and dK/dW_ni is sigmoid(c_i) times the direct part, the gradient of b_n.
    """
    n_hidden = (out.size - rows.size - free.size) // (free.size + 1)
    pairs, biases, weights, hidden_biases = _parts(out, rows, free, n_hidden)
    n_live = live.size
    is_whole = n_live == n_hidden and free.size == len(total.weights)
    free, live = (slice(None), slice(None)) if is_whole else (free, live)
    # What overflows here is not finite, which the caller sees.
    with np.errstate(over="ignore", invalid="ignore"):
        if rows.size:
            couplings = total.couplings
            pairs[:] = 2.0 * scale * (couplings[rows, columns] + couplings[columns, rows])
        biases[:] = scale * total.biases[: len(total.weights)][free]
        if n_live < n_hidden:
            weights[:] = biases[:, None] / (1.0 + np.exp(-x[out.size - n_hidden :]))
        n_rows, n_pairs, _, n_lanes = grow.shape
        inactive = (total.inactive * grow).transpose(0, 3, 1, 2)
        inactive = inactive.reshape(n_rows * n_lanes, 2 * n_pairs)[: len(total.weights)]
        weights[:, live] = scale * (total.weights[free, :n_live] + inactive[free, :n_live])
        hidden_biases[:] = 0.0
        hidden_biases[live] = scale * total.hidden_biases[:n_live]


def _parts(vector, rows, free, n_hidden):
    """Views of the couplings, biases, weights (n_free, n_hidden) and hidden biases of a vector."""
    weights = rows.size + free.size
    hidden = weights + free.size * n_hidden
    matrix = vector[weights:hidden].reshape(free.size, n_hidden)
    return vector[: rows.size], vector[rows.size : weights], matrix, vector[hidden:]
