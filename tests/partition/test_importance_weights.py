"""Statistics of importance weights against closed forms and simulated weights."""

import math

import numpy as np
import pytest

from microcolumn.partition.importance_weights import (
    doubt_of,
    effect,
    effective_sample_size,
    log_mean,
    missed_log_mass,
)


def test_missed_mass_is_small_where_both_runs_overlap():
    rng = np.random.default_rng(0)
    for sigma in (0.01, 0.1, 0.3):
        alarms = 0
        for _ in range(300):
            # Normal forward log weights and, by Crooks' relation, reverse ones sigma^2 higher.
            forward = rng.normal(-(sigma**2) / 2, sigma, 500)
            reverse = rng.normal(sigma**2 / 2, sigma, 1000)
            alarms += missed_log_mass(forward, reverse) > log_mean(forward)[1]
        assert alarms <= 6


def test_missed_mass_is_the_share_of_reverse_chains_far_beyond_the_forward_ones():
    forward = np.random.default_rng(1).normal(0, 0.1, 500)
    reverse = np.concatenate([forward[:480], np.full(20, 50.0)])
    assert missed_log_mass(forward, reverse) == pytest.approx(-math.log(0.96), rel=1e-9)
    assert missed_log_mass(forward, np.full(500, 50.0)) == math.inf


def test_log_mean_has_the_spread_it_states():
    rng = np.random.default_rng(2)
    estimates = np.array([log_mean(rng.normal(0, 0.5, 400)) for _ in range(2000)])
    assert np.mean(estimates[:, 1]) == pytest.approx(np.std(estimates[:, 0]), rel=0.06)
    truth = 0.5**2 / 2
    assert np.mean(estimates[:, 0]) == pytest.approx(truth, abs=4 * 0.03 / math.sqrt(2000) + 5e-4)


def test_log_mean_of_huge_and_tiny_weights_does_not_overflow():
    value, stderr = log_mean(np.array([5000.0, 5000.0 + math.log(3)]))
    assert value == pytest.approx(5000 + math.log(2))
    assert stderr == pytest.approx(0.5)
    assert log_mean(np.array([-1.0]))[1] == math.inf


def test_effective_sample_size_counts_equal_weights():
    assert effective_sample_size(np.full(7, 900.0)) == pytest.approx(7)
    assert effective_sample_size(np.array([0.0, 0.0, -800.0])) == pytest.approx(2)


def test_a_run_whose_chains_all_ended_elsewhere_is_a_part_of_no_weight():
    assert log_mean(np.full(3, -math.inf)) == (-math.inf, math.inf)


@pytest.mark.parametrize("share", [1.0, 0.5, 1e-3])
def test_the_effect_on_log_z_of_a_change_in_a_part_is_that_of_the_sum(share):
    for change in (-2.0, 1e-3, 5.0):
        changed = math.log(1.0 - share + share * math.exp(change))
        assert effect(change, share) == pytest.approx(changed, abs=1e-12)
    assert effect(math.inf, share) == math.inf
    assert effect(math.inf, 0.0) == 0.0


def test_a_part_of_z_is_doubted_as_far_as_it_matters_for_the_whole():
    rng = np.random.default_rng(3)
    forward = np.where(rng.random(500) < 0.4, rng.normal(0, 0.01, 500), -math.inf)
    # By Crooks' relation for a part that 40 % of the forward chains end in.
    reverse = rng.normal(0, 0.01, 1000)
    doubt = {"settled": True, "tolerance": 0.02, "stderr": 0.003}
    assert doubt_of(forward, reverse, share=0.01, **doubt) is None
    reverse[:50] += 20.0
    assert "hold 2.63% of the mass" in doubt_of(forward, reverse, share=0.5, **doubt)
    assert doubt_of(forward, reverse, share=1e-3, **doubt) is None
    assert "it moved" in doubt_of(forward, reverse, False, 0.02, 0.5, 0.003)
