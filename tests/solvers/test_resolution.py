"""How much likelihood the data can tell from none."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.solvers.resolution import resolution
from microcolumn.words import Words


def test_it_is_about_a_hundredth_of_the_error_of_a_score():
    words = mc.simulate.microcolumn(n_units=10, minutes=10, seed=0).bin()
    model = mc.Ising(objective="likelihood", l1=1e-4).fit(words)
    stderr = mc.score(model, words).stderr
    nats_per_word = stderr * np.log(2.0) * words.bin_width
    assert 0.3 < resolution(words) / (0.01 * nats_per_word) < 2.0


def test_blocks_of_time_count_as_one():
    rng = np.random.default_rng(0)
    bursts = rng.random((5000, 1)) < 0.2
    X = (rng.random((5000, 6)) < np.where(bursts, 0.5, 0.05)).astype(np.uint8)
    shuffled, slow = Words.from_array(X), Words.from_array(X[np.argsort(~bursts[:, 0])])
    assert resolution(slow) > 3.0 * resolution(shuffled)


def test_four_times_the_words_halve_it():
    rng = np.random.default_rng(1)
    bursts = rng.random((40_000, 1)) < 0.2
    X = (rng.random((40_000, 6)) < np.where(bursts, 0.5, 0.05)).astype(np.uint8)
    few, many = (resolution(Words.from_array(X[:n])) for n in (10_000, 40_000))
    assert many == pytest.approx(0.5 * few, rel=0.25)


def test_repeated_words_and_weights_are_the_same():
    X = np.array([[0, 1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 0]] * 50, dtype=np.uint8)
    weighted = Words.from_array(X, sample_weight=np.full(len(X), 2.0))
    assert resolution(weighted) == pytest.approx(resolution(Words.from_array(X)))


@pytest.mark.parametrize("rows", [[[0, 1]], [[0, 0], [0, 0]], [[1, 1], [0, 1], [1, 1]], [[0], [1]]])
def test_edges_are_finite(rows):
    assert 0.0 <= resolution(Words.from_array(np.array(rows, dtype=np.uint8))) < np.inf
