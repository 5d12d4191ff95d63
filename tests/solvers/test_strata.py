"""Strata of the number of active units against sums over all words."""

from dataclasses import replace

import numpy as np
import pytest
from few_draws import FEW_DRAWS
from scipy.special import logsumexp

from microcolumn.energy import log_weight
from microcolumn.layout import Layout
from microcolumn.objectives import NegativeLogLikelihood
from microcolumn.objectives.data_moments import DataMoments
from microcolumn.parameters import Parameters
from microcolumn.penalties import L1
from microcolumn.solvers import minimise
from microcolumn.solvers._certificate import MOST_MEAN_SQUARE, sampled_certificate
from microcolumn.solvers._stochastic import Effort, SampledProblem
from microcolumn.solvers._strata import first_strata, shares_of
from microcolumn.solvers._stratified_search import first_stratified_state, search_strata
from microcolumn.words import Words

N_UNITS = 16
SETTINGS = replace(FEW_DRAWS, spread_units=2, stratum_units=2, most_rounds=100)
STRENGTH = 2e-3


def ferromagnet(strength=2.0, share=-1.5, seed=0):
    """Few units or nearly all are active, with next to nothing in between.

    ``share`` is the log mass of the word with all units active, over that of the silent word.
    """
    rng, n_pairs = np.random.default_rng(seed), N_UNITS * (N_UNITS - 1) // 2
    J = np.triu(strength * N_UNITS / n_pairs + 0.03 * rng.normal(size=(N_UNITS,) * 2), 1)
    b = np.full(N_UNITS, (share - 2.0 * J.sum()) / N_UNITS)
    return Parameters(b=b, J=J + J.T)


def exact_log_masses(theta, strata, every):
    log_p, n_active = log_weight(theta, every), every.sum(axis=1)
    return np.array(
        [
            logsumexp(log_p[(n_active >= each.lowest) & (n_active <= each.highest)])
            for each in strata
        ]
    )


def test_strata_cover_all_numbers_once(quiet):
    strata = first_strata(np.random.default_rng(0), ferromagnet(), quiet, SETTINGS)
    numbers = [k for each in strata for k in range(each.lowest, each.highest + 1)]
    assert numbers == list(range(N_UNITS + 1))
    assert strata[0].highest >= quiet.X.sum(axis=1).max()
    assert len(strata) > 3


@pytest.mark.parametrize("seed", range(3))
def test_annealed_masses_are_exact_within_their_errors(quiet, every, seed):
    theta = ferromagnet(seed=seed)
    strata = first_strata(np.random.default_rng(seed), theta, quiet, SETTINGS)
    exact = exact_log_masses(theta, strata, every)
    shares = np.exp(exact - logsumexp(exact))
    assert shares[-1] > 0.05
    assert shares[2:-2].max() < 0.01
    # What lies in a stratum is also counted, with as many witnesses as there are.
    for each, mass in zip(strata, exact, strict=True):
        counted = (1.0 / each.inside - 1.0) / len(each.witnesses)
        assert abs(each.log_mass - mass) < 4.0 * np.sqrt(each.variance + counted)
        assert each.variance < 0.1


def test_masses_follow_the_model_without_annealing(quiet, every):
    rng, settings = np.random.default_rng(0), replace(SETTINGS, stratum_sweeps=4)
    start, end = ferromagnet(seed=1), ferromagnet(strength=2.2, share=1.0, seed=2)
    strata, before = first_strata(rng, start, quiet, settings), start
    first = exact_log_masses(start, strata, every)
    for t in np.linspace(0.0, 1.0, 21)[1:]:
        theta = Parameters(b=(1 - t) * start.b + t * end.b, J=(1 - t) * start.J + t * end.J)
        strata = tuple(each.moved(rng, before, theta, 512, settings) for each in strata)
        before = theta
    exact = exact_log_masses(end, strata, every)
    assert np.abs(exact - first).max() > 2.0
    for each, mass in zip(strata, exact, strict=True):
        assert abs(each.log_mass - mass) < 4.0 * np.sqrt(each.variance + 0.01)


