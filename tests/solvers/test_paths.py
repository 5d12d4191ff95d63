"""Starts and paths: nested models nest, seeds repeat, the best start wins."""

from dataclasses import replace

import numpy as np
import pytest
from fitting_problems import problem_of, volleys
from hypothesis import given, settings, strategies as st
from scipy.special import logit

from microcolumn.objectives import (
    MinimumProbabilityFlow,
    NegativeLogLikelihood,
    Objective,
    PseudoLikelihood,
)
from microcolumn.parameters import Parameters
from microcolumn.solvers import fit_path

OBJECTIVES = {
    "mpf": MinimumProbabilityFlow,
    "pseudolikelihood": PseudoLikelihood,
    "likelihood": NegativeLogLikelihood,
}


def _problem(X, objective="mpf", **options):
    return problem_of(X, OBJECTIVES[objective], **options)


@pytest.mark.parametrize("objective", list(OBJECTIVES))
@settings(deadline=None, max_examples=4)
@given(seed=st.integers(0, 10_000), common_cause=st.booleans())
def test_nested_models_nest_at_every_penalty_of_a_path(
    random_parameters, draw, objective, seed, common_cause
):
    random = draw(random_parameters("ising", 5, scale=0.8, seed=seed), 150, seed)
    X = volleys(seed) if common_cause else random
    problem = _problem(X, objective, max_iter=150)
    l1_values = [2e-3, 1e-2]
    values = {
        kind: np.array([fit.objective for fit in fit_path(kind, problem, l1_values)])
        for kind in ("independent", "ising", "rbm", "srbm")
    }
    assert (values["srbm"] <= np.minimum(values["rbm"], values["ising"]) + 1e-6).all()
    assert (np.minimum(values["rbm"], values["ising"]) <= values["independent"] + 1e-6).all()


def test_hidden_units_survive_where_pairs_do_not_suffice():
    # A naive small random start leaves every hidden unit dead (docs/method.md, section 4).
    X = volleys(0, n_units=8, n_words=3000)
    problem = _problem(X)
    [pairwise] = fit_path("ising", problem, [1e-3])
    [both] = fit_path("srbm", problem, [1e-3])
    assert both.parameters.live.any()
    assert both.objective < pairwise.objective - 1e-3


@pytest.mark.parametrize("kind", ["rbm", "srbm"])
def test_random_starts_that_settle_by_a_cheaper_objective_end_in_the_same_optimum(kind):
    X = volleys(2, n_units=8, n_words=3000)
    problem = _problem(X, "likelihood", n_hidden=6)
    [without] = fit_path(kind, problem, [2e-3])
    [found] = fit_path(kind, replace(problem, proxy=PseudoLikelihood(X)), [2e-3])
    assert found.objective == pytest.approx(without.objective, abs=1e-7)
    assert found.n_evaluations < 0.8 * without.n_evaluations


def test_dead_hidden_units_have_zero_biases():
    [found] = fit_path("rbm", _problem(volleys(1), n_hidden=6), [2e-2])
    assert 0 < found.parameters.live.sum() < 6
    assert not found.parameters.c[~found.parameters.live].any()


