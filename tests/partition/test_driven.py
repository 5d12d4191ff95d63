"""Log Z under many drives: all words by brute force, and importance sampling with its error."""

from itertools import product

import numpy as np
import pytest
from flips import KINDS, random_model

from microcolumn.energy import log_weight
from microcolumn.parameters import Parameters
from microcolumn.partition import log_partition
from microcolumn.partition.driven import _one_by_one, driven_log_partition


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
    values, mean = driven_log_partition(theta, table)
    np.testing.assert_allclose(values, brute_force(theta, table), rtol=1e-12, atol=1e-11)
    assert (mean.method, mean.converged, mean.stderr) == ("exact", True, 0.0)
    assert mean.value == pytest.approx(values.mean())


@pytest.mark.parametrize("kind", KINDS[1:])
def test_sums_for_each_drive_agree_with_those_for_all_at_once(kind):
    rng = np.random.default_rng(1)
    theta, table = random_model(rng, kind, 9, 2, 1.0), rng.normal(size=(40, 9))
    at_once, _ = driven_log_partition(theta, table)
    np.testing.assert_allclose(_one_by_one(theta, table), at_once, rtol=1e-12)


def test_the_cheaper_sum_is_taken():
    rng = np.random.default_rng(1)
    wide, narrow = random_model(rng, "rbm", 23, 2, 1.0), random_model(rng, "rbm", 3, 9, 1.0)
    found = [driven_log_partition(m, np.zeros((50, m.n_visible)))[1] for m in (wide, narrow)]
    assert [each.n_operations for each in found] == [50 * (2**18 + 4 * 4 * 47), 8 * (50 + 3 * 12)]


def test_huge_drives_and_many_units_stay_in_range():
    rng = np.random.default_rng(2)
    theta = random_model(rng, "rbm", 300, 2, 3.0)
    table = rng.normal(size=(3, 300)) * 50.0
    found, _ = driven_log_partition(theta, table)
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
        values, found = driven_log_partition(
            theta, table, weights=weights, method="importance", random_state=seed
        )
        assert found.converged
        truth = np.average(brute_force(theta, table), weights=weights)
        z.append((found.value - truth) / found.stderr)
        np.testing.assert_allclose(values, brute_force(theta, table), atol=0.15)
    assert np.abs(z).max() < 3.5
    assert 0.3 < np.std(z) < 2.0


def test_drives_that_drawn_words_do_not_reach_are_not_called_converged():
    theta = Parameters(b=np.full(12, -6.0))
    _, found = driven_log_partition(theta, np.full((1, 12), 9.0), method="importance")
    assert not found.converged
    assert found.effective_sample_size < 200
    assert "not converged" in str(found)


def test_what_cannot_be_summed_is_refused_or_sampled():
    rng = np.random.default_rng(0)
    large, theta = random_model(rng, "ising", 60, 0, 0.1), random_model(rng, "ising", 30, 0, 0.1)
    with pytest.raises(ValueError, match=r"sums over 60 units .* out of reach; use method='imp"):
        driven_log_partition(large, np.zeros((2, 60)), method="exact")
    values, found = driven_log_partition(theta, np.zeros((512, 30)))
    assert found.method == "importance"
    np.testing.assert_allclose(values, log_partition(theta).value, rtol=1e-12)
    with pytest.raises(ValueError, match="method is 'ais'; choose"):
        driven_log_partition(theta, np.zeros((2, 30)), method="ais")
