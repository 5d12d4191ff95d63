"""A search for modes against models whose modes are known."""

import numpy as np
import pytest
from threads import on_one_and_all

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters
from microcolumn.partition.modes import assign_modes, find_modes, starting_words


def _blocks(n_blocks, size, coupling, bias):
    """Blocks of units that are active together or not at all; nothing between the blocks."""
    J = np.kron(np.eye(n_blocks), np.full((size, size), coupling))
    np.fill_diagonal(J, 0.0)
    return Parameters(b=np.full(n_blocks * size, bias), J=J)


def _planted_pattern(pattern, weight=30.0, slack=2.0, bias=-3.0):
    """One hidden unit that favours words within ``slack`` flips of a pattern."""
    signs = weight * (2.0 * pattern - 1.0)
    c = -weight * (pattern.sum() - slack)
    return Parameters(b=np.full(pattern.size, bias), W=signs[:, None], c=[c])


def test_both_phases_of_a_strong_ferromagnet_are_found():
    theta = _blocks(1, 20, 0.4, -0.4 * 19)
    modes = find_modes(theta, rng=0)
    assert sorted(int(mode.peak.sum()) for mode in modes) == [0, 20]
    assert sorted(round(mode.rates.mean()) for mode in modes) == [0, 1]


def test_a_broad_phase_is_one_mode_whatever_its_most_probable_word_is():
    # At 3 / n_units the active phase has about 5 of 60 units silent: many words, none heavy.
    theta = _blocks(1, 60, 3.0 / 60, -3.0 / 60 * 59)
    modes = find_modes(theta, rng=0)
    assert len(modes) == 2
    assert sorted(round(mode.rates.mean(), 1) for mode in modes) == [0.1, 0.9]


def test_a_phase_is_found_beside_places_that_chains_leave_for_both_phases():
    # Couplings of uneven strength: from words between the phases some chains fall into each.
    rng = np.random.default_rng(4)
    strength = rng.lognormal(0.0, 0.45, 60)
    J = np.triu(np.outer(strength, strength) * (rng.random((60, 60)) < 0.25), 1)
    J = (J + J.T) * 2.5 / (J + J.T).sum(axis=1).mean()
    theta = Parameters(b=-J.sum(axis=1) * 0.95 - 0.2, J=J)
    between = (rng.random((96, 60)) < rng.choice([0.2, 0.35, 0.5, 0.7], (96, 1))).astype(np.uint8)
    modes = find_modes(theta, between, rng=0)
    assert sorted(round(mode.rates.mean(), 1) for mode in modes) == [0.2, 0.8]


def test_every_combination_of_three_collective_blocks_is_a_mode():
    modes = find_modes(_blocks(3, 8, 1.0, -7.0), rng=0)
    states = {tuple(mode.peak[::8]) for mode in modes}
    assert len(modes) == len(states) == 8


def test_a_pattern_planted_by_a_hidden_unit_is_found_without_data():
    rng = np.random.default_rng(2)
    pattern = (rng.random(50) < 0.4).astype(np.uint8)
    theta = _planted_pattern(pattern)
    modes = find_modes(theta, rng=0)
    assert any(np.array_equal(mode.peak, pattern) for mode in modes)
    reversed_ = Parameters(b=theta.b + theta.W[:, 0], W=-theta.W, c=-theta.c)
    modes = find_modes(reversed_, rng=0)
    assert any(np.array_equal(mode.peak, pattern) for mode in modes)


@pytest.mark.parametrize(
    "theta",
    [
        Parameters(b=[-1.0]),
        Parameters(b=[-3.0] * 30),
        Parameters(b=[2.0, -2.0], J=[[0.0, 0.3], [0.3, 0.0]]),
        Parameters(b=[-1.0, -1.0], W=[[0.0], [0.0]], c=[2.0]),
        Parameters(b=[500.0, -500.0], W=[[900.0], [1.0]], c=[-3.0]),
    ],
    ids=["one unit", "independent", "weak pair", "dead hidden unit", "huge weights"],
)
def test_a_model_that_mixes_has_one_mode(theta):
    (mode,) = find_modes(theta, rng=0)
    assert mode.rates.shape == mode.peak.shape == (theta.n_visible,)
    assert ((mode.rates > 0.0) & (mode.rates < 1.0)).all()
    assert mode.words.shape[1] == theta.n_visible
    n = min(theta.n_visible, 4)
    flips = np.eye(theta.n_visible, dtype=np.uint8)[:n] ^ mode.peak
    assert (log_weight(theta, flips) <= log_weight(theta, mode.peak[None])).all()


def test_the_search_depends_on_the_seed_and_not_on_the_number_of_threads():
    theta = _blocks(2, 10, 0.8, -7.0)
    one, many = on_one_and_all(lambda: find_modes(theta, rng=0))
    assert all(np.array_equal(a.rates, b.rates) for a, b in zip(one, many, strict=True))
    assert not np.array_equal(one[0].words, find_modes(theta, rng=1)[0].words)


def test_only_as_many_modes_as_asked_for_are_returned_those_with_the_most_mass():
    theta = _blocks(3, 8, 1.0, -6.5)  # the all-active phase of each block is the heavier one
    (mode,) = find_modes(theta, rng=0, most=1)
    assert mode.peak.all()


def test_starts_are_distinct_and_include_all_units_active_and_the_busiest_data():
    rng = np.random.default_rng(4)
    data = (rng.random((5000, 12)) < 0.1).astype(np.uint8)
    starts = starting_words(_blocks(2, 6, 0.5, -2.0), data, rng)
    assert len(np.unique(starts, axis=0)) == len(starts)
    busiest = data[np.argmax(data.sum(axis=1))]
    for word in (np.ones(12), np.zeros(12), np.repeat([1, 0], 6), busiest):
        assert (starts == word).all(axis=1).any()


def test_time_averages_belong_to_the_mode_that_makes_them_most_likely():
    rates = np.array([[0.1, 0.1, 0.1], [0.9, 0.9, 0.1]])
    averages = np.array([[0.0, 0.2, 0.0], [1.0, 0.7, 0.5]])
    assert assign_modes(averages, rates).tolist() == [0, 1]
