"""Couplings against distance and labels agree with regressions and permutations done by hand."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import linregress

from microcolumn import Parameters
from microcolumn.errors import BadArgument, BadInput
from microcolumn.evaluate import coupling_factors, layer_statistics
from microcolumn.units import Units


def _theta(J):
    return Parameters(b=np.zeros(len(J)), J=J)


def _random_couplings(n, rng):
    J = np.triu(rng.normal(size=(n, n)), 1)
    return J + J.T


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture
def units():
    depths = [0.0, 100.0, 250.0, 300.0, 420.0, 600.0]
    return Units("abcdef", depths, labels={"cell_type": "eeiiei"}, group_by="cell_type")


def _pairs(matrix):
    return matrix[np.triu_indices(len(matrix), 1)]


def test_the_effect_of_distance_is_the_slope_of_a_line(units, rng):
    J = _random_couplings(6, rng)
    row = coupling_factors(_theta(J), units, n_permutations=9).factors[0]
    far = np.abs(np.subtract.outer(units.depth_um, units.depth_um))
    line = linregress(_pairs(far) / 100.0, np.abs(_pairs(J)))
    assert row.factor == "distance"
    assert row.effect == pytest.approx(line.slope)


def test_the_effect_of_a_label_is_the_difference_of_means(units, rng):
    theta = _theta(_random_couplings(6, rng))
    row = coupling_factors(theta, units, n_permutations=9).factors[1]
    means = layer_statistics(theta, units).couplings
    assert row.effect == pytest.approx(means.difference)


def test_partial_effects_are_those_of_a_regression_on_all(units, rng):
    J = _random_couplings(6, rng)
    tested = coupling_factors(_theta(J), units, n_permutations=9)
    far = np.abs(np.subtract.outer(units.depth_um, units.depth_um))
    same = np.equal.outer(list("eeiiei"), list("eeiiei"))
    X = np.column_stack([np.ones(15), _pairs(far) / 100.0, _pairs(same)])
    expected = np.linalg.lstsq(X, np.abs(_pairs(J)), rcond=None)[0]
    assert [row.partial_effect for row in tested.factors] == pytest.approx(expected[1:])


def test_p_values_are_those_of_all_permutations(units, rng):
    """Of a factor alone: 720 orders of six units, listed."""
    J = _random_couplings(6, rng)
    same = np.equal.outer(list("eeiiei"), list("eeiiei")).astype(float)
    strength = np.abs(_pairs(J))

    def size(order):
        x = _pairs(same[np.ix_(order, order)])
        return abs(np.corrcoef(x, strength)[0, 1])

    exact = np.mean([size(each) >= size(range(6)) - 1e-9 for each in permutations(range(6))])
    row = coupling_factors(_theta(J), units, n_permutations=20_000).factors[1]
    assert row.p_value == pytest.approx(exact, abs=4.0 * np.sqrt(exact * (1 - exact) / 20_000))


def test_p_values_are_uniform_where_couplings_follow_nothing(rng):
    """Beside a distance that couplings do follow, and that goes with the label."""
    depths = np.sort(rng.uniform(0.0, 1000.0, 12))
    units = Units("abcdefghijkl", depths, layer=["II/III"] * 6 + ["V"] * 6)
    far = np.abs(np.subtract.outer(depths, depths))
    alone, beside = [], []
    for _ in range(200):
        J = 2.0 - far / 1000.0 + 0.2 * _random_couplings(12, rng)
        np.fill_diagonal(J, 0.0)
        tested = coupling_factors(_theta(J), units, n_permutations=99, random_state=rng)
        alone.append(tested.factors[1].p_value)
        beside.append(tested.factors[1].partial_p_value)
    assert np.mean(np.array(alone) <= 0.05) > 0.9  # alone, the layer stands for the distance
    assert 0.02 <= np.mean(np.array(beside) <= 0.05) <= 0.095
    assert 0.4 < np.mean(beside) < 0.6


def test_places_on_two_axes_are_apart_by_their_euclidean_distance(rng):
    units, places = Units("abcde"), rng.normal(size=(5, 2))
    theta = _theta(_random_couplings(5, rng))
    tested = coupling_factors(theta, units, positions_um=places, n_permutations=9)
    first, second = tested.pairs.T
    apart = np.sqrt(((places[first] - places[second]) ** 2).sum(axis=1))
    assert tested.distance_um == pytest.approx(apart)
    assert [row.factor for row in tested.factors] == ["distance"]


def test_lags_of_windows_are_averaged(units, rng):
    J = _random_couplings(12, rng)
    tested = coupling_factors(_theta(J), units, n_permutations=9)
    by_lag = np.abs(J).reshape(2, 6, 2, 6).mean(axis=(0, 2))
    assert tested.strength == pytest.approx(_pairs(by_lag))


def test_units_of_which_something_is_unknown_are_left_out_with_a_note(units):
    depths = [np.nan, *units.depth_um[1:]]
    some = Units("abcdef", depths, labels=units.labels, group_by="cell_type")
    theta = _theta(_random_couplings(6, np.random.default_rng(8)))
    tested = coupling_factors(theta, some, n_permutations=9)
    assert tested.n_units == 5
    assert 0 not in tested.pairs
    assert "1 of 6 units" in str(tested)


def test_depths_on_several_probes_are_no_distances(units):
    probes = Units(
        "abcdef", units.depth_um, probe="xxxyyy", labels=units.labels, group_by="cell_type"
    )
    theta = _theta(_random_couplings(6, np.random.default_rng(9)))
    tested = coupling_factors(theta, probes, n_permutations=9)
    assert [row.factor for row in tested.factors] == ["cell_type"]
    assert "several probes" in str(tested)


def test_the_text_names_labels_by_their_own_name(units):
    theta = _theta(_random_couplings(6, np.random.default_rng(10)))
    assert "same cell type" in str(coupling_factors(theta, units, n_permutations=9))


def test_the_same_seed_gives_the_same_p_values(units):
    theta = _theta(_random_couplings(6, np.random.default_rng(11)))
    first, second = (coupling_factors(theta, units, n_permutations=99) for _ in range(2))
    assert first.factors == second.factors


def test_what_cannot_be_tested_is_refused(units):
    theta = _theta(_random_couplings(6, np.random.default_rng(12)))
    with pytest.raises(BadInput, match="no couplings"):
        coupling_factors(Parameters(b=np.zeros(6)), units)
    with pytest.raises(BadInput, match="does not know its units"):
        coupling_factors(theta)
    with pytest.raises(BadInput, match="neither distances nor labels"):
        coupling_factors(theta, Units("abcdef"))
    with pytest.raises(BadInput, match="5 are needed"):
        coupling_factors(
            theta, Units("abcdef", labels={"type": ["e", "i", "", "", "", ""]}), group_by="type"
        )
    with pytest.raises(BadArgument) as caught:
        coupling_factors(theta, units, group_by="colour")
    assert caught.value.argument == "group_by"
    with pytest.raises(BadArgument) as caught:
        coupling_factors(theta, units, positions_um=[0.0, 1.0])
    assert caught.value.argument == "positions_um"
