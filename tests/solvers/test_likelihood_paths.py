"""Paths of sampled fits against exact fits: agreement, nesting, edges."""

from dataclasses import replace

import numpy as np
import pytest
from few_draws import FEW_DRAWS
from fitting_problems import problem_of
from scipy.special import logit

from microcolumn.layout import NEVER_COACTIVE
from microcolumn.objectives import NegativeLogLikelihood, PseudoLikelihood
from microcolumn.objectives.data_moments import DataMoments
from microcolumn.parameters import Parameters
from microcolumn.partition.exact import exact_log_partition
from microcolumn.solvers import fit_path, walk_likelihood_path
from microcolumn.solvers._likelihood_paths import _Family, _l1_continuation
from microcolumn.words import Words

L1_VALUES = [2e-3, 2e-2]
#: Nats per word that the noise of so few draws may cost a fit of so few parameters.
NOISE = 3e-3


def fitted(kind, problem, words, l1_values, *starts):
    path = walk_likelihood_path(kind, problem, words, l1_values, *starts, settings=FEW_DRAWS)
    return [result for _, result in sorted(path, key=lambda found: found[0])]


def sampled_problem(X, **options):
    """Its objective is the one that models with hidden units start from."""
    return problem_of(X, PseudoLikelihood, **{"max_iter": 500} | options), Words.from_array(X)


def exactly(kind, X, l1_values):
    problem, words = sampled_problem(X)
    return fit_path(kind, replace(problem, objective=NegativeLogLikelihood(words)), l1_values)


def exact_value(found, X, l1):
    """Penalised likelihood of a fit, with the normaliser summed."""
    theta, entries = found.parameters, 0.0
    for part in (theta.J, theta.W):
        entries += 0.0 if part is None else np.abs(part).sum()
    return NegativeLogLikelihood(X)(theta)[0] + l1 * entries


@pytest.fixture(scope="module")
def volleys():
    """Six units with a common cause, best described by hidden units, and two more."""
    rng = np.random.default_rng(0)
    rates = np.where(rng.random((4000, 1)) < 0.15, 0.6, 0.05).repeat(8, axis=1)
    rates[:, 6:] = 0.2
    return (rng.random((4000, 8)) < rates).astype(np.uint8)


@pytest.fixture(scope="module")
def sampled(volleys):
    """Fits of every kind along the path."""
    return {
        kind: fitted(kind, *sampled_problem(volleys), L1_VALUES)
        for kind in ("ising", "rbm", "srbm")
    }


def test_ising_fits_are_the_exact_ones_at_every_penalty(sampled, volleys):
    exact = exactly("ising", volleys, L1_VALUES)
    for found, wanted, l1 in zip(sampled["ising"], exact, L1_VALUES, strict=True):
        excess = exact_value(found, volleys, l1) - wanted.objective
        assert 0.0 <= excess < NOISE
        theta, best = found.parameters, wanted.parameters
        assert np.abs(theta.J - best.J).max() < 0.2
        assert ((theta.J != 0.0) != (best.J != 0.0)).sum() <= 6
    # The strong penalty leaves the six units that belong together.
    together = np.zeros((8, 8), dtype=bool)
    together[:6, :6] = ~np.eye(6, dtype=bool)
    assert np.array_equal(sampled["ising"][1].parameters.J != 0.0, together)


@pytest.mark.parametrize("kind", ["ising", "rbm", "srbm"])
def test_value_log_z_and_certificate_are_told(sampled, volleys, kind):
    for found, l1 in zip(sampled[kind], L1_VALUES, strict=True):
        log_z = exact_log_partition(found.parameters, progress=False).value
        assert found.log_z == pytest.approx(log_z, abs=0.03)
        assert found.objective == pytest.approx(exact_value(found, volleys, l1), abs=0.03)
        assert found.certificate is found.sampled
        assert found.converged == found.sampled.converged
        assert 0 < found.n_iter <= 500


def test_models_nest_within_noise_and_hidden_units_stay_alive(sampled, volleys):
    values = {
        kind: [exact_value(fit, volleys, l1) for fit, l1 in zip(fits, L1_VALUES, strict=True)]
        for kind, fits in sampled.items()
    }
    for k in range(len(L1_VALUES)):
        assert values["srbm"][k] < min(values["ising"][k], values["rbm"][k]) + NOISE
    # One common cause: hidden units describe it better than pairs, and survive.
    assert values["rbm"][0] < values["ising"][0] - NOISE
    assert sampled["rbm"][0].parameters.live.any()


def test_hidden_units_get_their_chance_beside_a_better_ising_model(volleys):
    [ising] = exactly("ising", volleys, [2e-3])
    for max_iter in (1, 500):  # too few for the hidden units to become better, and enough
        problem, words = sampled_problem(volleys, max_iter=max_iter)
        # A hidden unit of the common cause, in a model whose biases the fit has yet to lower.
        W = 2.5 * np.outer(np.arange(8) < 6, [1, 0, 0])
        poor = Parameters(b=problem.biases, W=W, c=np.array([-2.0, 0.0, 0.0]))
        assert NegativeLogLikelihood(words)(poor)[0] > ising.objective
        [found] = fitted("srbm", problem, words, [2e-3], None, ([ising.parameters], [poor]))
        assert exact_value(found, volleys, 2e-3) < ising.objective + NOISE
    assert found.parameters.live.any()


