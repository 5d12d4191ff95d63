"""K-pairwise: its likelihood by enumeration, its identities, its truth from its own samples."""

import numpy as np
import pytest

import microcolumn as mc
from microcolumn.parameters import Parameters
from microcolumn.partition import exact_expectations, gibbs_samples


def _shares_of_counts(words, weights=None):
    """Share of each number of active units among words."""
    X = np.asarray(words)
    weights = np.ones(len(X)) if weights is None else weights
    return np.bincount(X.sum(axis=1), weights, minlength=X.shape[1] + 1) / weights.sum()


def _curie_weiss(n, bias, strength):
    """Units that know of each other by their number alone, as a potential."""
    k = np.arange(n + 1)
    v = strength * k * (k - 1) / n - 0.02 * k * (k - 1) * (k - 2)
    return Parameters(b=np.full(n, bias), J=np.zeros((n, n)), v=v)


@pytest.fixture(scope="module")
def theta():
    rng = np.random.default_rng(3)
    J = np.triu(rng.normal(0.1, 0.3, (6, 6)), 1)
    v = [0.0, 0.0, 0.4, 0.9, 0.6, -0.5, -1.0]
    return Parameters(b=rng.normal(-1.0, 0.5, 6), J=J + J.T, v=v)


@pytest.fixture(scope="module")
def words(theta):
    return mc.models.KPairwise.from_parameters(theta).sample(20_000, random_state=0)


def test_a_potential_of_zero_is_an_ising_model_to_the_last_bit(random_parameters, words):
    ising = random_parameters("ising", 6, seed=4)
    same = mc.models.KPairwise.from_parameters(Parameters(b=ising.b, J=ising.J, v=np.zeros(7)))
    other = mc.Ising.from_parameters(ising)
    assert same.log_partition().value == other.log_partition().value
    assert np.array_equal(same.score_samples(words), other.score_samples(words))
    for method in ("exact", "gibbs"):
        drawn = [model.sample(50, random_state=1, method=method) for model in (same, other)]
        assert np.array_equal(*drawn)


def test_without_smoothing_the_model_has_the_datas_distribution_of_the_count(words):
    """The identity that defines the model (Tkacik et al. 2014): rates, pairs and P(K) match."""
    model = mc.models.KPairwise(l1=0.0, smoothing=0.0, tol=1e-8).fit(words)
    _, expected = exact_expectations(model.parameters_)
    np.testing.assert_allclose(expected.v, _shares_of_counts(words), atol=2e-8)
    np.testing.assert_allclose(expected.b, words.mean(axis=0), atol=2e-8)
    pairs = words.T.astype(float) @ words / len(words)
    np.fill_diagonal(pairs, 0.0)
    np.testing.assert_allclose(expected.J, pairs, atol=2e-8)


def test_at_the_optimum_the_prior_explains_what_is_left_of_the_difference(words):
    """P(K) of the model minus the data's is minus the slope of the smoothness penalty."""
    smoothing = 300.0
    model = mc.models.KPairwise(l1=1e-3, smoothing=smoothing, tol=1e-8).fit(words)
    _, expected = exact_expectations(model.parameters_)
    second = np.zeros((5, 7))
    for row, k in enumerate(range(1, 6)):
        second[row, k - 1 : k + 2] = 1.0, -2.0, 1.0
    slope = smoothing / len(words) * (second.T @ second @ model.v_)
    np.testing.assert_allclose((expected.v - _shares_of_counts(words) + slope)[2:], 0.0, atol=2e-8)


def test_a_potential_is_recovered_from_its_own_samples():
    truth = _curie_weiss(8, -1.8, 1.2)
    drawn = mc.models.KPairwise.from_parameters(truth).sample(200_000, random_state=0)
    model = mc.models.KPairwise(l1=2e-3).fit(drawn)
    assert model.n_couplings_ == 0
    wrong = np.abs(model.v_ - truth.v)
    assert wrong[:7].max() < 0.2
    assert model.score(drawn) >= mc.models.KPairwise.from_parameters(truth).score(drawn) - 1e-4
    ising = mc.Ising(l1=0.0).fit(drawn)
    assert model.score(drawn) > ising.score(drawn) + 1e-3


def test_counts_that_were_never_seen_get_no_more_than_a_few_words_worth(theta):
    """Couplings that would make all units fire at once are checked by the potential."""
    rng = np.random.default_rng(1)
    X = (rng.random((20_000, 10)) < 0.06).astype(np.uint8)
    X = X[X.sum(axis=1) <= 3]
    X[:400, :3] = 1
    model = mc.models.KPairwise(l1=1e-4).fit(X)
    _, expected = exact_expectations(model.parameters_)
    seen = np.flatnonzero(_shares_of_counts(X))[-1]
    assert len(X) * expected.v[seen + 1 :].sum() < 20.0
    assert model.log_partition().spurious_mass in (None, 0.0)


def test_more_smoothing_makes_a_smoother_potential_and_fits_worse(words):
    fits = [mc.models.KPairwise(l1=1e-3, smoothing=s).fit(words) for s in (1.0, 1e3, 1e6)]
    bends = [np.abs(np.diff(fit.v_, n=2)).max() for fit in fits]
    assert bends[0] > bends[1] > bends[2]
    assert fits[0].score(words) > fits[1].score(words) > fits[2].score(words)
    ising = mc.Ising(l1=1e-3).fit(words)
    np.testing.assert_allclose(fits[2].J_, ising.J_, atol=1e-3)


def test_annealing_agrees_with_the_exact_sum_of_twenty_units():
    rng = np.random.default_rng(0)
    J = np.triu(rng.normal(0.0, 0.2, (20, 20)), 1)
    k = np.arange(21)
    v = 0.3 * k - 0.02 * k**2
    theta = Parameters(b=rng.normal(-1.5, 1.0, 20), J=J + J.T, v=v - v[0] - k * (v[1] - v[0]))
    exact = mc.log_partition(theta, "exact").value
    found = mc.log_partition(theta, "ais", random_state=0)
    assert found.converged
    assert abs(found.value - exact) < 4.0 * found.stderr + 1e-3
    assert found.stderr < 0.01


def test_modes_of_the_potential_are_found_and_weighed():
    """Two valleys of the count, at silence and with all units active, that no chain connects."""
    n = 14
    k = np.arange(n + 1.0)
    v = -60.0 * np.sin(np.pi * k / n) ** 2
    theta = Parameters(
        b=np.full(n, v[1] - v[0]), J=np.zeros((n, n)), v=v - v[0] - k * (v[1] - v[0])
    )
    words = gibbs_samples(theta, 100, initial=np.zeros((1, n), dtype=np.uint8), random_state=0)
    assert words.sum(axis=1).max() < 5
    found = mc.log_partition(theta, "ais", words=words, random_state=0)
    exact = mc.log_partition(theta, "exact").value
    assert found.value == pytest.approx(exact, abs=0.02)
    assert found.spurious_mass == pytest.approx(0.5, abs=0.05)
