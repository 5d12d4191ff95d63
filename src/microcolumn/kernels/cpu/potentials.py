"""Chains of potentials of a few sums over units, one of which may be a pairwise energy.

Potential k is a function V_k of the score s_k = a_k'x, plus x'Jx for the first one where there are
couplings. In each segment between two knots its slope is an exponential of the score, or constant.
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from ..compile import kernel, subroutine
from .tables import uniform


class ChainPotentials(NamedTuple):
    """What chains need to know of a model and of the base of their path."""

    biases: np.ndarray  # (n_units,)
    base_logits: np.ndarray  # (n_units,): logits of the independent model at beta = 0
    axes: np.ndarray  # (n_units, n_potentials)
    couplings: np.ndarray  # (n_units, n_units), or empty
    first: np.ndarray  # (n_potentials + 1,): where the segments of each potential begin
    knots: np.ndarray  # (n_segments,): where segments begin; the first of each ends there
    values: np.ndarray  # (n_segments,): V at the knot
    slopes: np.ndarray  # (n_segments,): its slope there
    bends: np.ndarray  # (n_segments,): change of the logarithm of the slope by the score


@subroutine(forceinline=True)
def _value(model, k, score):
    """V_k at a score."""
    m, last = model.first[k], model.first[k + 1] - 1
    while m < last and model.knots[m + 1] <= score:
        m += 1
    step, bend = score - model.knots[m], model.bends[m]
    if bend != 0.0:
        step = np.expm1(bend * step) / bend
    return model.values[m] + model.slopes[m] * step


@subroutine(forceinline=True)
def _sweep(word, scores, values, flipped, fields, model, beta, backwards, state):
    """Gibbs steps of all units of a chain: by how much log p~ - base'x rises."""
    n_units, n_potentials, rise = word.size, scores.size, 0.0
    for position in range(n_units):
        n = n_units - 1 - position if backwards else position
        bit = np.int32(word[n])
        sign = 1.0 - 2.0 * bit
        gain = model.biases[n]
        for k in range(n_potentials):
            step = model.axes[n, k]
            if k == 0 and fields.size:
                step += 2.0 * fields[n]
            flipped[k] = _value(model, k, scores[k] + sign * step)
            gain += sign * (flipped[k] - values[k])
        base = model.base_logits[n]
        odds = beta * gain + (1.0 - beta) * base
        # u < sigmoid(odds), exact at both ends
        u = uniform(state)
        on = np.int32(u * np.exp(-odds) < 1.0 - u)
        if on != bit:
            word[n] = on
            rise += sign * (gain - base)
            for k in range(n_potentials):
                scores[k] += sign * model.axes[n, k]
                values[k] = flipped[k]
            if fields.size:
                scores[0] += sign * 2.0 * fields[n]
                for m in range(n_units):
                    fields[m] += sign * model.couplings[n, m]
    return rise


# A run of Gibbs sweeps of all chains: sweep k at beta = path[k, 0], then
# log w += path[k, 1] * (log p~(x) - base'x), with scores and log p~ kept as units flip.
# Cost per chain, sweep and unit: an exponential, and one more with a search for each potential.
# Pinned by tests/energy/test_potentials.py.
@kernel(parallel=True)
def advance(words, log_weights, states, model, path, backwards):
    """Advance the chains ``words`` (n_chains, n_units) in place, each with a stream of its own."""
    n_units, n_potentials = model.axes.shape
    n_coupled = model.couplings.shape[0]
    for chain in prange(words.shape[0]):
        word, state = words[chain], states[chain]
        scores, values = np.zeros(n_potentials), np.zeros(n_potentials)
        flipped, fields = np.zeros(n_potentials), np.zeros(n_coupled)
        excess = 0.0
        for n in range(n_units):
            if word[n]:
                excess += model.biases[n] - model.base_logits[n]
                for k in range(n_potentials):
                    scores[k] += model.axes[n, k]
                if n_coupled:
                    scores[0] += 2.0 * fields[n]
                    for m in range(n_units):
                        fields[m] += model.couplings[n, m]
        for k in range(n_potentials):
            values[k] = _value(model, k, scores[k])
            excess += values[k]
        for k in range(path.shape[0]):
            excess += _sweep(
                word, scores, values, flipped, fields, model, path[k, 0], backwards, state
            )
            log_weights[chain] += path[k, 1] * excess
