"""Which method normalises which model, and what is said about wrong requests."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from microcolumn.parameters import Parameters
from microcolumn.partition import LogPartition, _log_partition as choose, log_partition


@pytest.fixture
def annealed(monkeypatch):
    """Stand in for annealed importance sampling; keeps the options it was called with."""
    calls = []

    @functools.wraps(choose.annealed_importance_sampling)  # the same options are known
    def stand_in(theta, **options):
        calls.append(options)
        return LogPartition(0.0, 0.1, "ais", 1.0, 0.0, True)

    monkeypatch.setattr(choose, "annealed_importance_sampling", stand_in)
    return calls


def test_a_small_model_is_summed_exactly(random_model, enumerate_words, annealed):
    theta = random_model("srbm", 8)
    log_z = log_partition(theta)
    assert log_z.side == "visible"
    assert log_z.value == pytest.approx(enumerate_words(theta)[1], abs=1e-10)
    assert annealed == []


def test_a_large_model_is_annealed(random_model, annealed):
    assert log_partition(random_model("ising", 60), progress=False, n_chains=7).method == "ais"
    assert annealed == [{"progress": False, "n_chains": 7}]


def test_the_limit_counts_operations(random_model, annealed, monkeypatch):
    theta = random_model("ising", 10)
    monkeypatch.setattr(choose, "EXACT_LOG_Z", 1024.0)
    assert log_partition(theta).side == "visible"
    monkeypatch.setattr(choose, "EXACT_LOG_Z", 1023.0)
    assert log_partition(theta).method == "ais"


@pytest.mark.parametrize(
    ("method", "used"),
    [
        ("exact", ("exact", "hidden")),
        ("exact-visible", ("exact", "visible")),
        ("exact-hidden", ("exact", "hidden")),
        ("ais", ("ais", None)),
    ],
)
def test_an_explicit_method_is_used(method, used, random_model, annealed):
    found = log_partition(random_model("rbm", 6, n_hidden=2), method)
    assert (found.method, found.side) == used


def test_an_option_that_an_exact_sum_cannot_use_is_refused(random_model):
    with pytest.raises(TypeError, match=r"takes no option 'n_chains'; .*method='ais'"):
        log_partition(random_model("ising", 3), "exact", n_chains=3)


def test_a_result_reads_well_and_converts_to_a_number():
    exact = log_partition(Parameters(b=np.zeros(5)))
    assert float(exact) == exact.value
    assert str(exact) == "log Z = 3.465735903 nats (exact, hidden side)"
    annealed = LogPartition(2.0, 0.25, "ais", 1.0, 0.0, False)
    assert str(annealed) == "log Z = 2 ± 0.25 nats (ais, not converged)"


def test_a_result_cannot_be_changed():
    log_z = log_partition(Parameters(b=np.zeros(2)))
    with pytest.raises(AttributeError):
        log_z.value = 0.0


def test_a_misspelt_option_is_refused_at_every_size(random_model):
    for n_units in (4, 60):
        with pytest.raises(TypeError, match="'n_chain' is no option; choose from base, rates"):
            log_partition(random_model("ising", n_units), n_chain=7)


def test_a_model_instead_of_its_parameters_is_refused():
    with pytest.raises(TypeError, match="theta is a str; pass a model's parameters_"):
        log_partition("model")


def test_a_value_that_is_not_finite_has_not_converged():
    for value in (np.nan, np.inf, -np.inf):
        assert not LogPartition(value, 0.0, "exact", 1.0, 0.0, converged=True).converged
    largest = Parameters(b=[1e100] * 3, J=1e100 * (1 - np.eye(3)))
    assert log_partition(largest).value == pytest.approx(9e100)