def test_a_frequent_word_says_what_its_stratum_holds(quiet, every):
    theta = ferromagnet()
    first, *_ = first_strata(np.random.default_rng(0), theta, quiet, SETTINGS)
    unknown = replace(first, log_z=0.0, variance=np.inf)
    silent = np.zeros(N_UNITS, dtype=np.uint8)
    found = unknown.with_frequent_word(theta, silent)
    [exact] = exact_log_masses(theta, [first], every)
    assert abs(found.log_mass - exact) < 4.0 * np.sqrt(found.variance)
    busy = np.ones(N_UNITS, dtype=np.uint8)
    assert found.with_frequent_word(theta, busy) is found


@pytest.fixture(scope="module")
def bursts():
    """One word in twenty is a burst of at most half of the units."""
    rng = np.random.default_rng(0)
    rates = np.where(rng.random(6000) < 0.05, 0.4, 0.02)
    words = (rng.random((6000, N_UNITS)) < rates[:, None]).astype(np.uint8)
    return Words.from_array(words[words.sum(axis=1) <= N_UNITS // 2])


def problem_of(words, l1):
    layout = Layout.of(ferromagnet())
    return SampledProblem(DataMoments(words), L1(l1), l1, layout, settings=SETTINGS)


@pytest.fixture(scope="module")
def best(bursts):
    """The exact fit, whose p(K) falls and rises again: a phase that the data do not show."""
    return minimise(NegativeLogLikelihood(bursts), ferromagnet(), L1(STRENGTH), tol=1e-8)


UNCOUPLED = Parameters(b=np.full(N_UNITS, -3.0), J=np.zeros((N_UNITS, N_UNITS)))


@pytest.mark.parametrize("start", [UNCOUPLED, ferromagnet(share=-1.5)])
def test_a_search_ends_at_the_optimum_with_a_phase_that_no_data_show(bursts, best, every, start):
    problem, rng = problem_of(bursts, STRENGTH), np.random.default_rng(0)
    state = first_stratified_state(rng, problem, problem.layout.pack(start))
    state = search_strata(rng, state, problem, 1000)
    penalised = L1(STRENGTH).value(state.x, problem.layout)
    value = NegativeLogLikelihood(bursts)(state.theta)[0] + penalised
    noise = problem.noise(state.x, SETTINGS.judging_chains * SETTINGS.judging_words)
    assert 0.0 <= value - best.objective < noise
    exact = exact_log_masses(best.parameters, state.strata, every)
    shares = np.exp(exact - logsumexp(exact))
    by_number = np.bincount(every.sum(axis=1), np.exp(log_weight(best.parameters, every)))
    assert by_number[15] > 1.5 * by_number[10]
    np.testing.assert_allclose(shares_of(state.strata)[1:], shares[1:], atol=STRENGTH)
    assert state.log_z == pytest.approx(logsumexp(log_weight(state.theta, every)), abs=0.05)


def test_the_certificate_sees_a_phase_that_chains_do_not_reach(bursts, best, every):
    problem, fit = problem_of(bursts, STRENGTH), best.parameters
    # Couplings that all grow a little give a tenth of the mass to the word with all units active.
    log_z, all_active = logsumexp(log_weight(fit, every)), np.ones((1, N_UNITS), dtype=np.uint8)
    missing = log_z - log_weight(fit, all_active)[0] - 2.3
    more = np.full((N_UNITS, N_UNITS), missing / (N_UNITS * (N_UNITS - 1)))
    np.fill_diagonal(more, 0.0)
    judged = []
    for theta in (fit, Parameters(b=fit.b, J=fit.J + more)):
        rng = np.random.default_rng(1)
        strata = first_strata(rng, theta, bursts, SETTINGS)
        judged.append(sampled_certificate(rng, theta, problem, Effort(), strata=strata))
    assert judged[0].converged
    assert judged[0].chains_agree < MOST_MEAN_SQUARE
    assert not judged[1].converged
    assert judged[1].mean_square_z > 3.0 * MOST_MEAN_SQUARE
