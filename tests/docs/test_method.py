"""What docs/method.md derives beyond definitions, by brute force; its references.

Definitions are tested beside the code: energies, objectives, sums, scores, predictions, layers.
"""

import math
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import microcolumn as mc

METHOD = (Path(__file__).parents[2] / "docs" / "method.md").read_text()


def random_parameters(kind, n_units=4, n_hidden=3, seed=0):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(n_units, n_units)), 1)
    hidden = {} if kind == "Ising" else {"W": rng.normal(size=(n_units, n_hidden))}
    if hidden:
        hidden["c"] = rng.normal(size=n_hidden)
    J = None if kind == "RBM" else upper + upper.T
    return mc.Parameters(b=rng.normal(-0.5, 1.0, size=n_units), J=J, **hidden)


def all_words(n_units):
    return np.array(list(product((0, 1), repeat=n_units)))


def log_weight(theta, x):
    """Section 2, log p~(x): the logarithm of a sum over all hidden states."""
    x = np.asarray(x, dtype=float)
    visible = theta.b @ x + (0.0 if theta.J is None else x @ theta.J @ x)
    if theta.W is None:
        return visible
    return math.log(
        sum(
            math.exp(visible + np.dot(h, theta.c + theta.W.T @ x))
            for h in product((0, 1), repeat=theta.c.size)
        )
    )


def probabilities(theta):
    """Every word and its probability."""
    X = all_words(theta.b.size)
    weights = np.exp([log_weight(theta, x) for x in X])
    return X, weights / weights.sum()


def flipped(x, n):
    return np.where(np.arange(len(x)) == n, 1 - x, x)


def pseudolikelihood(theta, X, shares):
    """Section 3, S: minus the mean log probability of each bit given the others."""
    total = 0.0
    for x, q in zip(X, shares, strict=True):
        here = math.exp(log_weight(theta, x))
        there = [math.exp(log_weight(theta, flipped(x, n))) for n in range(len(x))]
        total -= q * sum(math.log(here / (here + weight)) for weight in there)
    return total


def tiny_words(n_words=300, n_units=4, seed=1):
    """Units that share a drive, so that fits keep couplings and hidden units."""
    rng = np.random.default_rng(seed)
    driven = rng.random((n_words, 1)) < 0.25
    return (rng.random((n_words, n_units)) < np.where(driven, 0.7, 0.1)).astype(int)


def distinct(X):
    words, counts = np.unique(X, axis=0, return_counts=True)
    return words, counts / counts.sum()


def test_flow_and_likelihoods_are_stationary_where_the_data_follow_the_model():
    theta = random_parameters("SemiRBM")
    X, p = probabilities(theta)
    data = mc.Words.from_array(X, sample_weight=p)
    for objective in (mc.objectives.mpf, mc.objectives.pseudolikelihood):
        _, gradient = objective(theta, data)
        for name in "bJWc":
            assert getattr(gradient, name) == pytest.approx(0.0, abs=1e-13)
    value, gradient = mc.objectives.negative_log_likelihood(theta, data)
    assert value == pytest.approx(-(p @ np.log(p)))
    # Elsewhere the likelihood's gradient is the model's expectations minus the data's.
    words, shares = distinct(tiny_words())
    _, gradient = mc.objectives.negative_log_likelihood(theta, tiny_words())
    sigmoid = [1.0 / (1.0 + np.exp(-theta.c - x @ theta.W)) for x in (X, words)]
    assert gradient.b == pytest.approx(p @ X - shares @ words)
    pairs = np.einsum("u,un,um->nm", p, X, X) - np.einsum("u,un,um->nm", shares, words, words)
    assert pytest.approx(pairs - np.diag(np.diag(pairs))) == gradient.J
    cross = X.T @ (p[:, None] * sigmoid[0]) - words.T @ (shares[:, None] * sigmoid[1])
    assert pytest.approx(cross) == gradient.W
    assert gradient.c == pytest.approx(p @ sigmoid[0] - shares @ sigmoid[1])


def test_ratios_of_hidden_factors_and_the_corrected_appendix_hold():
    z, w = np.meshgrid(np.linspace(-20, 20, 41), np.linspace(-5, 5, 11))
    on, off = 1.0 / (1.0 + np.exp(-z)), 1.0 / (1.0 + np.exp(z))
    ratio = np.exp(np.logaddexp(0.0, z + w) - np.logaddexp(0.0, z))
    assert on * np.expm1(w) + 1.0 == pytest.approx(ratio, rel=1e-6)
    assert off + on * np.exp(w) == pytest.approx(ratio, rel=1e-12)
    assert on * np.exp(w) / (off + on * np.exp(w)) == pytest.approx(1.0 / (1.0 + np.exp(-z - w)))
    # Section 9: with E = x'Jx, biases on the diagonal as in the paper's appendix B.
    rng = np.random.default_rng(0)
    J = rng.normal(size=(5, 5))
    J = J + J.T
    for x in all_words(5):
        for n in range(5):
            y = flipped(x, n)
            expected = 2 * (2 * x[n] - 1) * (J @ x)[n] - J[n, n]
            assert x @ J @ x - y @ J @ y == pytest.approx(expected)


def test_every_reference_is_listed_once_and_cited():
    text, _, listed = METHOD.partition("## References")
    entries = re.findall(r"^- (\S+) .*?\((\d{4})\) (.*)$", listed, flags=re.MULTILINE)
    titles = [title for *_, title in entries]
    assert len(titles) == len(set(titles)) > 40
    for name, year, _ in entries:
        found = re.search(rf"{name}\b.{{0,60}}?{year}", text, flags=re.DOTALL)
        assert found, f"{name} {year} is not cited"
