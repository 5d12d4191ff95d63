"""Annealed importance sampling against exact sums: calibration, missed modes, edges."""

import math
import warnings

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit, gammaln, logsumexp
from sklearn.exceptions import ConvergenceWarning
from threads import on_one_and_all

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters
from microcolumn.partition import PartitionSettings, exact_samples
from microcolumn.partition._branches import Branch
from microcolumn.partition.ais import annealed_importance_sampling, lower_bound
from microcolumn.partition.gibbs import AnnealingPath
from microcolumn.partition.importance_weights import doubt_of, log_mean
from microcolumn.partition.modes import find_modes

KINDS = ("ising", "rbm", "srbm")


def _exact(theta):
    n = theta.n_visible
    words = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    return float(logsumexp(log_weight(theta, words)))


def _random_model(rng, kind, n_units, strength):
    """Sparse units; at strength 3 couplings of +-2 nats and hidden weights of +-3."""
    J = W = c = None
    if kind != "rbm":
        J = np.triu(rng.normal(size=(n_units, n_units)), 1) * strength / math.sqrt(n_units)
        J = J + J.T
    if kind != "ising":
        n_hidden = int(rng.integers(1, n_units + 6))
        W = rng.normal(size=(n_units, n_hidden)) * 3 * strength / math.sqrt(n_units)
        c = rng.normal(size=n_hidden) - 1
    return Parameters(b=rng.normal(size=n_units) * 0.7 - 1.5, J=J, W=W, c=c)


@pytest.mark.integration
@pytest.mark.parametrize("base", ["rates", "uniform"])
def test_errors_over_200_models_are_standard_normal(base):
    rng = np.random.default_rng(3)
    scores, reverse_scores = [], []
    for seed in range(201):
        theta = _random_model(
            rng, KINDS[seed % 3], int(rng.integers(8, 15)), rng.choice([0.3, 1.0, 2.0, 3.0])
        )
        result = annealed_importance_sampling(
            theta,
            base=base,
            n_chains=128,
            n_steps=100,
            max_steps=12_800,
            tolerance_bits=0.15,
            random_state=seed,
        )
        exact = _exact(theta)
        scores.append((result.value - exact) / result.stderr)
        reverse_scores.append((result.reverse - exact) / result.reverse_stderr)
    for z in (scores, reverse_scores):
        assert abs(np.mean(z)) < 0.2
        assert 0.8 < np.std(z, ddof=1) < 1.25


def _log_binomials(n_units):
    k = np.arange(n_units + 1)
    return k, gammaln(n_units + 1) - gammaln(k + 1) - gammaln(n_units - k + 1)


def _planted(log_weight_of_k, n_units, mass, at_least, bracket):
    """Solve for the parameter that puts ``mass`` on words of ``at_least`` active units."""
    k, log_binomials = _log_binomials(n_units)

    def log_weights(parameter):
        return log_binomials + log_weight_of_k(parameter, k)

    def gap(parameter):
        logs = log_weights(parameter)
        return logsumexp(logs[k >= at_least]) - logsumexp(logs) - math.log(mass)

    solution = brentq(gap, *bracket)
    return solution, float(logsumexp(log_weights(solution)))


def _planted_ising(coupling, n_units=20, mass=0.01, at_least=10):
    bias, log_z = _planted(
        lambda b, k: b * k + coupling * k * (k - 1), n_units, mass, at_least, (-20, 0)
    )
    J = np.full((n_units, n_units), coupling)
    np.fill_diagonal(J, 0.0)
    return Parameters(b=np.full(n_units, bias), J=J), log_z


def _planted_rbm(weight, bias=-3.0, n_units=20, mass=0.01):
    hidden_bias, log_z = _planted(
        lambda c, k: bias * k + np.logaddexp(0, c + weight * k),
        n_units,
        mass,
        10,
        (-40 * weight, 0),
    )
    W = np.full((n_units, 1), weight)
    return Parameters(b=np.full(n_units, bias), W=W, c=[hidden_bias]), log_z


PLANTED = {
    "weak Ising": _planted_ising(0.1),
    "Ising": _planted_ising(0.2),
    "strong Ising": _planted_ising(0.3),
    "very strong Ising": _planted_ising(0.5),
    "RBM": _planted_rbm(4.0),
    "strong RBM": _planted_rbm(6.0),
    "very strong RBM": _planted_rbm(10.0, bias=-4.0),
    "21-unit Ising, 0.8 % with 8 or more active": _planted_ising(0.18, 21, 0.008, 8),
    "strong 21-unit Ising, 0.8 % with 8 or more active": _planted_ising(0.27, 21, 0.008, 8),
}


