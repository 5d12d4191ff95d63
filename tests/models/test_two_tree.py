"""2-trees against brute force: the search, logistic regressions, sums over all words."""

import itertools

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import microcolumn as mc
from microcolumn.models import WordModel

N_UNITS = 6


def words_of(n_words=600, n_units=N_UNITS, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.random((n_words, n_units)) < rng.uniform(0.2, 0.5, n_units)).astype(np.uint8)
    for unit in range(2, n_units):
        j, k = rng.choice(unit, 2, replace=False)
        X[:, unit] = rng.random(n_words) < expit(-1.5 + 2.0 * X[:, j] + rng.normal() * X[:, k])
    return X


def regression(y, predictors, weights):
    """Intercept, slopes and mean log-likelihood of scikit-learn's logistic regression."""
    fit = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000)
    fit.fit(predictors, y, sample_weight=weights)
    p = fit.predict_proba(predictors)[:, 1]
    mean = np.average(np.where(y == 1, np.log(p), np.log1p(-p)), weights=weights)
    return fit.intercept_[0], fit.coef_[0], mean


def gain(X, unit, first, second):
    """Information that two units have of a third without interaction, nats."""
    _, _, log_likelihood = regression(X[:, unit], X[:, [first, second]], np.ones(len(X)))
    rate = X[:, unit].mean()
    return log_likelihood - (rate * np.log(rate) + (1.0 - rate) * np.log1p(-rate))


@pytest.mark.parametrize("seed", [0, 1])
def test_the_search_is_greedy(seed):
    X = words_of(n_units=5, seed=seed)
    model = mc.models.TwoTree().fit(X)
    tree = mc.models.Tree(n_edges=1).fit(X)
    assert set(model.order_[:2]) == set(tree.edges_[0])
    edges = [tuple(model.order_[:2])]
    for place in range(2, 5):
        outside = model.order_[place:]
        offers = {
            (unit, edge): gain(X, unit, *edge) for unit, edge in itertools.product(outside, edges)
        }
        (unit, edge), most = max(offers.items(), key=lambda item: item[1])
        assert unit == model.order_[place]
        assert set(model.parents_[unit]) == set(edge)
        assert model.information_[model.edges_[:, 0] == unit].sum() == pytest.approx(most, abs=1e-7)
        edges += [(unit, edge[0]), (unit, edge[1])]
    assert len(model.edges_) == len(edges) == 7


def test_coefficients_are_those_of_logistic_regressions_on_smoothed_tables(every_word):
    X = words_of()
    model = mc.models.TwoTree().fit(X)
    cells = every_word(3)
    for unit in model.order_[2:]:
        three = X[:, [unit, *model.parents_[unit]]]
        counts = [(three == cell).all(axis=1).sum() + 0.25 for cell in cells]
        _, slopes, _ = regression(cells[:, 0], cells[:, 1:], np.array(counts))
        np.testing.assert_allclose(model.slopes_[unit], slopes, atol=1e-4)


@pytest.mark.parametrize("n_edges", [None, 0, 3, 6, 8])
def test_probabilities_are_products_of_conditionals_with_the_rates_of_the_words(
    every_word, n_edges
):
    model, X = mc.models.TwoTree(n_edges).fit(words_of()), every_word(N_UNITS)
    log_p = np.zeros(len(X))
    for unit in range(N_UNITS):
        z = model.biases_[unit] + sum(
            slope * X[:, parent]
            for parent, slope in zip(model.parents_[unit], model.slopes_[unit], strict=True)
        )
        log_p += np.log(expit(np.where(X[:, unit] == 1, z, -z)))
    np.testing.assert_allclose(model.score_samples(X), log_p, rtol=1e-12)
    p = np.exp(log_p)
    assert p.sum() == pytest.approx(1.0, abs=1e-13)
    np.testing.assert_allclose(p @ X, model.rates_, atol=1e-12)
    assert model.entropy_ == pytest.approx(-(p @ log_p), rel=1e-12)


def test_it_has_the_pairwise_moments_of_its_edges(every_word):
    X, states = words_of(20_000), every_word(N_UNITS)
    model = mc.models.TwoTree().fit(X)
    p = np.exp(model.score_samples(states))
    for one, other in model.edges_:
        together = p @ (states[:, one] & states[:, other])
        assert together == pytest.approx(np.mean(X[:, one] & X[:, other]), abs=2e-4)


@pytest.mark.parametrize(
    "model", [mc.models.Tree(), mc.models.TwoTree(), mc.models.TwoTree(7)], ids=repr
)
def test_trees_are_ising_models(every_word, model):
    model, X = model.fit(words_of()), every_word(N_UNITS)
    ising = mc.Ising.from_parameters(model.as_parameters())
    np.testing.assert_allclose(model.score_samples(X), ising.score_samples(X), rtol=1e-11)
    log_z = mc.log_partition(model.as_parameters(), "exact").value
    assert log_z == pytest.approx(-model.score_samples(X[:1])[0], rel=1e-12)
    units = [5, 0, 3]
    np.testing.assert_allclose(model.log_odds(X, units), ising.log_odds(X, units), atol=1e-12)
    np.testing.assert_allclose(
        model.log_odds(X, units), WordModel.log_odds(model, X, units), atol=1e-12
    )


def test_a_two_tree_is_found_again_from_its_own_words():
    # A ring of triangles: every unit but the first two hangs on two neighbours.
    rng, n_units = np.random.default_rng(4), 8
    J = np.zeros((n_units, n_units))
    for unit in range(1, n_units):
        for parent in range(max(0, unit - 2), unit):
            J[unit, parent] = J[parent, unit] = rng.uniform(0.5, 0.9)
    truth = mc.Ising.from_parameters(mc.Parameters(b=np.full(n_units, -2.5), J=J))
    model = mc.models.TwoTree().fit(truth.sample(60_000, random_state=0, method="exact"))
    assert np.abs(model.as_parameters().J - J).max() < 0.12


def test_hundreds_of_units_have_the_mean_number_of_active_ones():
    rng = np.random.default_rng(0)
    X = rng.random((300, 250)) < rng.choice([0.02, 0.3], (300, 1))
    model = mc.models.TwoTree().fit(X)
    p = mc.evaluate.synchrony(model).probability
    assert p.sum() == pytest.approx(1.0, abs=1e-12)
    assert p @ np.arange(251) == pytest.approx(model.rates_.sum(), rel=1e-12)
