"""Where fits of a family of models begin (docs/method.md, section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from ..energy import BERNOULLI, GAUSSIAN
from ..parameters import Kind, Parameters
from ..validation import Floats

if TYPE_CHECKING:
    from ._paths import Problem

#: Standard deviation of random weights, and bias of the hidden units they belong to: off for the
#: silent word, on for a few active units. Of the pairs tried on recordings these find the lowest
#: objectives in the fewest iterations.
_WEIGHT_SPREAD, _HIDDEN_BIAS = 1.0, -2.0
_COUPLING_SPREAD, _RANK_NOISE = 0.3, 0.3


def starts_of(
    kind: Kind,
    problem: Problem,
    warm: list[Parameters],
    *nested: Parameters,
) -> tuple[list[Parameters], list[Parameters], list[Parameters]]:
    """Starts that follow from other models, starts drawn at random, and drawn along correlations.

    The last come up from smaller strengths. ``warm`` are solutions at other strengths, ``nested``
    the Ising model and the RBM of an sRBM.
    """
    # Not `spawn`, which counts its calls: the RBM nested in an sRBM must draw what RBMs draw, and
    # each fit of a path what a single fit draws.
    state = problem.seed.generate_state(4)
    rng, other_rng = (np.random.default_rng([*state, i]) for i in range(2))
    independent, no_couplings = Parameters(b=problem.biases), np.zeros((problem.biases.size,) * 2)
    if kind == "independent":
        return [independent], [], []
    if kind == "ising":
        random = [_random_couplings(problem, rng) for _ in range(problem.n_init - 1)]
        return warm[-1:] or [uncoupled(kind, problem.biases)], random, []
    if kind == "kpairwise":
        return warm[-1:] or [uncoupled(kind, problem.biases)], [], []
    if kind == "rbm":
        dead, *drawn = _with_hidden(independent, problem, rng)
        n_climbing = problem.n_init if problem.hidden is BERNOULLI else 0
        return [*warm, dead], drawn, [_wide(problem, other_rng) for _ in range(n_climbing)]
    ising, rbm = nested
    dead, *drawn = _with_hidden(ising, problem, rng)
    without_pairs = Parameters(b=rbm.b, J=no_couplings, W=rbm.W, c=rbm.c, hidden=rbm.hidden)
    return [without_pairs, dead, *warm], drawn, []


def uncoupled(kind: Kind, biases: Floats) -> Parameters:
    """Independent units as a model of a convex kind."""
    n = biases.size
    v = np.zeros(n + 1) if kind == "kpairwise" else None
    return Parameters(b=biases, J=np.zeros((n, n)), v=v)


def _with_hidden(
    theta: Parameters, problem: Problem, rng: np.random.Generator
) -> Iterator[Parameters]:
    """A model without hidden units, with dead ones and then with random ones added."""
    shape = theta.n_visible, problem.n_hidden
    yield Parameters(b=theta.b, J=theta.J, W=np.zeros(shape), hidden=problem.hidden)
    for _ in range(problem.n_init):
        if problem.hidden is GAUSSIAN:
            yield _with_gaussian(theta, problem, rng)
            continue
        W = rng.normal(scale=_WEIGHT_SPREAD, size=shape)
        W[problem.fixed] = 0.0
        c = np.full(problem.n_hidden, _HIDDEN_BIAS)
        yield Parameters(b=theta.b, J=theta.J, W=W, c=c)


def _wide(problem: Problem, rng: np.random.Generator) -> Parameters:
    """Hidden units with random weights along the correlations of the units.

    Random weights of single units add up to noise in a word of many active units. These are drawn
    with the units' positive correlations, so that units which fire together weigh together. The
    hidden units are off on average.
    """
    W = _correlated_weights(problem, rng)
    return Parameters(b=problem.biases, W=W, c=_HIDDEN_BIAS - expit(problem.biases) @ W)


def _random_couplings(problem: Problem, rng: np.random.Generator) -> Parameters:
    n_units = problem.biases.size
    J = np.triu(rng.normal(scale=_COUPLING_SPREAD, size=(n_units, n_units)), 1)
    J[problem.fixed] = 0.0
    J[:, problem.fixed] = 0.0
    return Parameters(b=problem.biases, J=J + J.T)


def _with_gaussian(theta: Parameters, problem: Problem, rng: np.random.Generator) -> Parameters:
    """A model with Gaussian hidden units whose inputs together vary by ``_WEIGHT_SPREAD``.

    Biases make up for what the units add on average. Noise makes W of full rank, which no step
    along a gradient could raise: dF/dW is a matrix times W.
    """
    W = _correlated_weights(problem, rng)
    W += np.where(problem.fixed, 0.0, _RANK_NOISE)[:, None] * rng.normal(size=W.shape)
    W /= np.sqrt(problem.n_hidden)
    b = theta.b - W @ (expit(problem.biases) @ W) - 0.5 * (W**2).sum(axis=1)
    return Parameters(b=b, J=theta.J, W=W, hidden=GAUSSIAN)


def _correlated_weights(problem: Problem, rng: np.random.Generator) -> Floats:
    """Random weights along the correlations of the units, shape (n_visible, n_hidden).

    The input of a hidden unit varies by ``_WEIGHT_SPREAD`` over the words.
    """
    spread = np.sqrt(problem.covariance.diagonal())
    per_spread = np.where(problem.fixed, 0.0, 1.0 / np.where(spread > 0.0, spread, 1.0))
    correlation = problem.covariance * np.outer(per_spread, per_spread)
    np.fill_diagonal(correlation, 0.0)
    strengths, patterns = np.linalg.eigh(correlation)
    factor = patterns * np.sqrt(np.maximum(strengths, 0.0))
    W = per_spread[:, None] * (factor @ rng.normal(size=(spread.size, problem.n_hidden)))
    inputs = np.sqrt(np.einsum("ni,nm,mi->i", W, problem.covariance, W, optimize=True))
    W *= _WEIGHT_SPREAD / np.where(inputs > 0.0, inputs, 1.0)
    return np.asarray(W)
