"""Log Z under many drives: all words by brute force, and importance sampling with its error."""

from itertools import product

import numpy as np
import pytest
from flips import KINDS, random_model

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters
from microcolumn.partition import log_partition
from microcolumn.partition._driven import driven_log_partition


def brute_force(theta, table):
    words = np.array(list(product([0, 1], repeat=theta.n_visible)), dtype=np.uint8)
    return np.logaddexp.reduce(log_weight(theta, words) + table @ words.T, axis=1)


@pytest.mark.parametrize("scale", [0.5, 8.0])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_units", [1, 2, 7])
def test_exact_sums_are_those_over_all_words(kind, scale, n_units):
    rng = np.random.default_rng(0)
    theta = random_model(rng, kind, n_units, 3, scale)
    table = rng.normal(size=(20, n_units)) * scale
    found = driven_log_partition(theta, table)
    np.testing.assert_allclose(found.values, brute_force(theta, table), rtol=1e-12, atol=1e-11)
    assert (found.method, found.converged, found.stderr) == ("exact", True, 0.0)
    assert found.mean == pytest.approx(found.values.mean())


def test_both_sides_of_an_rbm_agree_and_the_cheaper_one_is_taken():
    rng = np.random.default_rng(1)
    wide, narrow = random_model(rng, "rbm", 9, 2, 1.0), random_model(rng, "rbm", 3, 9, 1.0)
    assert driven_log_partition(wide, np.zeros((500, 9))).side == "hidden"
    assert driven_log_partition(narrow, np.zeros((500, 3))).side == "visible"
    table = rng.normal(size=(4, 9))
    coupled = Parameters(
        b=wide.b, J=np.zeros((9, 9)) + 1e-300 * (1 - np.eye(9)), W=wide.W, c=wide.c
    )
    both = [driven_log_partition(theta, table) for theta in (wide, coupled)]
    assert [found.side for found in both] == ["hidden", "visible"]
    np.testing.assert_allclose(both[0].values, both[1].values, rtol=1e-12)


def test_huge_drives_and_many_units_stay_in_range():
    rng = np.random.default_rng(2)
    theta = random_model(rng, "rbm", 300, 2, 3.0)
    table = rng.normal(size=(3, 300)) * 50.0
    found = driven_log_partition(theta, table).values
    for value, drive in zip(found, table, strict=True):
        moved = Parameters(b=theta.b + drive, W=theta.W, c=theta.c)
        assert value == pytest.approx(log_partition(moved, method="exact-hidden").value, rel=1e-12)


@pytest.mark.parametrize("kind", ["ising", "rbm", "srbm"])
def test_importance_sampling_is_right_within_its_error(kind):
    z = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        theta = random_model(rng, kind, 6, 2, 0.6)
        table, weights = rng.normal(size=(30, 6)), rng.uniform(size=30)
        found = driven_log_partition(
            theta, table, weights=weights, method="importance", random_state=seed
        )
        assert found.converged
        truth = np.average(brute_force(theta, table), weights=weights)
        z.append((found.mean - truth) / found.stderr)
        np.testing.assert_allclose(found.values, brute_force(theta, table), atol=0.15)
    assert np.abs(z).max() < 3.5
    assert 0.3 < np.std(z) < 2.0


def test_drives_that_drawn_words_do_not_reach_are_not_called_converged():
    theta = Parameters(b=np.full(12, -6.0))
    found = driven_log_partition(theta, np.full((1, 12), 9.0), method="importance")
    assert not found.converged
    assert found.effective_sample_size < 200
    assert "not converged" in str(found)


def test_what_cannot_be_summed_is_refused_or_sampled():
    theta = random_model(np.random.default_rng(0), "ising", 25, 0, 0.1)
    with pytest.raises(ValueError, match=r"a sum over 25 units .* out of reach; use method='imp"):
        driven_log_partition(theta, np.zeros((2, 25)), method="exact")
    found = driven_log_partition(theta, np.zeros((2, 25)))
    assert found.method == "importance"
    np.testing.assert_allclose(found.values, log_partition(theta).value, rtol=1e-12)
    with pytest.raises(ValueError, match="method is 'ais'; choose"):
        driven_log_partition(theta, np.zeros((2, 25)), method="ais")