def test_dead_hidden_units_have_no_biases(sampled):
    for fit in (*sampled["rbm"], *sampled["srbm"]):
        theta = fit.parameters
        assert not theta.c[~theta.live].any()


def test_a_start_of_ones_own_is_taken(volleys):
    problem, words = sampled_problem(volleys, max_iter=1)
    start = Parameters(b=problem.biases, J=0.01 * (1.0 - np.eye(8)))
    [found] = fitted("ising", problem, words, [2e-3], start)
    assert found.n_iter == 1
    assert np.count_nonzero(found.parameters.J) > 0


def test_all_rungs_together_take_no_more_steps_than_allowed(volleys):
    problem, words = sampled_problem(volleys, max_iter=7)
    start = Parameters(b=problem.biases, J=np.zeros((8, 8)))
    [found] = fitted("ising", problem, words, [1e-4], start)
    assert found.n_iter == 7
    assert not found.converged


def test_the_same_seed_gives_the_same_bits(volleys):
    def by_seed(seed):
        problem, words = sampled_problem(volleys, max_iter=30, seed=np.random.SeedSequence(seed))
        [found] = fitted("rbm", problem, words, [5e-3])
        return found

    one, again, other = by_seed(1), by_seed(1), by_seed(2)
    assert np.array_equal(one.parameters.W, again.parameters.W)
    assert one.sampled == again.sampled
    assert not np.array_equal(one.parameters.b, other.parameters.b)


@pytest.mark.parametrize("kind", ["ising", "rbm", "srbm"])
def test_a_huge_penalty_leaves_the_independent_model(volleys, kind):
    [found] = fitted(kind, *sampled_problem(volleys), [1e3])
    theta = found.parameters
    assert theta.J is None or not theta.J.any()
    assert theta.W is None or not theta.W.any()
    np.testing.assert_allclose(theta.b, logit(volleys.mean(axis=0)), atol=0.15)


def test_without_a_penalty_pairs_that_never_fire_together_are_left_out():
    rng = np.random.default_rng(0)
    X = (rng.random((3000, 6)) < 0.3).astype(np.uint8)
    X[:, 1] *= 1 - X[:, 0]
    problem, words = sampled_problem(X)
    [found] = fitted("ising", problem, words, [0.0])
    assert found.parameters.J[0, 1] == NEVER_COACTIVE
    log_z = exact_log_partition(found.parameters, progress=False).value
    assert found.log_z == pytest.approx(log_z, abs=0.02)
    [exact] = exactly("ising", X, [0.0])
    assert np.abs(found.parameters.J - exact.parameters.J).max() < 0.2


EDGES = {
    "a silent unit": [[0, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]],
    "an always active unit": [[1, 1, 0], [1, 0, 1], [1, 1, 1], [1, 0, 0]],
    "duplicate units": [[1, 1, 0], [0, 0, 1], [1, 1, 1], [0, 0, 0]],
    "silence alone": [[0, 0, 0]],
    "one sample": [[0, 1, 0]],
    "one unit": [[0], [1], [0]],
    "one silent unit": [[0], [0]],
}


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("kind", ["ising", "rbm", "srbm"])
def test_edges_give_finite_parameters(kind, edge):
    X = np.array(EDGES[edge], dtype=np.uint8)
    problem, words = sampled_problem(X, max_iter=20)
    for l1 in (0.0, 1e-2):
        [found] = fitted(kind, problem, words, [l1])
        theta = found.parameters
        for part in (theta.b, theta.J, theta.W, theta.c):
            assert part is None or np.isfinite(part).all()
        assert np.isfinite([found.objective, found.log_z, found.optimality]).all()
        np.testing.assert_array_equal(theta.b[problem.fixed], problem.biases[problem.fixed])
        assert theta.W is None or not theta.W[problem.fixed].any()


def test_the_log_z_of_a_start_is_annealed_where_it_cannot_be_summed():
    # Five chains of six units each: a sum of all words is the product of five sums.
    rng = np.random.default_rng(0)
    block = np.triu(rng.normal(0.0, 0.5, (6, 6)), 1)
    small = Parameters(b=np.full(6, -2.0), J=block + block.T)
    theta = Parameters(b=np.full(30, -2.0), J=np.kron(np.eye(5), block + block.T))
    X = (rng.random((2000, 30)) < 0.15).astype(np.uint8)
    problem, words = sampled_problem(X)
    family = _Family(problem, words, FEW_DRAWS, DataMoments(words))
    log_z, variance = family._log_z(theta, np.random.default_rng(0))
    exact = 5.0 * exact_log_partition(small, progress=False).value
    assert 0.0 < variance < 1e-3
    assert abs(log_z - exact) < 5.0 * np.sqrt(variance)


def test_a_walk_goes_from_strong_to_weak_penalties_and_makes_fits_when_asked(volleys):
    problem, words = sampled_problem(volleys)
    walk = walk_likelihood_path("ising", problem, words, [2e-3, 0.0, 2e-2], settings=FEW_DRAWS)
    first, found = next(walk)
    assert first == 2
    assert found.log_z_stderr < 0.01
    assert [k for k, _ in walk] == [0, 1]


def test_penalties_of_the_continuation_fall_fourfold_to_the_one_wanted():
    assert _l1_continuation(0.1, 1e-3) == pytest.approx([0.064, 0.016, 0.004])
    assert _l1_continuation(0.1, 0.2) == []
    assert _l1_continuation(0.0, 1e-3) == []
    assert min(_l1_continuation(0.1, 0.0)) > 1e-5
