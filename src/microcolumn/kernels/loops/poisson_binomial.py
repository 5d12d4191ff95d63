"""Words of independent units given how many of them are active."""

import numpy as np

from ..compile import kernel


# Words of independent units that have exactly K active ones, drawn from the last unit on.
# Cost: a table of n_units times K, and a comparison per unit and word.
# Pinned by tests/kernels/loops/test_poisson_binomial.py to the chances of all words.
@kernel
def draw_given_total(probabilities, total, uniforms, out):
    """Overwrite ``out`` (n_words, n_units) using ``uniforms`` of the same shape."""
    n_units = probabilities.size
    # chances[n, k]: k of the first n units are active.
    chances = np.zeros((n_units + 1, total + 1))
    chances[0, 0] = 1.0
    for n in range(n_units):
        p = probabilities[n]
        chances[n + 1, 0] = chances[n, 0] * (1.0 - p)
        for k in range(1, min(n + 1, total) + 1):
            chances[n + 1, k] = chances[n, k] * (1.0 - p) + chances[n, k - 1] * p
    for u in range(out.shape[0]):
        left = total
        for n in range(n_units - 1, -1, -1):
            out[u, n] = 0
            if left == 0:
                continue
            if left == n + 1:
                active = True
            else:
                share = chances[n, left - 1] * probabilities[n]
                active = uniforms[u, n] * chances[n + 1, left] < share
            if active:
                out[u, n] = 1
                left -= 1
