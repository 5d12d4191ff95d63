"""Moments under models against those of words, by brute force."""

from itertools import combinations

import numpy as np
import pytest
from drawing import draw
from planted_patterns import Moments

import microcolumn as mc
from microcolumn.plot import moments


@pytest.mark.parametrize(("of", "order"), [("pairs", 2), ("triplets", 3)])
def test_points_are_moments_of_the_words_and_of_all_words_of_the_model(of, order, every_word):
    rng = np.random.default_rng(0)
    X = rng.random((4000, 5)) < np.where(rng.random((4000, 1)) < 0.2, 0.6, 0.1)
    words = mc.Words.from_array(X)
    model = mc.Ising().fit(words)
    ax = draw(moments, {"my $model": model}, words, of=of)
    [dots] = [line for line in ax.lines if line.get_marker() == "o"]
    states = every_word(5)
    p = np.exp(model.score_samples(states))
    expected = []
    for bits in map(list, combinations(range(5), order)):
        observed = np.prod(X[:, bits] - X[:, bits].mean(axis=0), axis=1).mean()
        under = p @ np.prod(states[:, bits] - p @ states[:, bits], axis=1)
        expected.append([observed, under])
    np.testing.assert_allclose(dots.get_xydata(), expected, atol=1e-7)
    assert dots.get_label().startswith("my \\$model, slope 1.0" if of == "pairs" else "my")
    assert dots.tips.rows[0][0] == ", ".join("012"[:order])  # ids of the units


def test_the_slope_is_stated_and_ticks_are_in_a_power_of_ten():
    observed = np.linspace(0.0, 4e-3, 10, dtype=np.float32)
    each = Moments(np.zeros((10, 2), dtype=int), observed, observed / 2, 0.0 * observed)
    ax = draw(moments, {"Ising": each}, of="pairs")
    assert ax.get_legend().get_texts()[0].get_text() == "Ising, slope 0.50"
    assert ax.get_xlabel() == "covariance of a pair, data ($10^{-3}$)"
    labels = {
        float(t): label.get_text()
        for t, label in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
    }
    assert labels[0.002] == "2"


def test_units_without_a_triplet_are_drawn():
    none = np.zeros(0, dtype=np.float32)
    assert draw(moments, {"a": Moments(np.zeros((0, 3), dtype=int), none, none, none)}).lines
