"""Objectives over single flips by brute force: every neighbour of every word, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from microcolumn.energy import log_weight
from microcolumn.objectives import mpf, pseudolikelihood
from microcolumn.parameters import Parameters
from microcolumn.words import Words

KINDS = ("independent", "ising", "rbm", "srbm")


def random_model(rng, kind, n_units, n_hidden, scale, hidden_bias=0.0):
    J = np.triu(rng.normal(size=(n_units, n_units)) * scale, 1)
    hidden = kind in ("rbm", "srbm")
    return Parameters(
        b=rng.normal(size=n_units) * scale,
        J=J + J.T if kind in ("ising", "srbm") else None,
        W=rng.normal(size=(n_units, n_hidden)) * scale if hidden else None,
        c=rng.normal(size=n_hidden) * scale + hidden_bias if hidden else None,
    )


def log_odds(theta, X, unit):
    """Log odds of a spike of a unit given the rest of each word, by both values of its bit."""
    there, silent = np.array(X), np.array(X)
    there[:, unit], silent[:, unit] = 1, 0
    return log_weight(theta, there) - log_weight(theta, silent)


def random_words(rng, n_words, n_units, rate=0.2):
    bits = rng.random((n_words, n_units)) < rate
    return Words.from_array(bits, sample_weight=rng.uniform(0.1, 1.0, n_words))


def sigmoid_difference(there, here, step):
    """sigmoid(there) - sigmoid(here) for there = here + step, without cancellation."""
    up, down = expit(there) * expit(-here), -expit(-there) * expit(here)
    return np.where(step > 0, up, down) * -np.expm1(-np.abs(step))


def flow(change):
    """Term of minimum probability flow, and its slope."""
    K = np.exp(0.5 * change)
    return K, 0.5 * K


def logistic(change):
    """Term of minus the log pseudolikelihood, and its slope."""
    return np.logaddexp(0.0, change), expit(change)


#: What each objective adds up over all flips.
LINKS = {mpf: flow, pseudolikelihood: logistic}


def brute_force(theta, words, link=flow):
    """An objective over flips and its gradient, from log p~ of every neighbour y of every word x.

    ``link`` gives the term, and its slope, of each change log p~(y) - log p~(x).
    d(log p~(y) - log p~(x)) / d theta is the difference of the sufficient statistics x, xx',
    x sigmoid(z) and sigmoid(z); that of two sigmoids is taken without cancellation.
    """
    X, weights = words.X, words.counts / words.counts.sum()
    neighbours = [X ^ flip for flip in np.eye(theta.n_visible, dtype=np.uint8)]
    value, gradient = 0.0, {name: 0.0 for name in "bJWc" if getattr(theta, name) is not None}
    x = X.astype(float)
    for Y in neighbours:
        term, slope = link(log_weight(theta, Y) - log_weight(theta, X))
        value += weights @ term
        g, y = (weights * slope)[:, None], Y.astype(float)
        gradient["b"] += (g * (y - x)).sum(axis=0)
        if theta.J is not None:
            gradient["J"] += (g * y).T @ y - (g * x).T @ x
        if theta.W is not None:
            here, there = theta.c + x @ theta.W, theta.c + y @ theta.W
            change = sigmoid_difference(there, here, (y - x) @ theta.W)
            gradient["c"] += (g * change).sum(axis=0)
            gradient["W"] += (g * x * y).T @ change
            gradient["W"] += (g * (1 - x) * y).T @ expit(there) - (g * x * (1 - y)).T @ expit(here)
    if theta.J is not None:
        np.fill_diagonal(gradient["J"], 0.0)
    return value, gradient


def assert_same_slopes(gradient, derivatives, tolerance):
    """Each part of a gradient is that of brute force, relative to its largest entry.

    What is lost by rounding is a share of the largest entry of all parts.
    """
    rounding = 1e-15 * max(np.abs(part).max(initial=0.0) for part in derivatives.values())
    for name in "bJWc":
        found = getattr(gradient, name)
        assert (found is None) == (name not in derivatives)
        if found is not None:
            scale = np.abs(derivatives[name]).max(initial=0.0)
            atol = max(tolerance * scale, rounding)
            np.testing.assert_allclose(found, derivatives[name], rtol=0, atol=atol)


def assert_agrees(objective, theta, words):
    """Value and each gradient array to ten digits, relative to their own size."""
    value, gradient = objective(theta, words)
    expected, derivatives = brute_force(theta, words, LINKS[objective])
    assert value == pytest.approx(expected, rel=1e-10, abs=1e-14 * theta.n_visible)
    assert_same_slopes(gradient, derivatives, 1e-10)
