"""Which method normalises which model, and what is said about wrong requests."""

import numpy as np
import pytest

from microcolumn.parameters import Parameters
from microcolumn.partition import LogPartition, PartitionSettings, log_partition


def test_the_limit_counts_operations(random_model):
    theta = random_model("ising", 10)
    for limit, method in ((1024.0, "exact"), (1023.0, "ais")):
        assert log_partition(theta, settings=PartitionSettings(limit)).method == method


@pytest.mark.parametrize(
    ("method", "used"),
    [
        ("exact", ("exact", "hidden")),
        ("exact-visible", ("exact", "visible")),
        ("exact-hidden", ("exact", "hidden")),
        ("ais", ("ais", None)),
    ],
)
def test_an_explicit_method_is_used(method, used, random_model):
    found = log_partition(random_model("rbm", 6, n_hidden=2), method)
    assert (found.method, found.side) == used


def test_a_value_that_is_not_finite_has_not_converged():
    for value in (np.nan, np.inf, -np.inf):
        assert not LogPartition(value, 0.0, "exact", 1.0, 0.0, converged=True).converged
    largest = Parameters(b=[1e100] * 3, J=1e100 * (1 - np.eye(3)))
    assert log_partition(largest).value == pytest.approx(9e100)
