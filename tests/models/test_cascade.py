"""A cascade of logistic units: probabilities, the penalised fit, files and choice."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.models import CascadedLogistic
from microcolumn.models._cascade import cascade_order


def random_cascade(n=5, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    order, thresholds = rng.permutation(n), [1, 2, 4]
    weights = np.zeros((n, n))
    weights[np.ix_(order, order)] = np.tril(rng.normal(scale=scale, size=(n, n)), -1)
    steps = rng.normal(scale=scale, size=(n, 3))
    return CascadedLogistic.from_parameters(
        rng.normal(size=n) - 1.0, weights, order, steps, thresholds
    )


def by_hand(model, word):
    """Probability of a word as the formula says."""
    p, count = 1.0, 0
    for i in model.order_:
        log_odds = model.b_[i] + model.weights_[i] @ word
        log_odds += sum(
            s for s, t in zip(model.steps_[i], model.thresholds_, strict=True) if count >= t
        )
        p *= 1.0 / (1.0 + np.exp(-log_odds if word[i] else log_odds))
        count += word[i]
    return p


@pytest.fixture(scope="module")
def words():
    """Words of 6 named units with a common drive."""
    rng = np.random.default_rng(1)
    drive = rng.choice(3, size=(6000, 1), p=[0.7, 0.2, 0.1])
    X = rng.random((6000, 6)) < np.array([0.02, 0.2, 0.5])[drive] * np.linspace(0.3, 1.5, 6)
    return mc.Words.from_array(X, units=mc.Units([f"u{k}" for k in range(6)]))


def test_words_have_the_probability_of_the_formula_and_all_of_them_add_up_to_one(every_word):
    model, X = random_cascade(), every_word(5)
    p = np.exp(model.score_samples(X))
    np.testing.assert_allclose(p, [by_hand(model, x) for x in X.astype(int)], rtol=1e-12)
    assert p.sum() == pytest.approx(1.0, abs=1e-13)
    assert model.log_partition().value == 0.0


def test_a_fit_recovers_the_model_that_drew_the_words():
    truth = random_cascade(n=4, seed=3)
    X = truth.sample(300_000, random_state=0)
    found = CascadedLogistic(l1=0.0, count=True).fit(X)
    assert found.certificate_.converged
    # Held-out words cannot tell the two apart: the loss is about half a nat per free parameter.
    held = truth.sample(50_000, random_state=1)
    loss = (truth.score_samples(held) - found.score_samples(held)).mean()
    assert 0.0 < loss < 3.0 * 0.5 * found.n_parameters_ / 300_000 + 1e-5


def test_a_fit_recovers_weights_where_the_order_is_known():
    weights = np.array([[0.0, 0, 0, 0], [1.5, 0, 0, 0], [0, -2.0, 0, 0], [0.8, 0, 1.0, 0]])
    truth = CascadedLogistic.from_parameters([-2.5, -2.0, -0.5, 0.0], weights, [0, 1, 2, 3])
    found = CascadedLogistic(l1=0.0, count=False).fit(truth.sample(400_000, random_state=0))
    assert found.order_.tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(found.weights_, weights, atol=0.06)
    np.testing.assert_allclose(found.b_, truth.b_, atol=0.02)
    sparse = CascadedLogistic(l1=2e-3, count=False).fit(truth.sample(400_000, random_state=0))
    assert ((sparse.weights_ != 0.0) == (weights != 0.0)).all()


def test_two_units_are_the_ising_model_and_the_table_of_the_words(every_word):
    """With two units the cascade, like the Ising model, has a parameter for each probability."""
    rng = np.random.default_rng(4)
    x = rng.random(2000) < 0.3
    X = np.column_stack([x, rng.random(2000) < np.where(x, 0.6, 0.2)])
    ising = mc.Ising(l1=0.0).fit(X)
    table = np.log([np.mean((word == X).all(axis=1)) for word in every_word(2)])
    for count in (False, True):
        found = CascadedLogistic(l1=0.0, count=count).fit(X).score_samples(every_word(2))
        np.testing.assert_allclose(found, table, atol=1e-6)
        np.testing.assert_allclose(found, ising.score_samples(every_word(2)), atol=1e-6)


def test_the_count_contains_the_model_without_it(words):
    """The penalised likelihood of the larger model is never lower, and equal where steps are 0."""
    for l1 in (1e-4, 1e-2):
        values = {}
        for count in (False, True):
            model = CascadedLogistic(l1=l1, count=count).fit(words)
            penalty = l1 * (np.abs(model.weights_).sum() + np.abs(model.steps_).sum())
            values[count] = model.score(words) - penalty
        assert values[True] >= values[False] - 1e-9
    plain = CascadedLogistic(l1=1e-3, count=False).fit(words)
    assert plain.thresholds_.size == 0
    zeros = CascadedLogistic.from_parameters(
        plain.b_, plain.weights_, plain.order_, np.zeros((6, 2)), [1, 3]
    )
    np.testing.assert_array_equal(zeros.score_samples(words), plain.score_samples(words))


def test_a_grid_spans_four_decades_with_and_without_the_count(words):
    grid = CascadedLogistic().grid(words)
    for count in (True, False):
        strengths = [each["l1"] for each in grid if each["count"] is count]
        assert strengths == sorted(strengths)
        assert strengths[-1] / strengths[0] == pytest.approx(1e4, rel=0.01)
        assert CascadedLogistic(l1=strengths[-1], count=count).fit(words).n_nonzero_ == 0
        assert CascadedLogistic(l1=strengths[-2], count=count).fit(words).n_nonzero_ > 0
    alone = mc.Words.from_array(np.array([[0], [1], [0]]))
    assert CascadedLogistic().grid(alone) == (
        {"l1": 0.0, "count": True},
        {"l1": 0.0, "count": False},
    )


def test_units_go_from_the_least_active_to_the_most_active_bin_by_bin(words):
    assert cascade_order(words).tolist() == [0, 1, 2, 3, 4, 5]
    turned = words.reordered([5, 1, 3, 0, 4, 2])
    assert cascade_order(turned).tolist() == [3, 1, 5, 2, 4, 0]
    assert cascade_order(words.embed(2)).tolist() == list(range(12))


@pytest.mark.parametrize(
    "X", [[[0, 0]], [[1, 1]], [[0], [1]], [[1, 0, 1]] * 5, [[0, 1]] * 9 + [[1, 1]]]
)
def test_units_that_never_or_always_fire_keep_the_floored_rate(X, every_word):
    n = len(X[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CascadedLogistic(l1=1e-3).fit(X)
    independent = mc.Independent().fit(X)
    np.testing.assert_allclose(
        model.score_samples(every_word(n)), independent.score_samples(every_word(n)), rtol=1e-9
    )
    assert np.isfinite(model.score_samples(every_word(n))).all()


def test_words_without_a_finite_optimum_give_a_warning_and_finite_scores(every_word):
    rng = np.random.default_rng(6)
    X = rng.random((500, 3)) < 0.3
    X[:, 2] = X[:, 1]
    X[:, 0] &= ~X[:, 1]
    with pytest.warns(ConvergenceWarning, match="no finite optimum on these words.*use l1 > 0"):
        model = CascadedLogistic(l1=0.0, count=False).fit(X)
    assert np.isfinite(model.score_samples(every_word(3))).all()
    assert np.abs(model.weights_).max() < 60.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CascadedLogistic(l1=1e-4).fit(X)
