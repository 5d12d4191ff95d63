"""Small models whose probabilities are written out from docs/method.md, section 2, word by word."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from microcolumn.evaluate import synchrony
from microcolumn.models import RBM, Independent, Ising, KPairwise, SemiRBM
from microcolumn.parameters import Parameters

CLASSES = {
    "independent": Independent,
    "ising": Ising,
    "kpairwise": KPairwise,
    "rbm": RBM,
    "srbm": SemiRBM,
}


def _random_model(kind, seed=0, n_units=4, n_hidden=3, scale=1.5):
    """A model made from parameters: it has no training rates."""
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(scale=scale, size=(n_units, n_units)), 1)
    W = rng.normal(scale=scale, size=(n_units, n_hidden))
    c = rng.normal(scale=scale, size=n_hidden)
    theta = Parameters(
        b=rng.normal(scale=scale, size=n_units) - 0.5,
        J=J + J.T if kind in ("ising", "kpairwise", "srbm") else None,
        W=W if kind in ("rbm", "srbm") else None,
        c=c if kind in ("rbm", "srbm") else None,
        v=[0.0, 0.0, *rng.normal(size=n_units - 1)] if kind == "kpairwise" else None,
    )
    return CLASSES[kind].from_parameters(theta)


def _weight(model, x):
    """p~(x) as a product over hidden units: sum over their states of exp(-energy)."""
    units = range(len(x))
    log_pairs = sum(2.0 * model.J_[n, m] * x[n] * x[m] for n in units for m in range(n))
    log_biases = sum(model.b_[n] * x[n] for n in units)
    potential = 0.0 if model.parameters_.v is None else model.parameters_.v[sum(x)]
    weight = math.exp(log_pairs + log_biases + potential)
    for i in range(model.W_.shape[1]):
        weight *= 1.0 + math.exp(model.c_[i] + sum(model.W_[n, i] * x[n] for n in units))
    return weight


def _distribution(model):
    """Probability of every word, as a dictionary from tuples of bits."""
    words = list(product((0, 1), repeat=model.n_features_in_))
    weights = [_weight(model, x) for x in words]
    total = math.fsum(weights)
    return {x: weight / total for x, weight in zip(words, weights, strict=True)}


@pytest.fixture(scope="session")
def random_model():
    return _random_model


@pytest.fixture(scope="session")
def distribution():
    return _distribution


@pytest.fixture(scope="session")
def too_large():
    """A model of 33 units, words, and P(k active): 31 units have one hidden unit, 2 are coupled.

    Its couplings keep it from being summed over its hidden unit, but its two parts can be summed.
    """
    W = np.zeros((33, 1))
    W[:4], J = 4.0, np.zeros((33, 33))
    J[31, 32] = J[32, 31] = 1.0
    theta = Parameters(b=np.full(33, -3.0), J=J, W=W, c=[-5.0])
    grouped = RBM.from_parameters(Parameters(b=theta.b[:31], W=W[:31], c=theta.c))
    pair = np.array([1.0, 2.0 * np.exp(-3.0), np.exp(2.0 - 6.0)])
    pair /= pair.sum()
    both = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    drawn = np.random.default_rng(0).choice(4, 3000, p=pair[[0, 1, 1, 2]] / [1, 2, 2, 1])
    words = np.hstack((grouped.sample(3000, 5), both[drawn]))
    active = np.convolve(synchrony(grouped).probability, pair)
    return SemiRBM.from_parameters(theta), words, active