@pytest.mark.integration
@pytest.mark.parametrize("base", ["rates", "uniform"])
@pytest.mark.parametrize("case", PLANTED)
def test_a_planted_mode_is_found_or_flagged(case, base):
    theta, exact = PLANTED[case]
    for seed in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            result = annealed_importance_sampling(
                theta, base=base, max_steps=2000, random_state=seed
            )
        assert not result.converged or abs(result.value - exact) < 4 * result.stderr


#: Chains only, from the heaviest mode alone: a search that missed all others.
BLIND = PartitionSettings(exact_samples=0.0, most_modes=1)


def _run_of_heaviest_mode(theta, words, n_steps=2000):
    """The branch of one mode with reverse chains that start from ``words``."""
    path = AnnealingPath(theta, np.full(theta.n_visible, np.log(0.03)), np.random.default_rng(0))
    [mode] = find_modes(theta, rng=0, most=1)
    branch = Branch(path, mode, 0, mode.rates[None], words, True, 500)
    branch.run_forward(n_steps)
    branch.run_reverse(n_steps)
    return branch


@pytest.mark.parametrize("case", ["strong Ising", "very strong RBM"])
def test_a_mode_of_its_own_gets_a_path_of_its_own(case):
    theta, exact = PLANTED[case]
    result = annealed_importance_sampling(theta, max_steps=8000, random_state=0)
    assert result.converged
    assert abs(result.value - exact) < 4 * result.stderr
    assert abs(result.reverse - exact) < 4 * result.reverse_stderr
    silent, active = result.modes
    assert abs(active.share - 0.01) < 4 * active.stderr
    assert silent.share + active.share == pytest.approx(1.0)
    assert active.n_active > 15 > 5 > silent.n_active
    assert silent.seen is active.seen is result.spurious_mass is None


def test_a_mode_that_no_forward_chain_reaches_is_seen_by_the_reverse_run():
    theta, exact = PLANTED["very strong RBM"]
    branch = _run_of_heaviest_mode(theta, exact_samples(theta, 1000))
    forward, reverse = branch.part, branch.reverse_part
    assert forward.value - exact < -5 * forward.stderr  # the standard error alone is fooled
    assert abs(reverse.value - exact) < 4 * reverse.stderr
    doubt = doubt_of(branch.forward, branch.reverse, True, 0.014, 1.0, forward.stderr)
    assert "that no forward chain reached" in doubt


def test_words_that_hold_more_than_z_are_never_called_converged():
    """As where a search finds a word whose weight no branch accounts for."""
    theta, _ = _planted_rbm(10.0, bias=-4.0, mass=0.45)
    known = np.concatenate([np.zeros((5000, 20)), np.ones((1, 20))]).astype(np.uint8)
    with pytest.warns(ConvergenceWarning, match=r"known words alone sum to .* is 1{20}"):
        result = annealed_importance_sampling(
            theta,
            rates=np.full(20, 0.02),
            words=known,
            max_steps=2000,
            random_state=3,
            settings=BLIND,
        )
    assert not result.converged
    assert result.lower_bound > result.value + 0.5


def test_an_independent_model_is_exact_from_its_own_rates():
    theta = Parameters(b=[-2.0, 0.5, 3.0])
    result = annealed_importance_sampling(theta, rates=expit(theta.b), n_steps=2, n_chains=10)
    assert result.value == pytest.approx(np.logaddexp(0, theta.b).sum(), abs=1e-12)
    assert result.stderr < 1e-14
    assert result.converged
    assert result.effective_sample_size == pytest.approx(10)


def test_rates_far_from_the_mass_of_the_model_are_no_base():
    """As those of the data are for a fit whose mass lies on words never seen."""
    k, log_binomials = _log_binomials(40)
    exact = logsumexp(log_binomials - k + 0.1 * k * (k - 1))
    theta = Parameters(b=np.full(40, -1.0), J=0.1 * (1 - np.eye(40)))
    result = annealed_importance_sampling(
        theta, rates=np.full(40, 0.01), n_chains=100, max_steps=4000, random_state=0
    )
    assert result.converged
    assert abs(result.value - exact) < 4 * result.stderr
    by_data = AnnealingPath(theta, np.full(40, np.log(0.01 / 0.99)), np.random.default_rng(0))
    assert result.stderr < 0.1 * log_mean(by_data.anneal(100, result.n_steps).log_weights)[1]


@pytest.mark.parametrize("base", ["rates", "uniform"])
@pytest.mark.parametrize(
    "theta",
    [
        Parameters(b=[-1.3]),
        Parameters(b=[30.0, -30.0, 0.0]),
        Parameters(b=[-1.0, -1.0], W=[[0.0], [0.0]], c=[2.0]),
        Parameters(b=[0.5], W=[[2.0, 0.0, -3.0]], c=[1.0, -4.0, 0.2]),
        Parameters(b=[0.0, 0.0], J=[[0.0, 0.0], [0.0, 0.0]]),
    ],
    ids=["one unit", "huge biases", "dead hidden units", "some dead", "zero couplings"],
)
def test_edges_agree_with_enumeration(theta, base):
    result = annealed_importance_sampling(theta, base=base, random_state=0)
    assert result.converged
    assert abs(result.value - _exact(theta)) < 4 * result.stderr + 1e-9


