"""Intervals of couplings against closed forms, other optimisers and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import optimize, stats
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from threads import on_one_and_all

import microcolumn as mc
from microcolumn.evaluate._intervals import node_regressions
from microcolumn.evaluate.estimates import corrected
from microcolumn.evaluate.time_errors import cell_table, slow_waves
from microcolumn.parameters import Parameters
from microcolumn.partition import exact_samples
from microcolumn.study.codec import from_blob, to_blob
from microcolumn.words import Words


def _coupled(seed=0, n_units=5):
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(scale=0.5, size=(n_units, n_units)), 1)
    return Parameters(b=rng.normal(-1.5, 0.5, size=n_units), J=J + J.T)


def _drawn(theta, n, seed=0):
    return exact_samples(theta, n, np.random.default_rng(seed))


def _ising(X, **settings):
    n = np.shape(X)[1]
    model = mc.Ising.from_parameters(Parameters(b=np.zeros(n), J=np.zeros((n, n))))
    return mc.evaluate.intervals(model, X, **settings)


def _regressions(X, n_cells=10):
    words = Words.from_array(X)
    n = words.n_dims
    cells = np.arange(words.n_bins) * n_cells // words.n_bins
    by_cell = cell_table(words.index, cells, len(words))
    return node_regressions(words, np.ones(n, dtype=bool), np.zeros((n, n)), by_cell)


def test_two_units_have_the_log_odds_ratio_of_their_table_with_half_counts():
    cells = {(0, 0): 50, (0, 1): 9, (1, 0): 12, (1, 1): 7}
    X = np.repeat(list(cells), list(cells.values()), axis=0)
    found = _regressions(X)
    a, b, c, d = (n + 0.5 for n in cells.values())
    ratio = np.log(a * d / (b * c))
    np.testing.assert_allclose(found.coefficients[[0, 1], [1, 0]], ratio, rtol=1e-5)
    np.testing.assert_allclose(found.coefficients[0, 0], np.log(c / a), rtol=1e-5)
    # Of the first unit given the second: a binomial where the second is silent, and one where not.
    p, q = c / (a + c), d / (b + d)
    variance = 1 / (62 * p * (1 - p)) + 1 / (16 * q * (1 - q))
    np.testing.assert_allclose(found.model_stderr[0, 1], np.sqrt(variance), rtol=1e-5)


def test_large_tables_have_the_classical_standard_error():
    cells = np.array([[9000, 400], [500, 100]])
    X = np.repeat([(0, 0), (0, 1), (1, 0), (1, 1)], cells.ravel(), axis=0)
    found = _ising(np.random.default_rng(0).permutation(X))
    # A pair contributes 2 J to log p~.
    expected = np.log(9000 * 100 / (400 * 500)) / 2
    classical = np.sqrt((1 / cells).sum()) / 2
    assert found.couplings.estimate[0] == pytest.approx(expected, abs=0.1 * classical)
    assert found.couplings.stderr[0] == pytest.approx(classical, rel=0.2)
    assert found.couplings.stderr[0] >= 0.99 * classical


def test_firths_regression_is_the_optimum_another_optimiser_finds():
    X = _drawn(_coupled(1), 300)
    found = _regressions(X)
    assert found.converged.all()
    F, y = X.astype(float), X[:, 2]
    F[:, 2] = 1.0

    def penalised(beta):
        p = expit(F @ beta)
        _, log_det = np.linalg.slogdet((F * (p * (1 - p))[:, None]).T @ F)
        return -np.sum(np.log(np.where(y == 1, p, 1 - p))) - 0.5 * log_det

    best = optimize.minimize(penalised, np.zeros(5), method="BFGS", options={"gtol": 1e-7})
    np.testing.assert_allclose(found.coefficients[2], best.x, atol=1e-4)


def test_many_words_give_the_regression_of_scikit_learn():
    X = _drawn(_coupled(2), 30_000)
    found = _regressions(X)
    others = [0, 1, 2, 4]
    plain = LogisticRegression(C=np.inf, tol=1e-8).fit(X[:, others], X[:, 3])
    difference = (found.coefficients[3, others] - plain.coef_[0]) / found.model_stderr[3, others]
    # Firth's term, of the order of half a count, is small beside the error of so many words.
    assert np.abs(difference).max() < 0.1
    assert abs(found.coefficients[3, 3] - plain.intercept_[0]) < 0.1 * found.model_stderr[3, 3]


def test_errors_over_time_are_those_of_a_dense_sandwich():
    X = _drawn(_coupled(3), 1000)
    found = _regressions(X, n_cells=20)
    F = X.astype(float)
    F[:, 1] = 1.0
    p = expit(F @ found.coefficients[1])
    information = (F * (p * (1 - p))[:, None]).T @ F
    scores = (F * (X[:, 1] - p)[:, None]).reshape(20, 50, 5).sum(axis=1)
    expected = slow_waves(20) @ np.linalg.solve(information, scores.T).T
    np.testing.assert_allclose(found.influence[1], expected, rtol=1e-3, atol=1e-6)


def test_words_that_last_tell_less():
    X = _drawn(_coupled(4), 4000)
    once, lasting = _ising(X), _ising(np.repeat(X, 5, axis=0))
    assert once.alike == pytest.approx(1.0, abs=0.3)
    assert lasting.alike == pytest.approx(5.0 * once.alike, rel=0.3)
    np.testing.assert_allclose(lasting.couplings.stderr, once.couplings.stderr, rtol=0.15)
    np.testing.assert_allclose(lasting.couplings.estimate, once.couplings.estimate, atol=0.02)


def test_true_couplings_lie_in_their_intervals_and_absent_ones_are_not_claimed():
    J = np.zeros((8, 8))
    J[[0, 1], [1, 0]], J[[2, 3], [3, 2]] = 0.6, -0.9
    truth = Parameters(b=np.full(8, -1.5), J=J)
    X = _drawn(truth, 20_000)
    model = mc.Ising(l1=1e-2, objective="pseudolikelihood").fit(X)
    found = mc.evaluate.intervals(model, X)
    expected = J[tuple(found.pairs.T)]
    held = (found.couplings.low <= expected) & (expected <= found.couplings.high)
    assert held.sum() >= 25
    assert held[expected != 0].all()
    # The penalty of the fit shrinks the couplings by more than their errors allow.
    assert np.abs(model.J_[0, 1]) < found.couplings.low[0]
    sure = found.couplings.significant(0.05)
    np.testing.assert_array_equal(sure, expected != 0)
    assert found.statement().startswith("2 of 28 pairs")
    assert [row["first"] for row in found.strongest(2)] == ["2", "0"]


def test_silent_constant_and_equal_units_have_none():
    X = _drawn(_coupled(5), 2000)
    one = X[:, :1]
    X = np.column_stack([X, 0 * one, 0 * one + 1, one, 1 - X[:, 1]])
    found = _ising(X)
    broken = {0, 1, 5, 6, 7, 8}
    for k, (n, m) in enumerate(found.pairs.tolist()):
        assert np.isnan(found.couplings.low[k]) == bool({n, m} & broken)
    np.testing.assert_array_equal(np.isnan(found.biases.low), [n in broken for n in range(9)])
    assert len(found.notes) == 2
    # The others are as without the copies.
    alone = _ising(X[:, :5])
    pair = [k for k, each in enumerate(found.pairs.tolist()) if each == [2, 3]]
    same = [k for k, each in enumerate(alone.pairs.tolist()) if each == [2, 3]]
    np.testing.assert_allclose(
        found.couplings.estimate[pair], alone.couplings.estimate[same], rtol=1e-4
    )


def test_pairs_that_never_fire_together_have_no_lower_limit():
    X = (np.random.default_rng(0).random((3000, 3)) < 0.15).astype(np.uint8)
    X[X[:, 2] == 1, 0] = 1  # the third never without the first
    X[X[:, 0] == 1, 1] = 0
    found = _ising(X)
    pairs = found.couplings
    assert pairs.low[0] == -np.inf
    assert np.isfinite(pairs.high[0])
    assert pairs.high[0] < 0
    assert pairs.high[1] == np.inf
    assert pairs.low[1] > 0


def test_rare_pairs_have_none():
    rng = np.random.default_rng(0)
    X = (rng.random((1000, 3)) < [0.3, 0.3, 0.004]).astype(np.uint8)
    found = _ising(X)
    np.testing.assert_array_equal(np.isnan(found.couplings.p_value), [False, True, True])
    np.testing.assert_array_equal(np.isnan(found.couplings.q_value), [False, True, True])
    assert "2 pairs with fewer than 3 coincidences" in found.notes[-1]


@settings(max_examples=15, deadline=None)
@given(
    X=st.integers(1, 12).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=n, max_size=n
        )
    )
)
def test_few_words_never_give_a_confident_number(X):
    found = _ising(np.array(X))
    pairs = found.couplings
    given = ~np.isnan(pairs.low)
    assert np.all(pairs.low[given] < pairs.high[given])
    assert np.array_equal(given, ~np.isnan(pairs.p_value))
    assert not pairs.significant(1e-6).any()


def test_one_unit_has_a_bias_and_no_pairs():
    X = (np.random.default_rng(0).random((500, 1)) < 0.2).astype(int)
    found = _ising(X)
    assert found.pairs.shape == (0, 2)
    assert found.biases.low[0] < logit(0.2) < found.biases.high[0]
    assert found.statement() == "there are no pairs"


def test_a_start_far_away_does_not_matter():
    X = _drawn(_coupled(6), 2000)
    far = mc.Ising.from_parameters(Parameters(b=np.full(5, 50.0), J=40.0 * (1 - np.eye(5))))
    np.testing.assert_allclose(
        mc.evaluate.intervals(far, X).couplings.low, _ising(X).couplings.low, rtol=1e-3
    )


def test_couplings_beside_dead_hidden_units_are_those_of_an_ising_model():
    X = _drawn(_coupled(7), 2000)
    dead = Parameters(b=np.zeros(5), J=np.zeros((5, 5)), W=np.zeros((5, 2)))
    found = mc.evaluate.intervals(mc.SemiRBM.from_parameters(dead), X)
    np.testing.assert_array_equal(found.couplings.low, _ising(X).couplings.low)


def test_q_values_are_those_of_benjamini_and_hochberg():
    p = np.array([0.01, np.nan, 0.04, 0.03, 0.5])
    expected = [0.04, np.nan, 4 * 0.04 / 3, 4 * 0.04 / 3, 0.5]
    np.testing.assert_allclose(corrected(p), expected)


def test_windows_name_the_bin_of_each_unit_and_results_survive_the_store():
    X = _drawn(_coupled(8, 3), 3000)
    words = Words.from_array(X, units=mc.Units(["a", "b", "c"])).embed(2)
    found = mc.evaluate.intervals(mc.Ising(l1=1e-3).fit(words), words)
    assert found.names == ("a@-1", "b@-1", "c@-1", "a@0", "b@0", "c@0")
    rows = found.to_rows()
    assert len(rows) == 15 + 6
    assert (rows[0]["first"], rows[0]["second"]) == ("a@-1", "b@-1")
    back = from_blob(mc.evaluate.Intervals, to_blob(found))
    assert str(back) == str(found)
    np.testing.assert_array_equal(back.couplings.low, found.couplings.low)


def test_the_number_of_threads_changes_no_bit():
    X = _drawn(_coupled(9, 12), 3000)
    np.testing.assert_array_equal(*on_one_and_all(lambda: _ising(X).couplings.low))


def test_the_errors_of_a_single_pair_have_a_freedom_for_each_wave():
    found = _ising(_drawn(_coupled(10, 2), 2000), level=0.9).couplings
    half = stats.t(10).ppf(0.95) * found.stderr
    np.testing.assert_allclose(found.high - found.estimate, half)
    p = 2 * stats.t(10).sf(np.abs(found.estimate / found.stderr))
    np.testing.assert_allclose(found.p_value, p)


def test_slow_states_widen_the_intervals_to_what_recordings_differ_by():
    rng, estimates, errors = np.random.default_rng(0), [], []
    for _ in range(30):
        states = np.repeat(rng.random(30) < 0.5, 200)
        X = rng.random((6000, 3)) < np.where(states, 0.3, 0.1)[:, None]
        found = _ising(X.astype(int)).couplings
        estimates.append(found.estimate)
        errors.append(found.stderr)
    assert np.mean(errors) == pytest.approx(np.std(estimates), rel=0.25)
