"""Plots of annealing: points are the chains, the line their mean, in bits."""

import numpy as np
import pytest
from drawing import axes

from microcolumn.parameters import Parameters
from microcolumn.partition import annealing_convergence
from microcolumn.plot.convergence import annealing, annealing_error

THETA = Parameters(b=[-1.0, -2.0, -1.5], J=[[0, 1.0, 0.5], [1.0, 0, 0], [0.5, 0, 0]])
BITS = 1.0 / np.log(2.0)


@pytest.fixture(scope="module")
def found():
    return annealing_convergence(THETA, steps=(1, 4, 16, 64), n_chains=40)


def horizontals(ax):
    return sorted(line.get_ydata()[0] for line in ax.lines if len(set(line.get_ydata())) == 1)


def test_every_chain_is_a_point_near_its_number_of_steps(found):
    dots = annealing(found, ax=axes()).lines[0]
    np.testing.assert_allclose(dots.get_ydata(), found.log_weights.ravel() * BITS)
    octaves = np.log2(dots.get_xdata() / np.repeat(found.n_steps, 40))
    assert np.abs(octaves).max() < 0.5
    assert len(set(octaves)) == octaves.size


def test_the_points_are_log2_of_the_mean_weight_with_its_error(found):
    ax = annealing(found, ax=axes())
    line, _, [bars] = ax.containers[0].lines
    np.testing.assert_allclose(line.get_xdata(), found.n_steps)
    np.testing.assert_allclose(line.get_ydata(), found.estimates * BITS)
    heights = [np.ptp(segment[:, 1]) for segment in bars.get_segments()]
    np.testing.assert_allclose(heights, 2 * found.stderrs * BITS)
    assert ax.get_xscale() == "log"


def test_errors_are_measured_from_the_exact_value(found):
    ax = annealing_error(found, ax=axes())
    line = ax.containers[0].lines[0]
    np.testing.assert_allclose(line.get_ydata(), (found.estimates - found.exact) * BITS)
    np.testing.assert_allclose(horizontals(ax), [-0.02, 0.0, 0.02])
    low, high = ax.get_ylim()
    assert low == -high
    assert high >= 0.03
    assert "exact" in ax.get_ylabel()


def test_without_an_exact_value_errors_are_measured_from_the_last_run_or_what_is_given():
    found = annealing_convergence(THETA, steps=(1, 8), n_chains=10, exact=None)
    assert horizontals(annealing(found, ax=axes())) == []
    ax = annealing_error(found, ax=axes())
    assert ax.containers[0].lines[0].get_ydata()[-1] == 0.0
    assert "last run" in ax.get_ylabel()
    ax = annealing_error(found, reference=0.25, name="reverse", ax=axes())
    np.testing.assert_allclose(
        ax.containers[0].lines[0].get_ydata(), (found.estimates - 0.25) * BITS
    )
    assert "reverse" in ax.get_ylabel()