def test_saturated_hidden_units_give_the_right_number_or_a_warning():
    rng = np.random.default_rng(4)
    theta = Parameters(
        b=rng.normal(size=8), W=rng.choice([-20.0, 20.0], size=(8, 300)), c=rng.normal(size=300)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = annealed_importance_sampling(theta, n_chains=64, max_steps=2000, random_state=0)
    exact = _exact(theta)
    assert np.isfinite(result.value)
    assert not result.converged or abs(result.value - exact) < 4 * result.stderr


@pytest.mark.parametrize("with_words", [False, True])
def test_models_too_large_for_exact_samples_are_reversed_from_gibbs_chains(with_words):
    rng = np.random.default_rng(5)
    theta = _random_model(rng, "srbm", 9, 1.0)
    words = rng.integers(0, 2, (50, 9)) if with_words else None
    sampled = PartitionSettings(exact_samples=0.0)
    result = annealed_importance_sampling(theta, words=words, random_state=1, settings=sampled)
    exact = _exact(theta)
    assert result.converged
    assert abs(result.value - exact) < 4 * result.stderr
    assert abs(result.reverse - exact) < 4 * result.reverse_stderr


def test_steps_double_until_the_tolerance_is_met_and_every_run_is_reported():
    theta = _random_model(np.random.default_rng(6), "srbm", 12, 3.0)
    result = annealed_importance_sampling(
        theta, base="uniform", n_steps=10, tolerance_bits=0.05, random_state=0
    )
    steps = [run[0] for run in result.trace]
    assert steps == [10 * 2**i for i in range(len(steps))]
    assert len(steps) > 3
    assert result.n_steps == steps[-1]
    assert result.trace[-1][1:] == (result.value, result.stderr)
    moved = abs(result.trace[-1][1] - result.trace[-2][1])
    assert max(moved, result.stderr, abs(result.value - result.reverse)) < 0.05 * math.log(2)
    assert result.method == "ais"
    assert result.n_operations > 0
    assert result.seconds > 0
    assert 1 < result.effective_sample_size <= 500


def test_too_few_steps_are_a_warning_with_the_figures():
    theta = _random_model(np.random.default_rng(6), "srbm", 12, 3.0)
    with pytest.warns(ConvergenceWarning, match=r"after 20 steps of 500 chains.*raise max_steps"):
        result = annealed_importance_sampling(
            theta, base="uniform", n_steps=10, max_steps=20, random_state=0
        )
    assert not result.converged
    assert [run[0] for run in result.trace] == [10, 20]


def test_results_depend_on_the_seed_and_not_on_the_number_of_threads():
    theta = _random_model(np.random.default_rng(7), "rbm", 10, 1.0)

    def annealed(seed=0):
        found = annealed_importance_sampling(theta, random_state=seed)
        return found.value, found.stderr, found.reverse

    one, many = on_one_and_all(annealed)
    assert one == many
    assert one != annealed(seed=1)


def test_rates_come_from_the_words_where_they_are_not_given():
    theta = _random_model(np.random.default_rng(8), "ising", 6, 0.5)
    words = np.random.default_rng(9).integers(0, 2, (40, 6))
    by_words = annealed_importance_sampling(theta, words=words, random_state=0)
    by_rates = annealed_importance_sampling(theta, rates=words.mean(axis=0), random_state=0)
    assert by_words.value == by_rates.value


@pytest.mark.parametrize("kind", ["independent", "ising", "rbm", "srbm"])
def test_the_lower_bound_is_the_sum_over_distinct_words_and_one_and_two_flips_of_the_peaks(
    kind, random_model, enumerate_words
):
    theta = random_model(kind, 7)
    X, log_z, _ = enumerate_words(theta)
    words, peaks = X[[3, 3, 90, 127]], X[[0, 1]]
    near = [(peak != X).sum(axis=1) <= 2 for peak in peaks]
    covered = near[0] | near[1] | np.isin(np.arange(128), [3, 90, 127])
    bound, n_words, heaviest = lower_bound(theta, [words, words[:1]], peaks)
    assert bound == pytest.approx(logsumexp(log_weight(theta, X[covered])), abs=1e-12)
    assert n_words == covered.sum()
    assert bound < log_z
    assert log_weight(theta, heaviest[None])[0] == log_weight(theta, X[covered]).max()


def test_to_the_lower_bound_of_many_units_only_single_flips_are_added(random_model):
    theta = random_model("independent", 250)
    peak = np.zeros((1, 250), dtype=np.uint8)
    assert lower_bound(theta, [peak], peak)[1] == 251
