"""Every further term of an energy, against plain Python and finite differences."""

import numpy as np
import pytest
from terms import TERMS, random_model, written_out

from microcolumn.energy import log_weight, tail_knots
from microcolumn.layout import Layout
from microcolumn.objectives import negative_log_likelihood
from microcolumn.objectives.data_moments import DataMoments
from microcolumn.objectives.sparse_words import SparseWords
from microcolumn.words import Words

WORDS = ((np.arange(32)[:, None] >> np.arange(5)) & 1).astype(np.uint8)
STEP = 1e-5


@pytest.fixture(params=[(kind, seed) for kind in TERMS for seed in (0, 1, 2)], ids=str)
def theta(request):
    return random_model(*request.param)


def differences(function, x):
    ends = [(x + STEP * e, x - STEP * e) for e in np.eye(x.size)]
    return np.array([(function(up) - function(down)) / (2.0 * STEP) for up, down in ends])


def test_log_weights_are_those_written_out(theta):
    expected = np.array([written_out(theta, word) for word in WORDS])
    for found in (log_weight(theta, WORDS), SparseWords.of(WORDS).log_weights(theta)):
        np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-9)


def test_slopes_are_finite_differences_and_moments_their_sums(theta):
    layout, rng, x = Layout.of(theta), np.random.default_rng(5), WORDS.astype(float)
    vector, weights = layout.pack(theta), rng.random(32)
    slopes = differences(lambda v: log_weight(layout.unpack(v), WORDS), vector).T
    np.testing.assert_allclose(layout.design(theta, WORDS), slopes, atol=1e-8)
    for squared in (False, True):
        found = layout.pack_gradient(theta.moments(x, weights, squared))
        np.testing.assert_allclose(found, weights @ slopes ** (1 + squared), atol=1e-7)
    direction = rng.normal(size=vector.size)
    along = theta.slopes_along(layout.unpack(direction, change=True), x)
    np.testing.assert_allclose(along, slopes @ direction, atol=1e-7)
    _, sparse = SparseWords.of(WORDS).sums(theta, weights)
    np.testing.assert_allclose(layout.pack_gradient(sparse), weights @ slopes, atol=1e-7)
    mean, data = DataMoments(Words.from_array(WORDS, sample_weight=weights))(theta)
    shares = weights / weights.sum()
    np.testing.assert_allclose(layout.pack_gradient(data), shares @ slopes, atol=1e-7)
    assert mean == pytest.approx(shares @ log_weight(theta, WORDS))


def test_the_gradient_of_the_likelihood_is_its_finite_difference(theta):
    words = np.random.default_rng(2).integers(0, 2, (30, 5))
    layout = Layout.of(theta)
    _, gradient = negative_log_likelihood(theta, words)
    slopes = differences(
        lambda v: negative_log_likelihood(layout.unpack(v), words)[0], layout.pack(theta)
    )
    np.testing.assert_allclose(layout.pack_gradient(gradient), slopes, atol=1e-8)


def test_knots_leave_a_further_share_of_the_words_on_each_side():
    scores, counts = np.arange(1000.0), np.ones(1000)
    expected = [62.0, 124.0, 249.0, 499.0, 749.0, 874.0, 937.0]
    np.testing.assert_allclose(tail_knots(scores, counts, 40.0, 2.0), expected, atol=1.0)
    assert tail_knots(np.zeros(1), np.ones(1), 10.0, 2.0).tolist() == [0.0]
