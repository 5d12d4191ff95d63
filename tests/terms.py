"""Random further terms of an energy, one of each kind, and log p~ of a word in plain Python."""

import math

import numpy as np
from scipy.integrate import quad

from microcolumn.energy import PairwiseResponse, Ramps, SoftTables, Tables
from microcolumn.parameters import Parameters


def random_tables(rng, n, n_functions=8, n_inputs=3):
    inputs = [np.sort(rng.permutation(n)[:n_inputs]) for _ in range(n_functions)]
    inputs = np.array(inputs, dtype=np.int32).reshape(n_functions, n_inputs)
    values = (rng.random((n_functions, 1 << n_inputs)) < 0.4) + 0.1 * rng.random()
    return Tables(inputs, values, rng.normal(size=n_functions))


def random_soft_tables(rng, n):
    inputs = random_tables(rng, n, 3, 3).inputs
    return SoftTables(inputs, *rng.normal(1.0, 0.5, (2, 3)), 2.0 * rng.normal(size=12))


def random_ramps(rng, n):
    axis = np.array([0, 0, 1, 1, 2], dtype=np.int32)
    signs = np.array([-1.0, 1.0, 1.0, -1.0, 1.0])
    numbers = rng.normal(size=5), signs, rng.normal(size=5), rng.normal(size=5)
    return Ramps(rng.normal(size=(4, n)), axis, *numbers)


def random_response(rng, n):
    pairs = np.stack(np.triu_indices(n, 1))
    strengths = np.concatenate([rng.normal(size=pairs.shape[1]), 0.7 * rng.normal(size=4)])
    return PairwiseResponse(pairs, np.array([-4.0, -2.0, -1.0, 0.5]), np.full(4, 0.25), strengths)


TERMS = {
    "tables": random_tables,
    "soft tables": random_soft_tables,
    "ramps": random_ramps,
    "response": random_response,
}


def random_model(kind, seed, n=5):
    rng = np.random.default_rng(seed)
    return Parameters(b=rng.normal(-1.0, 1.0, n), term=TERMS[kind](rng, n))


def written_out(theta, word):
    """log p~ of a word by the definition of its term, but for a constant."""
    term, own = theta.term, theta.b @ word
    if isinstance(term, Tables):
        for inputs, values, strength in zip(*vars_of(term), strict=True):
            own += strength * values[sum(int(word[n]) << k for k, n in enumerate(inputs))]
    elif isinstance(term, SoftTables):
        for inputs, threshold, strength, a in zip(
            term.inputs, term.thresholds, *term.parts, strict=True
        ):
            own += strength / (1.0 + math.exp(threshold - a @ word[inputs]))
    elif isinstance(term, Ramps):
        ramps = zip(term.axis, term.knots, term.signs, term.bends, term.strengths, strict=True)
        for k, knot, sign, bend, strength in ramps:
            own += (bend + strength) * max(sign * (term.axes[k] @ word - knot), 0.0)
    else:
        rows, columns = term.pairs
        score = own + term.strengths[: rows.size] @ (word[rows] * word[columns])
        t = term.strengths[rows.size :]
        slope = lambda s: math.exp(np.interp(s, term.knots, t - term.weights @ t))  # noqa: E731
        inner = [k for k in term.knots if min(0.0, score) < k < max(0.0, score)]
        own = quad(slope, 0.0, score, points=inner or None, epsabs=1e-12)[0]
    return own


def vars_of(tables):
    return tables.inputs, tables.values, tables.strengths
