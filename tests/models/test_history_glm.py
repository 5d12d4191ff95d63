"""Generalised linear models with history: regressions, gaps, samples, files and edges."""

import math
import warnings

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threads import on_one_and_all

import microcolumn as mc
from microcolumn.models._history_glm import lag_basis
from microcolumn.units import Units


def _words(n_bins=3000, n_units=3, seed=0, **options):
    """Bins in which unit 1 tends to follow unit 0 after two bins."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_bins, n_units)) < 0.15
    if n_units > 1:
        X[2:, 1] |= X[:-2, 0] & (rng.random(n_bins - 2) < 0.5)
    return mc.Words.from_array(X, **options)


def _log_odds(model, X, starts=(0,)):
    """Log odds of every bin by the definition, lag after lag."""
    couplings = model.couplings_ * math.log(2.0)
    odds = np.tile(model.b_, (len(X), 1))
    for t in range(len(X)):
        start = max(first for first in starts if first <= t)
        for lag in range(1, couplings.shape[2] + 1):
            past = X[t - lag] if t - lag >= start else model.rates_
            odds[t] += couplings[:, :, lag - 1] @ past
    return odds


@pytest.fixture(scope="module")
def fitted():
    return mc.models.HistoryGLM(l1=1e-3, basis=3, n_lags=6).fit(_words())


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (2, 2), (4, 9), (6, 20), (10, 119), (19, 20)])
def test_basis_functions_add_up_to_one_and_peak_from_the_first_lag_to_the_last(shape):
    basis = lag_basis(*shape)
    assert basis.shape == shape
    np.testing.assert_allclose(basis.sum(axis=0), 1.0)
    assert (basis >= 0.0).all()
    assert (basis > 0.0).any(axis=1).all()
    assert basis[0, 0] == basis[-1, -1] == 1.0
    peaks = basis.argmax(axis=1)
    assert (np.diff(peaks) > 0).all()
    assert (np.diff(peaks, 2) >= -1).all()


def test_without_penalty_it_is_scikit_learns_regression_on_an_explicit_design():
    words, n_lags = _words(), 5
    X = words.expand()
    model = mc.models.HistoryGLM(l1=0.0, basis=3, n_lags=n_lags).fit(words)
    basis = lag_basis(3, n_lags)
    lagged = np.stack([X[n_lags - lag : len(X) - lag] for lag in range(1, n_lags + 1)], axis=2)
    design = (lagged @ basis.T).reshape(len(lagged), -1)
    for n in range(3):
        peer = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10)
        peer.fit(design, X[n_lags:, n])
        np.testing.assert_allclose(model.weights_[n].ravel(), peer.coef_[0], atol=1e-6)
        assert model.b_[n] == pytest.approx(peer.intercept_[0], abs=1e-6)
    assert model.certificate_.converged
    assert model.certificate_.optimality <= model.tol


def test_a_known_filter_is_recovered_from_its_own_samples():
    truth = mc.models.HistoryGLM(l1=0.0, basis="lags", n_lags=4).fit(_words(n_units=2))
    truth.weights_ = np.zeros((2, 2, 4))
    truth.weights_[1, 0] = [0.0, 2.0, 1.0, 0.0]
    truth.weights_[0, 0, 0] = -1.5
    truth.b_ = np.array([-1.0, -2.0])
    drawn = truth.sample(60_000, random_state=0)
    model = mc.models.HistoryGLM(l1=1e-4, basis="lags", n_lags=6).fit(drawn)
    expected = np.zeros((2, 2, 6))
    expected[:, :, :4] = truth.couplings_
    np.testing.assert_allclose(model.couplings_, expected, atol=0.15)
    sparse = mc.models.HistoryGLM(l1=3e-3, basis="lags", n_lags=6).fit(drawn)
    np.testing.assert_array_equal(sparse.weights_ != 0.0, expected != 0.0)
    assert sparse.n_couplings_ == 1
    assert sparse.n_nonzero_ == 3
    assert sparse.n_parameters_ == 5


def test_bins_have_the_log_odds_of_the_definition(fitted):
    words = _words(200, seed=1)
    odds = _log_odds(fitted, words.expand())
    np.testing.assert_allclose(fitted.log_odds_in_time(words), odds, atol=1e-12)
    np.testing.assert_allclose(fitted.log_odds_in_time(words, [2, 0]), odds[:, [2, 0]], atol=1e-12)
    by_unit = np.where(words.expand(), np.log(expit(odds)), np.log(expit(-odds)))
    np.testing.assert_allclose(fitted.score_sequence(words), by_unit.sum(axis=1), atol=1e-12)
    assert fitted.score(words) == pytest.approx(by_unit.sum(axis=1).mean())


def test_a_spike_before_a_gap_has_no_effect_after_it(fitted):
    X = _words(60, seed=2).expand()
    for starts in ([0, 25], [0, 2, 40]):
        words = mc.Words.from_array(X, epoch_starts=starts)
        odds = fitted.log_odds_in_time(words)
        np.testing.assert_allclose(odds, _log_odds(fitted, X, starts), atol=1e-12)
        changed = X.copy()
        changed[: starts[-1]] ^= 1
        other = fitted.log_odds_in_time(mc.Words.from_array(changed, epoch_starts=starts))
        np.testing.assert_array_equal(other[starts[-1] :], odds[starts[-1] :])


def test_the_fit_sees_no_spike_across_a_gap():
    X = _words(4000).expand()
    # Every epoch of ten bins begins with spikes of unit 2 that its last bin tells beforehand.
    told = np.random.default_rng(3).random(400) < 0.5
    X[::10, 2] = told
    X[9:-1:10, 0] = told[1:]
    crossing = mc.models.HistoryGLM(l1=2e-3, basis="lags", n_lags=1).fit(X)
    cut = mc.Words.from_array(X, epoch_starts=np.arange(0, 4000, 10))
    respecting = mc.models.HistoryGLM(l1=2e-3, basis="lags", n_lags=1).fit(cut)
    assert crossing.couplings_[2, 0, 0] > 0.5
    assert respecting.couplings_[2, 0, 0] < 0.1


def test_bins_whose_past_is_cut_off_take_no_part_in_the_fit():
    X = _words(900).expand()
    words = mc.Words.from_array(X, epoch_starts=[0, 300, 600])
    model = mc.models.HistoryGLM(l1=10.0, n_lags=20, basis=3).fit(words)
    whole = np.concatenate([X[start + 20 : start + 300] for start in (0, 300, 600)])
    np.testing.assert_allclose(expit(model.b_), whole.mean(axis=0), rtol=0.0, atol=model.tol)
    np.testing.assert_allclose(model.rates_, X.mean(axis=0))


def test_a_strong_penalty_leaves_the_rates():
    words = _words(5000)
    model = mc.models.HistoryGLM(l1=10.0, n_lags=2, basis=2).fit(words)
    assert not model.weights_.any()
    assert model.n_parameters_ == 3
    rates = mc.Independent().fit(words.expand()[2:])  # the first two bins have no whole past
    np.testing.assert_allclose(
        model.score_sequence(words), rates.score_samples(words.expand()), atol=1e-6
    )


def test_settings_on_a_grid_are_fitted_as_one_by_one():
    words = _words()
    grid = [{"l1": 1e-3, "basis": 2, "n_lags": 4}, {"l1": 1e-2, "basis": 2, "n_lags": 4}]
    grid.append({"l1": 1e-2, "basis": "lags", "n_lags": 2})
    for model, settings in zip(mc.models.HistoryGLM().fit_grid(words, grid), grid, strict=True):
        alone = mc.models.HistoryGLM(**settings).fit(words)
        assert {name: model.get_params()[name] for name in settings} == settings
        np.testing.assert_allclose(model.weights_, alone.weights_, atol=1e-6)
        np.testing.assert_allclose(model.b_, alone.b_, atol=1e-6)


def test_the_grid_begins_where_the_first_weights_appear():
    words = _words()
    grid = mc.models.HistoryGLM().grid(words)
    assert {s["n_lags"] for s in grid} == {2, 10, 40}  # 0.05, 0.2 and 0.8 s of 20 ms
    first = next(s for s in grid if s["n_lags"] == 10)
    largest = 4.0 * first["l1"]
    above, below = mc.models.HistoryGLM().fit_grid(
        words, [{**first, "l1": 1.001 * largest}, {**first, "l1": 0.98 * largest}]
    )
    assert not above.weights_.any()
    assert below.weights_.any()


def test_samples_follow_the_model_and_the_seed(fitted):
    drawn = fitted.sample(20_000, random_state=3)
    np.testing.assert_array_equal(drawn, fitted.sample(20_000, random_state=3))
    p = expit(fitted.log_odds_in_time(drawn))
    z = (drawn - p).sum(axis=0) / np.sqrt((p * (1.0 - p)).sum(axis=0))
    assert np.abs(z).max() < 4.0


def test_units_in_another_order_are_put_right():
    words = _words(units=Units("abc"))
    model = mc.models.HistoryGLM(n_lags=4, basis=2).fit(words)
    np.testing.assert_array_equal(
        model.score_sequence(words.subset([2, 0, 1])), model.score_sequence(words)
    )
    turned = mc.models.HistoryGLM(n_lags=4, basis=2).fit(words.subset([2, 0, 1]))
    order = [1, 2, 0]
    np.testing.assert_allclose(turned.weights_[order][:, order], model.weights_, atol=1e-6)
    assert turned.unit_ids_ == ("c", "a", "b")
    np.testing.assert_allclose(model.lags_s_, [0.02, 0.04, 0.06, 0.08])


def test_files_give_the_same_bits_back(fitted, tmp_path):
    fitted.save(tmp_path / "model.safetensors")
    opened = mc.load(tmp_path / "model.safetensors")
    words = _words(100, seed=4)
    assert isinstance(opened, mc.models.HistoryGLM)
    assert opened.get_params() == fitted.get_params()
    assert opened.certificate_ == fitted.certificate_
    assert opened.n_iter_ == fitted.n_iter_
    np.testing.assert_array_equal(opened.couplings_, fitted.couplings_)
    np.testing.assert_array_equal(opened.score_sequence(words), fitted.score_sequence(words))
    np.testing.assert_array_equal(opened.sample(50, 1), fitted.sample(50, 1))


def test_threads_make_no_difference():
    words, model = _words(2000, 4), mc.models.HistoryGLM(l1=1e-3, n_lags=5, basis=3)
    np.testing.assert_array_equal(*on_one_and_all(lambda: model.fit(words).score_sequence(words)))


@pytest.mark.parametrize("value", [0, 1])
def test_units_that_never_or_always_fire_keep_their_floored_rate(value):
    X = _words(500).expand()
    X[:, 2] = value
    for l1 in (0.0, 1e-3):
        model = mc.models.HistoryGLM(l1=l1, n_lags=3, basis=2).fit(X)
        assert model.certificate_.converged
        assert model.b_[2] == pytest.approx(logit(model.rates_[2]))
        assert not model.weights_[2].any()
        assert np.isfinite(model.score_sequence(1 - X)).all()


@pytest.mark.parametrize("n_bins", [1, 2, 5])
def test_recordings_shorter_than_the_past_have_rates_alone(n_bins):
    X = np.ones((n_bins, 2), dtype=int)
    X[:, 1] = 0
    with pytest.warns(UserWarning, match=f"only 0 of {n_bins} bins"):
        model = mc.models.HistoryGLM(n_lags=5, basis=2).fit(X)
    assert not model.weights_.any()
    np.testing.assert_allclose(expit(model.b_), model.rates_)


def test_silent_recordings_and_single_units_are_fitted():
    model = mc.models.HistoryGLM(n_lags=3, basis=2).fit(np.zeros((50, 2), dtype=int))
    assert np.isfinite(model.score(np.ones((5, 2), dtype=int)))
    # A unit that fires in every third bin is certain, but for the penalty.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        regular = mc.models.HistoryGLM(l1=1e-4, basis="lags", n_lags=3).fit([[0], [1], [0]] * 100)
    assert regular.score([[0], [1], [0]] * 20) > -0.1


def test_weights_that_run_away_without_a_penalty_are_reported():
    X = np.random.default_rng(0).random((500, 1)) < 0.3
    X[1:] &= ~X[:-1]  # never in two bins one after the other
    with pytest.warns(ConvergenceWarning, match="no finite optimum"):
        mc.models.HistoryGLM(l1=0.0, n_lags=1, basis=1).fit(X)
