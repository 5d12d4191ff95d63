"""Normal distributions behind thresholds: bivariate probabilities, correlations, orthants."""

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri

from ..validation import Floats, chunks

#: Nodes and weights on (-1, 1): Phi2 is then exact to 1e-9 up to correlations of 0.99999.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(80)
#: Correlations are looked for between these.
_MOST = 0.99999
#: Steps of the search for correlations: bisection alone would reach 1e-12.
_STEPS, _PRECISION = 60, 1e-12
#: Least eigenvalue of a correlation matrix, and what counts as the nearest one.
_LEAST, _NEAR = 1e-8, 1e-9
_PROJECTIONS = 500
#: Independent sets of points for orthants, and points of each.
_SETS, _POINTS = 8, 2039
#: Whose roots make the lattice (Richtmyer); folding it makes the integrand periodic.
_PRIMES = np.array([2.0, 3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0, 29.0])


def bivariate_normal(h: Floats, k: Floats, correlation: Floats) -> Floats:
    """P(X < h, Y < k) of standard normals with some correlation, for arrays of one shape (n,).

    It is Phi(h) Phi(k) plus the integral of the density at (h, k) over correlations from 0 on
    (Plackett 1954), which is smooth in the arc sine of the correlation (Drezner and Wesolowsky
    1990).
    """
    return _by_chunks(_bivariate, h, k, np.arcsin(correlation))


def _by_chunks(function: Callable[..., Floats], *arrays: Floats) -> Floats:
    """A function of arrays of one shape (n,), by chunks of them, to bound memory."""
    parts = chunks(arrays[0].size, _NODES.size)
    values = [function(*(array[part] for array in arrays)) for part in parts]
    return np.concatenate([np.zeros(0), *values])


def _bivariate(h: Floats, k: Floats, angle: Floats) -> Floats:
    angles = 0.5 * angle[:, None] * (_NODES + 1.0)
    density = _density(h[:, None], k[:, None], angles)
    return ndtr(h) * ndtr(k) + 0.5 * angle * (density @ _WEIGHTS)


def _density(h: Floats, k: Floats, angle: Floats) -> Floats:
    """Derivative of the probability by the arc sine of the correlation."""
    squared = np.cos(angle) ** 2
    density: Floats = np.exp((h * k * np.sin(angle) - 0.5 * (h * h + k * k)) / squared)
    return density / (2.0 * np.pi)


def latent_correlations(h: Floats, k: Floats, both: Floats) -> Floats:
    """Correlations for which P(X < h, Y < k) is ``both``, all (n,); +-0.99999 where none is."""
    return _by_chunks(_correlations, h, k, both)


def _correlations(h: Floats, k: Floats, both: Floats) -> Floats:
    """Newton's method, with bisection where it would leave the bracket."""
    most = np.arcsin(_MOST)
    low, high, angle = np.full(h.shape, -most), np.full(h.shape, most), np.zeros(h.shape)
    for _ in range(_STEPS):
        excess = _bivariate(h, k, angle) - both
        low, high = np.where(excess < 0.0, angle, low), np.where(excess < 0.0, high, angle)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            step = angle - excess / _density(h, k, angle)
        inside = (step > low) & (step < high)
        moved = np.where(inside, step, 0.5 * (low + high))
        done = bool((np.abs(moved - angle) < _PRECISION).all())
        angle = moved
        if done:
            break
    return np.sin(angle)


def nearest_correlations(matrix: Floats) -> Floats:
    """The nearest correlation matrix in the Frobenius norm, positive definite (Higham 2002).

    Alternating projections on matrices without negative eigenvalues and on those with ones on the
    diagonal, the first with Dykstra's correction. A matrix that is positive definite stays as it
    is.
    """
    if float(np.linalg.eigvalsh(matrix)[0]) >= _LEAST:
        return matrix
    nearest, correction = matrix.copy(), np.zeros(matrix.shape)
    for _ in range(_PROJECTIONS):
        corrected = nearest - correction
        values, vectors = np.linalg.eigh(corrected)
        positive = (vectors * np.maximum(values, _LEAST)) @ vectors.T
        correction = positive - corrected
        nearest = positive.copy()
        np.fill_diagonal(nearest, 1.0)
        if np.abs(nearest - positive).max() < _NEAR:
            break
    scale = np.sqrt(np.diagonal(positive))
    scaled: Floats = positive / scale / scale[:, None]
    np.fill_diagonal(scaled, 1.0)
    return 0.5 * (scaled + scaled.T)


def orthant_probabilities(thresholds: Floats, correlations: Floats) -> tuple[Floats, Floats]:
    """Probability of each sign pattern of normals Z + thresholds, and its standard error.

    A pattern is a number whose bit i says that Z_i + threshold_i is positive; both results have
    the shape (2**n,). Normals are drawn one after the other, each in the part that its sign asks
    for (Genz 1992), at the points of shifted lattices; at each point probabilities add up to 1.
    """
    lower: Floats = np.linalg.cholesky(correlations).astype(np.float64)
    sets = np.stack([_orthants(thresholds, lower, seed) for seed in range(_SETS)])
    return sets.mean(axis=0), sets.std(axis=0, ddof=1) / np.sqrt(_SETS)


def _orthants(thresholds: Floats, lower: Floats, seed: int) -> Floats:
    n = thresholds.size
    shift = np.random.default_rng(seed).random(n)
    lattice = (np.arange(_POINTS)[:, None] * np.sqrt(_PRIMES[:n]) + shift) % 1.0
    points = np.clip(np.abs(2.0 * lattice - 1.0), 1e-16, 1.0 - 1e-16)
    drawn, shares = np.zeros((n, 1, len(points))), np.ones((1, len(points)))
    for i in range(n):
        above = (thresholds[i] + np.einsum("j,jpk->pk", lower[i, :i], drawn[:i])) / lower[i, i]
        silent, active = ndtr(-above), ndtr(above)
        shares = np.concatenate([shares * silent, shares * active])
        if i == n - 1:
            break
        u = points[:, i]
        # Below -above where silent, above it where active.
        normal = np.concatenate([ndtri(u * silent), -ndtri(u * active)])
        drawn = np.concatenate([drawn, drawn], axis=1)
        drawn[i] = np.clip(normal, -40.0, 40.0)
    probabilities: Floats = shares.mean(axis=1)
    return probabilities
