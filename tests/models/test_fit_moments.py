"""Ising models of rates and pair rates, against fits to words and against exact moments."""

import numpy as np
import pytest
from scipy.special import softmax

import microcolumn as mc
from microcolumn.energy import log_weight
from microcolumn.errors import BadArgument, BadInput
from microcolumn.models import from_bytes, to_bytes

N = 5
EVERY = ((np.arange(1 << N)[:, None] >> np.arange(N)) & 1).astype(np.uint8)


def _moments(theta):
    """Rates and pair rates of a model, by a sum over all words."""
    p = softmax(log_weight(theta, EVERY))
    return p @ EVERY, EVERY.T @ (p[:, None] * EVERY)


def test_exact_moments_of_a_model_give_the_model():
    rng = np.random.default_rng(0)
    J = np.triu(rng.normal(0.0, 0.7, (N, N)), 1)
    theta = mc.Parameters(b=rng.normal(-1.0, 0.5, N), J=J + J.T)
    model = mc.Ising(l1=0.0).fit_moments(*_moments(theta), n_words=10_000)
    np.testing.assert_allclose(model.J_, theta.J, atol=1e-6)
    np.testing.assert_allclose(model.b_, theta.b, atol=1e-6)
    assert model.certificate_.converged


@pytest.mark.parametrize("l1", [0.0, 2e-3])
def test_it_is_the_fit_to_any_words_with_these_moments(l1):
    rng = np.random.default_rng(1)
    X = rng.random((3000, N)) < np.where(rng.random((3000, 1)) < 0.2, 0.6, 0.1)
    X[:, 3] &= ~X[:, 0]  # a pair that is never active together
    X[:, 4] = False  # and a unit that never is
    words = mc.Words.from_array(X, 0.010)
    pairs = mc.objectives.pair_rates(words)
    model = mc.Ising(l1=l1).fit_moments(pairs.diagonal(), pairs, 3000, bin_width=0.010)
    of_words = mc.Ising(l1=l1).fit(words)
    np.testing.assert_allclose(model.J_, of_words.J_, atol=1e-3)
    np.testing.assert_allclose(model.b_, of_words.b_, atol=1e-3)
    assert model.objective_ == pytest.approx(of_words.objective_, abs=1e-6)
    np.testing.assert_allclose(model.rates_, of_words.rates_)
    assert mc.score(model, words).bits_per_second == pytest.approx(
        mc.score(of_words, words).bits_per_second, abs=1e-2
    )
    assert model.words_info_.n_bins == model.n_words_ == 3000
    assert model.words_info_.stop_s == pytest.approx(30.0)


def test_many_units_are_fitted_by_sampled_words():
    n, rng = 30, np.random.default_rng(0)
    J = np.triu(rng.normal(0.0, 0.4, (n, n)) * (rng.random((n, n)) < 0.1), 1)
    coupled = mc.Ising.from_parameters(mc.Parameters(b=rng.normal(-2.5, 0.4, n), J=J + J.T))
    words = mc.Words.from_array(coupled.sample(4000, random_state=0))
    pairs = mc.objectives.pair_rates(words)
    model = mc.Ising(l1=3e-3).fit_moments(pairs.diagonal(), pairs, words.n_bins)
    exact = 3e-3 * np.abs(model.J_).sum() - model.score(words)  # log Z is summed
    assert model.log_partition().method == "exact"
    assert model.objective_ == pytest.approx(exact, abs=3e-3)
    assert model.certificate_.converged


def test_the_model_has_a_name_for_its_units_and_is_kept_in_a_file():
    rates, pairs = np.full(3, 0.2), np.full((3, 3), 0.06)
    model = mc.Ising().fit_moments(rates, pairs, 5000, units=mc.Units("abc"))
    again = from_bytes(to_bytes(model))
    assert again.unit_ids_ == ("a", "b", "c")
    assert again.log_partition().value == model.log_partition().value
    np.testing.assert_array_equal(again.J_, model.J_)


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        (np.full((2, 2), 0.06), "shape"),
        (np.full((3, 3), 0.3), r"pair_rates\[0, 1\]"),
        (np.full((3, 3), -0.1), r"pair_rates\[0, 1\]"),
        (np.triu(np.full((3, 3), 0.06)), "not symmetric"),
    ],
)
def test_pair_rates_that_no_words_have_are_refused(pairs, problem):
    with pytest.raises(BadArgument, match=problem):
        mc.Ising().fit_moments(np.full(3, 0.2), pairs, 100)


def test_rates_that_are_no_shares_and_other_objectives_are_refused():
    pairs = np.full((2, 2), 0.06)
    with pytest.raises(BadArgument, match=r"rates\[1\] is 5"):
        mc.Ising().fit_moments([0.2, 5.0], pairs, 100)
    with pytest.raises(BadArgument, match="pass one per unit"):
        mc.Ising().fit_moments([], np.zeros((0, 0)), 100)
    with pytest.raises(BadArgument, match="objective='likelihood'"):
        mc.Ising(objective="mpf").fit_moments([0.2, 0.2], pairs, 100)
    with pytest.raises(BadInput, match="n_words"):
        mc.Ising().fit_moments([0.2, 0.2], pairs, 0)
