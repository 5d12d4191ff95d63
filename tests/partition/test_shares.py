"""Masses of modes against brute force, and modes that the data do not show."""

from dataclasses import replace

import numpy as np
import pytest

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters
from microcolumn.partition import PartitionSettings, log_partition
from microcolumn.partition._shares import _far
from microcolumn.partition.ais import annealed_importance_sampling

N = 14
#: Shares of modes come from annealing each.
ANNEALED = PartitionSettings(quick_samples=0.0)


@pytest.fixture(scope="module")
def two_modes():
    """A ferromagnet with its silent and its active phase, all its words and their probabilities."""
    J = np.full((N, N), 0.5) - 0.5 * np.eye(N)
    theta = Parameters(b=np.full(N, -0.5 * (N - 1) + 0.05), J=J)
    X = ((np.arange(2**N)[:, None] >> np.arange(N)) & 1).astype(np.uint8)
    logs = log_weight(theta, X)
    p = np.exp(logs - np.logaddexp.reduce(logs))
    return theta, X, p


def _drawn(two_modes, n=500, only=None):
    _, X, p = two_modes
    p = p if only is None else np.where(only(X.sum(axis=1)), p, 0.0)
    return X[np.random.default_rng(0).choice(len(X), size=n, p=p / p.sum())]


@pytest.mark.parametrize("way", ["exact samples", "annealed", "ais"])
def test_a_phase_that_no_word_shows_is_false_and_holds_its_share(way, two_modes):
    theta, X, p = two_modes
    truth = float(p[X.sum(axis=1) > N / 2].sum())
    assert truth > 0.5
    words = _drawn(two_modes, only=lambda k: k < N / 2)
    method = "ais" if way == "ais" else "exact"
    settings = ANNEALED if way == "annealed" else PartitionSettings()
    found = log_partition(theta, method, words=words, random_state=0, settings=settings)
    active, silent = found.modes
    assert (active.seen, silent.seen) == (False, True)
    assert active.n_active > N - 1 > 1 > silent.n_active
    assert abs(found.spurious_mass - truth) < 4 * active.stderr
    assert found.has_spurious_mode
    shown = f"{100 * found.spurious_mass:.0f} % of the model's mass on words never seen"
    assert str(found).endswith(f"; spurious mode: {shown}")


def test_words_of_both_phases_show_both(two_modes):
    found = log_partition(two_modes[0], "exact", words=_drawn(two_modes), random_state=0)
    assert all(mode.seen for mode in found.modes)
    assert found.spurious_mass == 0.0
    assert not found.has_spurious_mode


def test_nothing_is_searched_for_where_exact_samples_lie_near_the_words(two_modes):
    theta, X, p = two_modes
    rng = np.random.default_rng(0)
    state = rng.bit_generator.state
    [mode] = log_partition(theta, "exact", words=_drawn(two_modes), random_state=rng).modes
    assert rng.bit_generator.state == state  # chains would have drawn from it
    mean_active = float(p @ X.sum(axis=1))
    assert (mode.share, mode.stderr, mode.seen) == (1.0, 0.0, True)
    assert mode.n_active == pytest.approx(mean_active, abs=5 * N / np.sqrt(2000))


@pytest.mark.parametrize("n_units", [2, 7, 15])
def test_a_sample_is_far_by_the_bits_in_which_it_differs_from_all_words(n_units):
    rng = np.random.default_rng(n_units)
    words, samples = (rng.integers(0, 2, (20, n_units), dtype=np.uint8) for _ in range(2))
    distances = (samples[:, None] != words).sum(axis=2).min(axis=1)
    np.testing.assert_array_equal(_far(samples, words), distances > min(2, n_units // 6))


def test_a_single_word_of_a_phase_shows_it(two_modes):
    silent = _drawn(two_modes, only=lambda k: k < N / 2)
    words = np.concatenate([silent, np.ones((1, N), dtype=np.uint8)])
    found = log_partition(two_modes[0], "exact", words=words, random_state=0)
    assert found.spurious_mass == 0.0


def test_a_word_on_the_way_between_two_phases_shows_neither(two_modes):
    words = _drawn(two_modes, only=lambda k: k < N / 2)
    between = np.tile(np.arange(N) % 2, (5, 1)).astype(np.uint8)
    found = log_partition(
        two_modes[0], "exact", words=np.concatenate([words, between]), random_state=0
    )
    assert [mode.seen for mode in found.modes] == [False, True]


def test_mass_that_no_mode_accounts_for_is_listed_and_false(two_modes):
    """The search is told to stop at the active mode, and misses the silent one."""
    theta, X, p = two_modes
    words = _drawn(two_modes, only=lambda k: k < N / 2)
    settings = replace(ANNEALED, most_modes=1)
    found = log_partition(theta, "exact", words=words, random_state=0, settings=settings)
    [rest] = [mode for mode in found.modes if np.isnan(mode.n_active)]
    assert not rest.seen
    assert abs(rest.share - p[X.sum(axis=1) < N / 2].sum()) < 4 * rest.stderr + 0.01


def test_a_model_that_mixes_has_one_mode_and_no_spurious_mass():
    rng = np.random.default_rng(1)
    J = np.triu(rng.normal(scale=0.1, size=(8, 8)), 1)
    theta = Parameters(b=np.full(8, -2.0), J=J + J.T)
    words = (rng.random((300, 8)) < 0.1).astype(np.uint8)
    found = log_partition(theta, words=words, random_state=0)
    assert (found.method, found.spurious_mass) == ("exact", 0.0)
    [mode] = found.modes
    assert (mode.share, mode.stderr, mode.seen) == (1.0, 0.0, True)


def test_without_words_nothing_is_said_of_spurious_mass(two_modes):
    theta, _, _ = two_modes
    assert log_partition(theta, "exact").modes is None
    assert log_partition(theta, "exact").spurious_mass is None
    annealed = annealed_importance_sampling(theta, n_chains=128, random_state=0)
    assert annealed.spurious_mass is None
    assert not annealed.has_spurious_mode
    assert annealed.lower_bound <= annealed.value + 4 * annealed.stderr
