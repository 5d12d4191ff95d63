"""Entropies of words against closed forms and enumerated models."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import microcolumn as mc
from microcolumn.evaluate._explainable import (
    PitmanYor,
    fitted_pitman_yor,
    grassberger_entropy,
    pitman_yor_entropy,
)


def test_grassberger_is_his_recursion():
    """G(1) = -gamma - ln 2, G(2) = 2 + G(1), G(2n + 1) = G(2n), G(2n + 2) = G(2n) + 2/(2n + 1)."""
    G = {1: -np.euler_gamma - math.log(2.0)}
    G[2] = 2.0 + G[1]
    for n in range(1, 6):
        G[2 * n + 1] = G[2 * n]
        G[2 * n + 2] = G[2 * n] + 2.0 / (2 * n + 1)
    for counts in ([1, 1], [3, 5, 2], [10, 1, 7, 4]):
        n = sum(counts)
        expected = math.log(n) - sum(k * G[k] for k in counts) / n
        assert grassberger_entropy(np.array(counts)) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**16), discount=st.floats(0.0, 0.6), alpha=st.floats(0.5, 10.0))
def test_posterior_entropy_of_the_process_is_a_mean_over_its_draws(seed, discount, alpha):
    """Given counts: a Dirichlet for what was seen, and sticks broken from the rest."""
    counts = np.array([9, 4, 2, 1])
    rng = np.random.default_rng(seed)
    n_draws, n_sticks = 2000, 400
    seen = np.append(counts - discount, alpha + discount * counts.size)
    shares = rng.dirichlet(seen, n_draws)
    # What is left is a process with concentration alpha + d K: its sticks, one after the other.
    rest = alpha + discount * counts.size
    k = np.arange(1, n_sticks + 1)
    broken = rng.beta(1.0 - discount, rest + discount * k, size=(n_draws, n_sticks))
    left = np.cumprod(1.0 - broken, axis=1)
    sticks = broken * np.hstack([np.ones((n_draws, 1)), left[:, :-1]])
    p = np.hstack([shares[:, :-1], shares[:, -1:] * sticks])
    entropy = -np.sum(p * np.log(np.maximum(p, 1e-300)), axis=1)
    missing = shares[:, -1] * left[:, -1]  # mass of the sticks that were not broken
    expected = pitman_yor_entropy(counts, PitmanYor(discount, alpha))
    slack = 5 * entropy.std() / n_draws**0.5 + missing.mean() * 20.0
    assert abs(entropy.mean() - expected) < slack


def test_fitted_process_finds_the_tail_of_its_own_counts():
    rng = np.random.default_rng(0)
    d, alpha, counts = 0.5, 5.0, []
    for n in range(20_000):  # customers of a restaurant
        weights = np.append(np.array(counts) - d, alpha + d * len(counts)) if n % 20 == 0 else None
        if weights is not None:
            tables = rng.multinomial(20, weights / weights.sum())
            new = tables[-1]
            counts = [count + more for count, more in zip(counts, tables[:-1], strict=True)]
            counts += [1] * int(new)
    process = fitted_pitman_yor(np.array(counts))
    assert process.discount == pytest.approx(d, abs=0.1)


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**16), n_units=st.integers(2, 6))
def test_estimate_and_bound_against_the_enumerated_truth(seed, n_units):
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(0.0, 0.4, (n_units, n_units)), 1)
    model = mc.Ising.from_parameters(mc.Parameters(b=rng.uniform(-2.5, 0.0, n_units), J=J + J.T))
    X = np.array(list(product((0, 1), repeat=n_units)), dtype=np.uint8)
    p = np.exp(model.score_samples(X))
    rates = p @ X
    cost = -np.where(X, np.log(rates), np.log1p(-rates)).sum(axis=1)
    truth = (p @ cost + p @ np.log(p)) / math.log(2.0) / 0.020
    found = mc.evaluate.explainable(model.sample(20_000, rng), rates)
    # The bound holds on average; single samples scatter by their error.
    assert found.upper > truth - 4.0 * found.stderr - 0.05
    assert abs(found.bits_per_second - truth) < 5.0 * found.stderr + 0.05


def test_independent_units_leave_nothing_to_explain():
    words = (np.random.default_rng(0).random((50_000, 4)) < 0.2).astype(np.uint8)
    found = mc.evaluate.explainable(words)
    assert abs(found.bits_per_second) < 3.0 * found.stderr + 0.05
    assert found.upper > 0.0


def test_perfect_model_explains_all_of_it():
    model = mc.Ising.from_parameters(mc.Parameters(b=[-2.0, -2.0, -2.0], J=0.8 * (1 - np.eye(3))))
    words = model.sample(50_000, 0)
    base = mc.Independent().fit(model.sample(50_000, 1))
    found = mc.evaluate.explainable(words, base)
    share, error, least = found.share_of(mc.score(model, words, base))
    assert abs(share - 1.0) < 3.0 * error
    assert least < share


def test_too_many_different_words_say_nothing():
    words = (np.random.default_rng(0).random((2000, 40)) < 0.5).astype(np.uint8)
    found = mc.evaluate.explainable(words)
    assert not found.is_reliable
    assert found.coverage == 0.0
    assert str(found).startswith("too many different words to say what could be explained (2,000")