@pytest.mark.parametrize("kind", ["ising", "rbm", "srbm"])
def test_the_same_seed_gives_the_same_bits(kind):
    problem = _problem(volleys(2), n_init=2)
    first, second = (fit_path(kind, problem, [1e-3, 1e-2]) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert one.objective == other.objective
        for name in ("J", "b", "W", "c"):
            assert np.array_equal(getattr(one.parameters, name), getattr(other.parameters, name))


def test_another_seed_gives_other_random_starts():
    problem = _problem(volleys(2), max_iter=2)
    [one] = fit_path("rbm", problem, [1e-3])
    [other] = fit_path("rbm", replace(problem, seed=np.random.SeedSequence(1)), [1e-3])
    assert not np.array_equal(one.parameters.W, other.parameters.W)


@pytest.mark.parametrize("kind", ["rbm", "srbm"])
@pytest.mark.parametrize("seed", [3, 4])
def test_more_starts_are_never_worse(kind, seed):
    # The first random start is the same, so that the others can only help.
    problem = _problem(volleys(seed), max_iter=500)
    [one] = fit_path(kind, problem, [2e-3])
    [several] = fit_path(kind, replace(problem, n_init=4), [2e-3])
    assert several.objective <= one.objective + 1e-6
    assert several.n_evaluations > one.n_evaluations


def test_a_start_of_the_callers_is_used():
    X = volleys(5)
    problem = _problem(X, max_iter=500)
    fits = [
        next(fit_path("rbm", replace(problem, seed=np.random.SeedSequence(seed)), [2e-3]))
        for seed in range(6)
    ]
    best, worst = min(fits, key=lambda f: f.objective), max(fits, key=lambda f: f.objective)
    assert best.objective < worst.objective - 1e-5, "the data must have several local minima"
    worst_problem = replace(problem, seed=np.random.SeedSequence(fits.index(worst)))
    [helped] = fit_path("rbm", worst_problem, [2e-3], best.parameters)
    assert helped.objective <= best.objective + 1e-9


def test_ising_starts_only_where_it_is_told(random_parameters):
    X = volleys(6)
    start = random_parameters("ising", 5, seed=1)
    [found] = fit_path("ising", _problem(X, max_iter=1), [1e-3], start)
    [other] = fit_path("ising", _problem(X, max_iter=1), [1e-3])
    assert not np.allclose(found.parameters.J, other.parameters.J)


def test_solutions_of_the_nested_models_stand_in_for_their_fits():
    problem, l1_values = _problem(volleys(11), n_init=2), [1e-3, 8e-3]
    ising = fit_path("ising", replace(problem, n_init=1), l1_values)
    nested = [
        [fit.parameters for fit in fits] for fits in (ising, fit_path("rbm", problem, l1_values))
    ]
    evaluated = []

    class Counting(Objective):
        def __call__(self, theta):
            return problem.objective(theta)

        def evaluate(self, x, layout, gradient):
            evaluated.append((layout.coupled, layout.n_hidden))
            return problem.objective.evaluate(x, layout, gradient)

    given = list(fit_path("srbm", replace(problem, objective=Counting()), l1_values, nested=nested))
    assert set(evaluated) == {(True, 3)}
    for one, other in zip(given, fit_path("srbm", problem, l1_values), strict=True):
        assert (one.objective, one.n_evaluations) == (other.objective, other.n_evaluations)
        for name in ("J", "b", "W", "c"):
            assert np.array_equal(getattr(one.parameters, name), getattr(other.parameters, name))
    with pytest.raises(ValueError, match="nested is given for kind 'rbm'; only 'srbm' has"):
        fit_path("rbm", problem, l1_values, nested=nested)


def _thinly_driven(n_units=60, n_words=4000):
    """Words of many units, all of which a drive excites a little, some of the time."""
    rng = np.random.default_rng(0)
    driven = rng.random((n_words, 1)) < 0.2
    return (rng.random((n_words, n_units)) < np.where(driven, 0.2, 0.08)).astype(np.uint8)


def test_a_single_fit_finds_an_assembly_that_is_spread_thinly():
    # Random weights alone die here at this penalty, whatever their seed.
    problem = _problem(_thinly_driven(), n_hidden=2, tol=1e-5, max_iter=300)
    [found] = fit_path("rbm", problem, [2e-3])
    W = found.parameters.W[:, found.parameters.live]
    assert W.shape[1] >= 1
    weights = W[:, np.abs(W).sum(axis=0).argmax()]
    assert (np.sign(weights) == np.sign(weights.sum())).mean() > 0.9
    [empty] = fit_path("independent", problem, [2e-3])
    assert found.objective < empty.objective - 0.05


@pytest.mark.parametrize("seed", [12, 13])
def test_a_fit_of_a_path_is_not_above_the_single_fit_at_its_strength(seed):
    problem = _problem(volleys(seed, n_words=600), n_hidden=4)
    path = fit_path("rbm", problem, [1e-3, 4e-3])
    for l1, fit in zip([1e-3, 4e-3], path, strict=True):
        [single] = fit_path("rbm", problem, [l1])
        assert fit.objective <= single.objective + 1e-6


def _with_parts(X, **options):
    parts = (
        MinimumProbabilityFlow(X[: len(X) * 9 // 10]),
        MinimumProbabilityFlow(X[-len(X) // 10 :]),
    )
    return _problem(X, parts=parts, **options)


@pytest.mark.parametrize("seed", [14, 15])
def test_without_a_penalty_models_nest_on_the_words_kept_apart(seed):
    problem = _with_parts(volleys(seed, n_words=1000))
    [rbm] = fit_path("rbm", problem, [0.0])
    [both] = fit_path("srbm", problem, [0.0])
    [ising] = fit_path("ising", problem, [0.0])
    kept = problem.parts[1]
    assert rbm.validation_objective == pytest.approx(kept(rbm.parameters)[0])
    assert both.validation_objective <= rbm.validation_objective + 1e-12
    assert both.validation_objective <= kept(ising.parameters)[0] + 1e-9
    assert rbm.converged
    assert both.converged
    assert np.isnan(ising.validation_objective)


def test_words_kept_apart_end_a_fit_where_they_no_longer_gain():
    problem = _with_parts(volleys(16, n_words=400), n_hidden=6)
    [stopped] = fit_path("rbm", problem, [0.0])
    on_most = replace(problem, objective=problem.parts[0], parts=None, max_iter=500)
    [longer] = fit_path("rbm", on_most, [0.0])
    assert longer.objective < problem.parts[0](stopped.parameters)[0]
    assert problem.parts[1](longer.parameters)[0] > stopped.validation_objective
    [cut] = fit_path("rbm", replace(problem, max_iter=3), [0.0])
    assert not cut.converged


def test_fixed_units_stay_out_of_every_kind_of_model():
    X = volleys(8, n_units=4)
    X[:, 1], X[:, 2] = 0, 1
    problem = _problem(X)
    for kind in ("independent", "ising", "rbm", "srbm"):
        [found] = fit_path(kind, problem, [1e-3])
        theta = found.parameters
        assert found.converged
        assert np.array_equal(theta.b[1:3], problem.biases[1:3])
        assert theta.J is None or not theta.J[1:3].any()
        assert theta.W is None or not theta.W[1:3].any()


def test_iterations_of_a_start_are_counted_once():
    problem = _problem(volleys(9), max_iter=7, tol=1e-14)
    for kind in ("ising", "rbm", "srbm"):
        [found] = fit_path(kind, problem, [1e-3])
        assert found.n_iter <= 7
        assert not found.converged


def test_the_independent_model_is_its_starting_biases():
    X = volleys(10)
    [found] = fit_path("independent", _problem(X), [0.5])
    assert found.parameters.kind == "independent"
    np.testing.assert_allclose(found.parameters.b, logit(X.mean(axis=0)), atol=1e-7)
    assert isinstance(found.parameters, Parameters)
