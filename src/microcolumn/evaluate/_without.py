"""What words lose without a hidden unit (docs/method.md, section 8)."""

from __future__ import annotations

import math

import numpy as np

from ..energy import hidden_posterior
from ..parameters import Parameters
from ..partition import exact_expectations
from ..partition._cost import operations
from ..partition._gibbs import gibbs_samples
from ..validation import Floats
from ..words import Words
from ._bootstrap import block_bins_of
from ._score import bits_per_second_per_nat, mean_rate

#: Expectations are summed exactly up to this many multiply-adds, some seconds of one core.
_EXACT_OPERATIONS = 2.0**33
#: Words drawn where that is too many, by independent chains.
_SAMPLES, _CHAINS = 200_000, 500


def losses(theta: Parameters, held: Words, rng: np.random.Generator) -> tuple[Floats, Floats, bool]:
    """Bits/s that words lose without each hidden unit, their errors, and if log Z is exact.

    The arrays have shape (n_hidden,); ``rng`` draws words where an exact sum takes too long.
    """
    off, off_stderr = _off(theta, held, rng)
    exact = not off_stderr.any()
    lost, stderr = np.zeros(theta.n_hidden), np.zeros(theta.n_hidden)
    if theta.W is None or theta.c is None:
        return lost, stderr, exact
    length, scale = block_bins_of(held, None), bits_per_second_per_nat(held)
    x = held.X.astype(np.float64)
    for k in range(theta.n_hidden):
        nats = np.logaddexp(0.0, theta.c[k] + x @ theta.W[:, k])
        mean, error = mean_rate(nats, held, length)
        lost[k] = mean + math.log(off[k]) * scale
        stderr[k] = math.hypot(error, off_stderr[k] / off[k] * scale)
    return lost, stderr, exact


def _off(theta: Parameters, held: Words, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """P(h_i = 0) under the model and its standard error, each of shape (n_hidden,).

    It is all that is needed to leave a hidden unit out: without it every word is as probable as in
    the model given that h_i = 0, so that log Z changes by log P(h_i = 0).
    """
    mirror = _mirrored(theta)
    if theta.W is None or operations(theta) <= _EXACT_OPERATIONS:
        expected = exact_expectations(mirror)[1].c
        off = np.zeros(0) if expected is None else expected
        return off, np.zeros_like(off)
    spread = np.linspace(0, held.n_bins - 1, _CHAINS).round().astype(np.intp)
    initial = held.X[held.index[spread]]
    X = gibbs_samples(theta, _SAMPLES, n_chains=_CHAINS, initial=initial, random_state=rng)
    by_chain = hidden_posterior(mirror, X).reshape(-1, _CHAINS, theta.n_hidden).mean(axis=0)
    return by_chain.mean(axis=0), by_chain.std(axis=0, ddof=1) / math.sqrt(_CHAINS)


def _mirrored(theta: Parameters) -> Parameters:
    """The same distribution with every hidden unit on for off.

    What it expects of them being on is P(h_i = 0), as a sum of positive terms: one minus P(h_i = 1)
    would be 0 for those that are nearly always on.
    """
    if theta.W is None or theta.c is None:
        return theta
    return Parameters(b=theta.b + theta.W.sum(axis=1), J=theta.J, W=-theta.W, c=-theta.c)
