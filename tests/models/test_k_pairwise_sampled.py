"""K-pairwise beyond exact sums: agreement with exact fits, certificates, determinism."""

from dataclasses import replace

import numpy as np
import pytest
from few_draws import FEW_DRAWS
from threads import on_one_and_all

import microcolumn as mc
from microcolumn.layout import Layout
from microcolumn.objectives.data_moments import DataMoments
from microcolumn.parameters import Parameters
from microcolumn.partition import exact_expectations
from microcolumn.penalties import L1, Smoothness
from microcolumn.solvers._certificate import sampled_certificate
from microcolumn.solvers._stochastic import Effort, SampledProblem


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(mc.models.KPairwise, "_sampler", FEW_DRAWS)


@pytest.fixture(scope="module")
def words():
    """Eight units whose common volleys an Ising model gets wrong."""
    rng = np.random.default_rng(0)
    J = np.triu(rng.normal(0.1, 0.2, (8, 8)), 1)
    v = [0.0, 0.0, 0.5, 1.2, 1.6, 1.2, 0.4, -1.0, -3.0]
    theta = Parameters(b=rng.normal(-2.2, 0.4, 8), J=J + J.T, v=v)
    return mc.models.KPairwise.from_parameters(theta).sample(20_000, random_state=0)


def test_a_sampled_fit_is_the_exact_one_and_is_certified(words, out_of_reach, monkeypatch):
    found = mc.models.KPairwise(l1=2e-3).fit(words)
    monkeypatch.undo()
    exact = mc.models.KPairwise(l1=2e-3).fit(words)
    assert found.certificate_.mean_square_z is not None
    assert found.certificate_.converged
    # Biases, pairs that are not zero, and every number of active units from two on are judged.
    assert found.certificate_.n_moments >= 8 + 7
    assert exact.score(words) - found.score(words) < 1e-3
    assert found.objective_ == pytest.approx(exact.objective_, abs=0.01)
    _, expected = exact_expectations(found.parameters_)
    shares = np.bincount(words.sum(axis=1), minlength=9) / len(words)
    np.testing.assert_allclose(expected.v, shares, atol=0.01)


def test_a_wrong_potential_is_not_certified(words):
    """Chains of a model without the potential show other numbers of active units."""
    data = mc.Words.from_array(words)
    exact = mc.models.KPairwise(l1=2e-3).fit(words)
    penalty = L1(2e-3) + Smoothness(1.0 / len(words))
    layout, rng = Layout.of(exact.parameters_), np.random.default_rng(0)
    problem = SampledProblem(DataMoments(data), penalty, 2e-3, layout, settings=FEW_DRAWS)
    wrong = Parameters(b=exact.b_, J=exact.J_, v=0.5 * exact.v_)
    judged = [
        sampled_certificate(rng, theta, problem, Effort()) for theta in (exact.parameters_, wrong)
    ]
    assert judged[0].converged
    assert not judged[1].converged


@pytest.mark.filterwarnings("ignore:.*is not converged")
def test_same_seed_same_bits_for_any_number_of_threads(words, out_of_reach, monkeypatch):
    monkeypatch.setattr(mc.models.KPairwise, "_sampler", replace(FEW_DRAWS, most_rounds=1))
    fits = on_one_and_all(lambda: mc.models.KPairwise(l1=1e-2, random_state=3).fit(words[:5000]))
    assert np.array_equal(fits[0].v_, fits[1].v_)
    assert np.array_equal(fits[0].J_, fits[1].J_)


@pytest.mark.parametrize(
    "X",
    [
        [[0], [1], [0], [0]],
        [[0, 0, 0]],
        [[1, 1, 0], [0, 0, 0], [1, 1, 1]],
        [[0, 1, 1], [0, 0, 1], [0, 1, 1]],
    ],
    ids=["one unit", "silence", "duplicates", "silent and always on"],
)
def test_edges_give_finite_models_that_are_certified(X, out_of_reach):
    model = mc.models.KPairwise(l1=1e-2).fit(X)
    assert np.isfinite(model.score_samples(X)).all()
    assert model.certificate_.converged


def test_counts_that_no_word_shows_continue_in_a_parabola(out_of_reach):
    """No chain ever goes there, so that the prior alone speaks: one nat of bend at each count."""
    rng = np.random.default_rng(2)
    X = (rng.random((5000, 12)) < 0.05).astype(np.uint8)
    model = mc.models.KPairwise(l1=1e-2).fit(X)
    bends = np.diff(model.v_, n=2)
    np.testing.assert_allclose(bends[9:], -1.0, atol=1e-2)
