"""Words of a known driven Ising model, drawn from all states: the truth of tests of drives."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.signal import lfilter

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters
from microcolumn.repeats import Repeats
from microcolumn.words import Words

#: Seconds.
BIN_WIDTH = 0.020


def smooth_noise(n_moments, rng, keep=0.9):
    """A stationary process of unit variance with a time constant of about ten bins."""
    noise = rng.standard_normal(n_moments)
    noise[1:] *= np.sqrt(1 - keep**2)
    return lfilter([1.0], [1.0, -keep], noise)


def driven_words(theta, drive, n_repeats, seed=0):
    """Words (n_repeats of the stimulus) drawn from p(x | t) = p~(x) exp(d(t)'x) / Z(t)."""
    rng = np.random.default_rng(seed)
    states = np.array(list(product([0, 1], repeat=theta.n_visible)), dtype=np.uint8)
    log_p = log_weight(theta, states) + drive @ states.T
    p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    reached = np.cumsum(p / p.sum(axis=1, keepdims=True), axis=1)
    draws = rng.random((n_repeats, len(drive), 1))
    bits = states[np.minimum((draws > reached).sum(axis=2), len(states) - 1)]
    words = Words.from_array(bits.reshape(-1, theta.n_visible), bin_width=BIN_WIDTH)
    duration_s = len(drive) * BIN_WIDTH
    return words, Repeats(np.arange(n_repeats) * duration_s, duration_s)


def planted(n_units=5, n_repeats=40, n_moments=100, *, drive=1.0, couplings=(), seed=0):
    """Units that one stimulus drives alike; couplings are triples (unit, unit, J)."""
    J = np.zeros((n_units, n_units))
    for n, m, strength in couplings:
        J[n, m] = J[m, n] = strength
    theta = Parameters(b=np.full(n_units, -2.5), J=J)
    course = drive * smooth_noise(n_moments, np.random.default_rng(seed))
    return driven_words(theta, np.tile(course[:, None], n_units), n_repeats, seed)
