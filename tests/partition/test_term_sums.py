"""Sums, chains and annealing of further terms of an energy, against all words listed."""

import numpy as np
import pytest
from terms import TERMS, random_model, random_tables

from microcolumn.energy import Tables
from microcolumn.parameters import Parameters
from microcolumn.partition import exact_expectations, exact_samples, gibbs_samples, log_partition
from microcolumn.partition.ais import annealed_importance_sampling
from microcolumn.partition.gibbs import Sampler
from microcolumn.partition.importance_weights import log_mean
from microcolumn.partition.term_sums import word_probabilities


@pytest.mark.parametrize("kind", [*TERMS, "nothing"])
def test_sums_over_all_words_are_those_of_the_list(kind, enumerate_words):
    theta = random_model("tables" if kind == "nothing" else kind, 1)
    if kind == "nothing":
        theta = Parameters(b=theta.b, term=random_tables(np.random.default_rng(0), 5, 0))
    words, log_z, p = enumerate_words(theta)
    np.testing.assert_allclose(word_probabilities(theta)[0], p, rtol=1e-10)
    assert log_partition(theta).value == pytest.approx(log_z, rel=1e-12)
    assert log_partition(theta).method == "exact"
    found_log_z, found = exact_expectations(theta)
    expected = theta.moments(words.astype(float), p)
    assert found_log_z == pytest.approx(log_z, rel=1e-12)
    np.testing.assert_allclose(found.b, expected.b, rtol=1e-10)
    np.testing.assert_allclose(found.term.strengths, expected.term.strengths, atol=1e-12)


@pytest.mark.parametrize("kind", TERMS)
def test_samples_and_chains_draw_the_words_of_the_model(kind, enumerate_words):
    rng, theta = np.random.default_rng(3), random_model(kind, 3)
    words, _, p = enumerate_words(theta)
    chains = gibbs_samples(theta, 8000, n_sweeps=100, n_chains=4000, thin=20, random_state=0)
    for drawn in (exact_samples(theta, 8000, rng), chains):
        share = (drawn[:, None] == words).all(axis=2).mean(axis=0)
        assert (np.abs(share - p) / np.sqrt(p * (1.0 - p) / len(drawn))).max() < 4.5


@pytest.mark.parametrize("kind", ["tables", "ramps", "response"])
def test_forward_and_reverse_estimates_scatter_about_log_z_as_their_errors_say(
    kind, enumerate_words
):
    rng = np.random.default_rng(7)
    z, steps = [], np.arange(16) / 16
    for seed in range(60):
        theta = random_model(kind, seed)
        words, log_z, p = enumerate_words(theta)
        rates = p @ words
        logits, base = np.log(rates) - np.log1p(-rates), -np.log1p(-rates).sum()
        up = Sampler(theta, 256, seed=seed, base_logits=logits).run(steps, np.full(16, 1 / 16))
        value, stderr = log_mean(base + up.log_weights)
        starts = words[rng.choice(len(words), size=256, p=p)]
        back = np.concatenate([[1.0], steps[:0:-1]])
        down = Sampler(theta, 256, seed=1000 + seed, base_logits=logits, initial=starts)
        down.run(back, np.full(16, 1 / 16), backwards=True)
        negative, reverse_stderr = log_mean(-base - down.log_weights)
        z.append([(value - log_z) / stderr, (-negative - log_z) / reverse_stderr])
    mean, spread = np.mean(z, axis=0), np.std(z, axis=0)
    assert (np.abs(mean) < 0.5).all()
    assert ((spread > 0.75) & (spread < 1.3)).all()


def test_annealing_finds_log_z_and_says_so(enumerate_words):
    rng = np.random.default_rng(0)
    theta = random_model("tables", 0, 8)
    words, log_z, p = enumerate_words(theta)
    data = words[rng.choice(len(words), size=500, p=p)]
    found = annealed_importance_sampling(theta, rates=p @ words, words=data, random_state=0)
    assert found.converged
    assert abs(found.value - log_z) < 4.0 * found.stderr
    assert abs(found.reverse - log_z) < 4.0 * found.reverse_stderr
    assert found.lower_bound <= log_z + 1e-9


def test_a_mode_far_from_all_data_is_found_and_weighed():
    """Both halves of 24 units active hold a tenth of the mass, far from everything else."""
    n, b = 24, -4.0
    half, values = n // 2, np.zeros((2, 1 << (n // 2)))
    values[:, -1] = 1.0
    inputs = np.arange(n, dtype=np.int32).reshape(2, half)
    all_active = np.log(0.1) / 2 - half * b  # each half may be active by itself
    theta = Parameters(b=np.full(n, b), term=Tables(inputs, values, np.full(2, all_active)))
    log_z = 2 * np.logaddexp(half * np.logaddexp(0.0, b), np.log(0.1) / 2)
    found = log_partition(theta, words=np.zeros((10, n), dtype=np.uint8), random_state=0)
    assert found.method == "ais"
    assert found.converged
    assert found.value == pytest.approx(log_z, abs=0.03)
