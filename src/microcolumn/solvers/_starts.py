"""Where fits of a family of models begin (docs/method.md, section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ..energy import BERNOULLI, GAUSSIAN, HiddenUnit
from ..parameters import Kind, Parameters
from ..validation import Floats

#: Standard deviation of random weights, and bias of the hidden units they belong to: off for the
#: silent word, on for a few active units. Of the pairs tried on recordings these find the lowest
#: objectives in the fewest iterations.
_WEIGHT_SPREAD, _HIDDEN_BIAS = 1.0, -2.0
#: Units that fire in a few words of a long recording would get weights beyond the kernels' range.
_LARGEST_WEIGHT = 50.0
_COUPLING_SPREAD, _RANK_NOISE = 0.3, 0.3
#: Random starts in place of one where there is a single hidden unit: drawn at random it mostly dies
#: under a penalty, while of ten some survive.
_STARTS_OF_ONE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class StartSettings:
    """What starts are made of."""

    biases: Floats  # of the independent model; final for fixed units, (n_visible,)
    fixed: NDArray[np.bool_]  # units that never change: no finite optimum, (n_visible,)
    covariance: Floats  # of the units over the words, (n_visible, n_visible)
    n_hidden: int  # hidden units of the models that have them
    n_init: int  # random starts per L1 strength
    seed: np.random.SeedSequence  # same seed, same fit
    hidden: HiddenUnit = BERNOULLI  # kind of the hidden units
    tied_bins: int = 1  # of a window in which couplings and weights depend on the lag alone


def starts_of(
    kind: Kind,
    settings: StartSettings,
    warm: list[Parameters],
    *nested: Parameters,
) -> tuple[list[Parameters], list[Parameters], list[Parameters]]:
    """Starts that follow from other models, starts drawn at random, and drawn along correlations.

    The last are fitted at smaller strengths first. ``warm`` are solutions at other strengths,
    ``nested`` the Ising model and the RBM of an sRBM.
    """
    # Not `spawn`, which counts its calls: the RBM nested in an sRBM must draw what RBMs draw, and
    # each fit of a path what a single fit draws.
    state = settings.seed.generate_state(4)
    rng, other_rng = (np.random.default_rng([*state, i]) for i in range(2))
    independent, no_couplings = Parameters(b=settings.biases), np.zeros((settings.biases.size,) * 2)
    if kind == "independent":
        return [independent], [], []
    if kind == "ising":
        random = [_random_couplings(settings, rng) for _ in range(settings.n_init - 1)]
        return warm[-1:] or [uncoupled(kind, settings.biases)], random, []
    if kind == "kpairwise":
        return warm[-1:] or [uncoupled(kind, settings.biases)], [], []
    if kind == "rbm":
        dead, *drawn = _with_hidden(independent, settings, rng)
        n = settings.n_init if settings.hidden is BERNOULLI else 0
        return [*warm, dead], drawn, [_along_correlations(settings, other_rng) for _ in range(n)]
    ising, rbm = nested
    dead, *drawn = _with_hidden(ising, settings, rng)
    without_pairs = Parameters(b=rbm.b, J=no_couplings, W=rbm.W, c=rbm.c, hidden=rbm.hidden)
    return [without_pairs, dead, *warm], drawn, []


def uncoupled(kind: Kind, biases: Floats) -> Parameters:
    """Independent units as a model of a convex kind."""
    n = biases.size
    v = np.zeros(n + 1) if kind == "kpairwise" else None
    return Parameters(b=biases, J=np.zeros((n, n)), v=v)


def _with_hidden(
    theta: Parameters, settings: StartSettings, rng: np.random.Generator
) -> Iterator[Parameters]:
    """A model without hidden units, with dead ones and then with random ones added."""
    shape = theta.n_visible, settings.n_hidden
    yield Parameters(b=theta.b, J=theta.J, W=np.zeros(shape), hidden=settings.hidden)
    for _ in range(settings.n_init * (_STARTS_OF_ONE if settings.n_hidden == 1 else 1)):
        if settings.hidden is GAUSSIAN:
            yield _with_gaussian(theta, settings, rng)
            continue
        W = _placed(rng.normal(scale=_WEIGHT_SPREAD, size=shape), settings.tied_bins)
        W[settings.fixed] = 0.0
        c = np.full(settings.n_hidden, _HIDDEN_BIAS)
        yield Parameters(b=theta.b, J=theta.J, W=W, c=c)


def _along_correlations(settings: StartSettings, rng: np.random.Generator) -> Parameters:
    """Hidden units with random weights along the correlations of the units.

    Random weights of single units add up to noise in a word of many active units. These are drawn
    with the units' positive correlations, so that units which fire together weigh together. The
    hidden units are off on average.
    """
    W = _correlated_weights(settings, rng)
    return Parameters(b=settings.biases, W=W, c=_HIDDEN_BIAS - expit(settings.biases) @ W)


def _random_couplings(settings: StartSettings, rng: np.random.Generator) -> Parameters:
    n_units = settings.biases.size
    J = np.triu(rng.normal(scale=_COUPLING_SPREAD, size=(n_units, n_units)), 1)
    J[settings.fixed] = 0.0
    J[:, settings.fixed] = 0.0
    return Parameters(b=settings.biases, J=J + J.T)


def _with_gaussian(
    theta: Parameters, settings: StartSettings, rng: np.random.Generator
) -> Parameters:
    """A model with Gaussian hidden units whose inputs together vary by ``_WEIGHT_SPREAD``.

    Biases make up for what the units add on average. Noise makes W of full rank, which no step
    along a gradient could raise: dF/dW is a matrix times W.
    """
    W = _correlated_weights(settings, rng)
    W += np.where(settings.fixed, 0.0, _RANK_NOISE)[:, None] * rng.normal(size=W.shape)
    W /= np.sqrt(settings.n_hidden)
    b = theta.b - W @ (expit(settings.biases) @ W) - 0.5 * (W**2).sum(axis=1)
    return Parameters(b=b, J=theta.J, W=W, hidden=GAUSSIAN)


def _correlated_weights(settings: StartSettings, rng: np.random.Generator) -> Floats:
    """Random weights along the correlations of the units, shape (n_visible, n_hidden).

    The input of a hidden unit varies by ``_WEIGHT_SPREAD`` over the words.
    """
    spread = np.sqrt(settings.covariance.diagonal())
    per_spread = np.where(settings.fixed, 0.0, 1.0 / np.where(spread > 0.0, spread, 1.0))
    correlation = settings.covariance * np.outer(per_spread, per_spread)
    np.fill_diagonal(correlation, 0.0)
    strengths, patterns = np.linalg.eigh(correlation)
    factor = patterns * np.sqrt(np.maximum(strengths, 0.0))
    W = per_spread[:, None] * (factor @ rng.normal(size=(spread.size, settings.n_hidden)))
    inputs = np.sqrt(np.einsum("ni,nm,mi->i", W, settings.covariance, W, optimize=True))
    W *= _WEIGHT_SPREAD / np.where(inputs > 0.0, inputs, 1.0)
    return _placed(np.clip(W, -_LARGEST_WEIGHT, _LARGEST_WEIGHT), settings.tied_bins)


def _placed(W: Floats, n_bins: int) -> Floats:
    """The profiles of the hidden units of the middle bin, placed at each bin of the window."""
    by_bin = W.reshape(n_bins, len(W) // n_bins, n_bins, -1)
    placed, middle = np.zeros_like(by_bin), n_bins // 2
    for at in range(n_bins):
        first, stop = max(at - middle, 0), min(n_bins + at - middle, n_bins)
        shifted = slice(first - at + middle, stop - at + middle)
        placed[first:stop, :, at] = by_bin[shifted, :, middle]
    return placed.reshape(W.shape)
