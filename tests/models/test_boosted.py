"""A cascade of boosted trees: equal to scikit-learn's, normalised, stored as plain tables."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.models import BoostedCascade
from microcolumn.models._boosted import tabulated


@pytest.fixture(scope="module")
def words():
    """Words of 5 named units: the fourth reads the first two together, the fifth the count."""
    rng = np.random.default_rng(0)
    X = np.zeros((20_000, 5), dtype=bool)
    X[:, :3] = rng.random((20_000, 3)) < [0.2, 0.25, 0.3]
    X[:, 3] = rng.random(20_000) < np.where(X[:, 0] ^ X[:, 1], 0.7, 0.2)
    X[:, 4] = rng.random(20_000) < np.where(X[:, :4].sum(axis=1) == 2, 0.9, 0.3)
    return mc.Words.from_array(X, units=mc.Units([f"u{k}" for k in range(5)]))


@pytest.fixture(scope="module")
def fitted(words):
    return BoostedCascade().fit(words)


def boosters(words, n_trees):
    """Scikit-learn's trees of each unit on those before it and their number, in order of rate."""
    order = np.argsort(words.rates, kind="stable")
    X = words.X[:, order].astype(float)
    grown = []
    for i in range(1, X.shape[1]):
        F = np.column_stack([X[:, :i], X[:, :i].sum(axis=1)])
        booster = HistGradientBoostingClassifier(
            max_iter=n_trees, max_leaf_nodes=6, min_samples_leaf=2, early_stopping=False
        ).fit(F, X[:, i], sample_weight=words.counts)
        grown.append((F, booster))
    return order, X, grown


def test_tables_of_nodes_give_the_probabilities_of_scikit_learn(words):
    order, X, grown = boosters(words, 7)
    biases = np.array([-1.0, *(booster._baseline_prediction.item() for _, booster in grown)])
    trees = [[], *([tree.nodes for [tree] in booster._predictors] for _, booster in grown)]
    model = BoostedCascade()
    model.order_, model._trees = order, tabulated(biases, trees)
    model._remember(5, None)
    assert model.size_ == "28 trees"
    log_p = np.log(np.where(X[:, 0] == 1, expit(-1.0), expit(1.0)))
    for i, (F, booster) in enumerate(grown, 1):
        p = booster.predict_proba(F)
        log_p += np.log(p[np.arange(len(p)), X[:, i].astype(int)])
    np.testing.assert_allclose(model.score_samples(words), log_p, rtol=1e-12)


def test_trees_find_what_pairs_cannot_show(words, fitted, every_word):
    """Nearly all of the likelihood that there is, where logistic units stay below."""
    table = words.counts / words.counts.sum()
    entropy = -(table * np.log(table)).sum()
    trees, logistic = fitted.score(words), mc.CascadedLogistic(l1=1e-4).fit(words).score(words)
    assert -entropy - 0.003 < trees < -entropy
    assert logistic < trees - 0.03


def test_held_out_words_of_independent_units_lose_next_to_nothing():
    X = np.random.default_rng(1).random((8000, 5)) < 0.1
    model, independent = BoostedCascade().fit(X[:4000]), mc.Independent().fit(X[:4000])
    assert -0.003 < model.score(X[4000:]) - independent.score(X[4000:]) < 0.001
    assert model.n_trees_[model.order_[0]] == 0


def test_counts_do_what_repeated_rows_do(every_word):
    rng = np.random.default_rng(2)
    X, counts = every_word(4), rng.integers(1, 60, size=16)
    weighted = BoostedCascade().fit(X, sample_weight=counts)
    repeated = BoostedCascade().fit(rng.permutation(np.repeat(X, counts, axis=0)))
    assert np.array_equal(weighted.score_samples(X), repeated.score_samples(X))


@pytest.mark.parametrize("X", [[[0, 0]], [[1, 1]], [[0], [1]], [[1, 0, 1]] * 40, [[0, 1], [1, 0]]])
def test_words_that_leave_nothing_to_learn_give_independent_units(X, every_word):
    n = len(X[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BoostedCascade().fit(X)
    np.testing.assert_allclose(
        model.score_samples(every_word(n)), mc.Independent().fit(X).score_samples(every_word(n))
    )


def test_units_that_never_fire_keep_the_floored_rate(every_word):
    rng = np.random.default_rng(3)
    X = rng.random((3000, 4)) < 0.3
    X[:, 1], X[:, 2] = False, X[:, 0]
    model = BoostedCascade().fit(X)
    assert np.isfinite(model.score_samples(every_word(4))).all()
    assert model.conditional(every_word(4), 1) == pytest.approx(0.5 / 3001)


def test_trees_that_still_gain_at_the_end_give_a_warning(words):
    with pytest.warns(ConvergenceWarning, match="stopped at 3 trees for .*; raise max_iter"):
        BoostedCascade(max_iter=3).fit(words)


def test_a_grid_is_chosen_from_on_held_out_words(words):
    train, validation = words.split(0.7, by="blocks", random_state=0)
    choice = mc.choose(BoostedCascade(), train, validation)
    assert [each["max_leaf_nodes"] for each in choice.settings] == [4, 8, 16]
    assert choice.best.size_.endswith("trees")


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("left", lambda a: a * 0, "left leads out of a tree or back"),
        ("right", lambda a: a + a.size, "right leads out of a tree or back"),
        ("roots", lambda a: a[::-1].copy(), "roots does not go from 0"),
        ("first", lambda a: a + 1, "first does not go from 0"),
        ("predictors", lambda a: np.where(a < 0, a, 9), "do not come before their target"),
        ("predictors", lambda a: a.astype(float), "type float64 instead of int64"),
        ("values", lambda a: a * np.nan, "not finite"),
        ("thresholds", lambda a: a[:-1], "shape"),
        ("order", lambda a: a * 0, "order does not name each of the 5 bits once"),
    ],
)
def test_tables_that_make_no_trees_are_refused(fitted, name, change, problem):
    arrays = fitted._arrays()
    arrays[name] = change(arrays[name])
    with pytest.raises(ValueError, match=problem):
        BoostedCascade._from_arrays(arrays, {})
