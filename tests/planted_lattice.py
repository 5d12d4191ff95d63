"""Ising's square lattice on a torus, whose log Z Kaufman found in closed form."""

import numpy as np

import microcolumn as mc


def square_lattice(n, coupling):
    """Parameters of n x n spins s = 2x - 1 with energy -K sum s s' over neighbours.

    The words' own log Z is smaller by 2 n^2 K.
    """
    J = np.zeros((n * n, n * n))
    for i in range(n):
        for j in range(n):
            for other in ((i + 1) % n * n + j, i * n + (j + 1) % n):
                J[i * n + j, other] += 2.0 * coupling
                J[other, i * n + j] += 2.0 * coupling
    return mc.Parameters(b=np.full(n * n, -8.0 * coupling), J=J)


def kaufman_log_z(n, K):
    """Log Z of n x n spins (Kaufman 1949)."""
    waves = np.pi * np.arange(2 * n) / n
    gamma = np.arccosh(np.cosh(2 * K) / np.tanh(2 * K) - np.cos(waves))
    gamma[0] = 2 * K + np.log(np.tanh(K))
    half = n * gamma / 2
    parts = [np.prod(2 * f(half[k::2])) for k in (0, 1) for f in (np.cosh, np.sinh)]
    return n * n / 2 * np.log(2 * np.sinh(2 * K)) + np.log(sum(parts) / 2)


def coupling_slopes(n, K, step=1e-3):
    """Log Z and its first and second derivative by the coupling, by finite differences."""
    less, here, more = (kaufman_log_z(n, K + by) for by in (-step, 0.0, step))
    return here, (more - less) / (2 * step), (more - 2 * here + less) / step**2
