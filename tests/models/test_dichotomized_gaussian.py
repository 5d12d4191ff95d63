"""The dichotomized Gaussian: pairs match, nothing beyond does."""

from itertools import product

import numpy as np
import pytest

import microcolumn as mc

ALL = {n: np.array(list(product([0, 1], repeat=n)), dtype=np.uint8) for n in (1, 2, 4)}


def _words(n_units=4, n_words=20_000, seed=0):
    rng = np.random.default_rng(seed)
    together = rng.random((n_words, 1)) < 0.15
    return (rng.random((n_words, n_units)) < np.where(together, 0.6, 0.08)).astype(np.uint8)


def _triplet(n_words=40_000):
    """Three units that are independent in pairs; the third follows from the other two."""
    x = np.random.default_rng(0).integers(0, 2, (n_words, 2))
    return np.column_stack([x, x.sum(axis=1) % 2]).astype(np.uint8)


@pytest.fixture(scope="module")
def fitted():
    return mc.models.DichotomizedGaussian().fit(_words())


def test_probabilities_have_the_rates_and_pair_rates_of_the_words(fitted):
    X, words = _words().astype(float), ALL[4].astype(float)
    p = np.exp(fitted.score_samples(ALL[4]))
    assert p.sum() == pytest.approx(1.0, abs=1e-12)
    # One word of independent units is added to the 20,000.
    np.testing.assert_allclose((p[:, None] * words).T @ words, X.T @ X / len(X), atol=1e-4)
    error = fitted.log_partition()
    assert error.converged
    assert error.stderr < 1e-3


def test_it_finds_its_own_parameters_again():
    truth = mc.models.DichotomizedGaussian().fit(_words())
    again = mc.models.DichotomizedGaussian().fit(truth.sample(200_000, random_state=1))
    np.testing.assert_allclose(again.thresholds_, truth.thresholds_, atol=0.02)
    np.testing.assert_allclose(again.correlations_, truth.correlations_, atol=0.03)


def test_a_triplet_without_pairs_is_lost_on_it():
    words = mc.Words.from_array(_triplet())
    surrogate = mc.models.DichotomizedGaussian().surrogate(words, random_state=0).expand()
    np.testing.assert_allclose(surrogate.mean(axis=0), 0.5, atol=0.01)
    np.testing.assert_allclose(np.corrcoef(surrogate.T), np.eye(3), atol=0.02)
    assert (words.expand().sum(axis=1) % 2 == 0).all()
    assert abs((surrogate.sum(axis=1) % 2).mean() - 0.5) < 0.01


def test_surrogates_are_words_of_the_same_units_and_bins():
    units = mc.Units(["a", "b", "c", "d"])
    words = mc.Words.from_array(_words(), 0.010, units, epoch_starts=[0, 500])
    surrogate = mc.models.DichotomizedGaussian().surrogate(words, random_state=3)
    assert surrogate.units.ids == units.ids
    assert surrogate.bin_width == 0.010
    assert surrogate.epoch_starts.tolist() == [0, 500]
    assert surrogate.n_bins == words.n_bins


def test_correlations_that_do_not_fit_together_are_repaired_and_the_change_is_stated():
    rng = np.random.default_rng(0)
    pick = rng.integers(0, 3, 3000)  # of three units exactly one is active: all exclude each other
    X = np.eye(3, dtype=np.uint8)[pick]
    model = mc.models.DichotomizedGaussian().fit(X)
    assert model.latent_change_ > 0.1
    assert np.linalg.eigvalsh(model.correlations_)[0] > 0.0
    drawn = model.sample(100_000, random_state=0).astype(float)
    found = (drawn.T @ drawn / len(drawn))[np.triu_indices(3, 1)]
    assert found.max() == pytest.approx(model.pair_rate_change_, abs=0.005)
    assert mc.models.DichotomizedGaussian().fit(_words()).pair_rate_change_ == 0.0


def test_more_units_sample_but_have_no_probability():
    X = _words(12, 2000)
    model = mc.models.DichotomizedGaussian().fit(X)
    assert model.sample(5, random_state=0).shape == (5, 12)
    assert model._active_distribution() is None
    assert not model.log_partition().converged
    assert np.isnan(model.log_partition().value)
