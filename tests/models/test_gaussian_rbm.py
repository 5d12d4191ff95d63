"""Models with Gaussian hidden units: Ising models of low rank under other names."""

import numpy as np
import pytest

import microcolumn as mc


def _words(n_units=8, minutes=3.0, seed=0):
    return mc.simulate.microcolumn(n_units=n_units, minutes=minutes, seed=seed).bin(0.02)


def _smooth_words(n_units=6, n_words=4000, seed=1):
    """Words of an Ising model with weak couplings: every pair is seen together."""
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(scale=0.3, size=(n_units, n_units)), 1)
    ising = mc.Ising.from_parameters(mc.Parameters(b=np.full(n_units, -1.0), J=J + J.T))
    return mc.Words.from_array(ising.sample(n_words, random_state=seed))


@pytest.mark.parametrize("objective", ["likelihood", "pseudolikelihood", "mpf"])
def test_with_as_many_hidden_units_as_units_it_is_the_ising_model(objective):
    words = _smooth_words()
    ising = mc.Ising(l1=0.0, objective=objective).fit(words)
    gaussian = mc.models.GaussianRBM(6, l1=0.0, objective=objective).fit(words)
    assert gaussian.objective_ == pytest.approx(ising.objective_, abs=1e-7)
    pairs, _ = gaussian.parameters_.as_pairs()
    np.testing.assert_allclose(pairs.J, ising.J_, atol=1e-2)
    np.testing.assert_allclose(
        gaussian.score_samples(words.X), ising.score_samples(words.X), atol=0.02
    )


def test_scores_and_samples_are_those_of_the_couplings():
    words = _words()
    model = mc.models.GaussianRBM(3, l1=1e-3, objective="likelihood").fit(words)
    assert model.n_live_hidden_ > 0
    assert not model.c_.any()
    assert model.n_parameters_ == 8 + np.count_nonzero(model.W_)
    pairs, log_factor = model.parameters_.as_pairs()
    same = mc.Ising.from_parameters(pairs)
    assert log_factor == 0.0
    np.testing.assert_allclose(model.score_samples(words), same.score_samples(words), atol=1e-9)
    np.testing.assert_allclose(
        model.conditional(words, unit=2), same.conditional(words, unit=2), atol=1e-12
    )
    np.testing.assert_allclose(model.hidden(words.X), words.X @ model.W_, atol=1e-12)
    drawn = model.sample(20_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), words.rates, atol=0.01)


def test_biases_of_hidden_units_go_into_those_of_the_units():
    theta = mc.Parameters(b=[0.0, 0.0], W=[[1.0], [0.5]], c=[0.3], hidden="gaussian")
    model = mc.models.GaussianRBM.from_parameters(theta)
    assert model.c_.tolist() == [0.0]
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    difference = model.energy(X) + 0.5 * ((X @ theta.W + theta.c) ** 2).sum(axis=1)
    np.testing.assert_allclose(difference, difference[0])


def test_a_sampled_fit_agrees_with_the_exact_one(monkeypatch):
    words = _words(10, 5.0)
    exact = mc.models.GaussianRBM(3, l1=1e-3, objective="likelihood").fit(words)
    monkeypatch.setattr("microcolumn.models.penalised.EXACT_FIT", 1.0)
    sampled = mc.models.GaussianRBM(3, l1=1e-3, objective="likelihood").fit(words)
    assert sampled.certificate_.mean_square_z is not None
    assert sampled.certificate_.converged
    assert sampled.objective_ == pytest.approx(exact.objective_, abs=5e-3)


def test_interactions_and_predictions_follow_the_couplings():
    words = _words(4, 3.0).embed(2)
    model = mc.models.GaussianRBM(3, l1=1e-3, objective="likelihood").fit(words)
    pairs, _ = model.parameters_.as_pairs()
    same = mc.Ising.from_parameters(pairs)
    found, expected = (
        mc.evaluate.effective_interactions(model),
        mc.evaluate.effective_interactions(same),
    )
    np.testing.assert_allclose(found.pairs, expected.pairs, atol=1e-12)
    np.testing.assert_allclose(found.singles, expected.singles, atol=1e-12)
    for given in ("past", "rest"):
        np.testing.assert_allclose(
            mc.evaluate.predict(model, words, given=given).probability,
            mc.evaluate.predict(same, words, given=given).probability,
            atol=1e-10,
        )


def test_an_rbm_with_gaussian_hidden_units_is_one():
    model = mc.RBM(4, hidden="gaussian", l1=1e-3)
    assert isinstance(model, mc.models.GaussianRBM)
    assert (model.n_hidden, model.l1) == (4, 1e-3)
