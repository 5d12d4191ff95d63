"""Modes that spread words underrate, against the exact masses of a mean-field model."""

import numpy as np
import pytest
from scipy.special import gammaln

from microcolumn.parameters import Parameters
from microcolumn.solvers._sampler_settings import SamplerSettings
from microcolumn.solvers._unvisited import has_underrated_mode

N_UNITS, COUPLING = 80, 6.0 / 160
#: Biases that give the busy phase a hundredth of the mass, and next to nothing.
SHARES = {"a hundredth": -3.035, "next to nothing": -3.1}


def phases(bias):
    """A model whose units are all alike, log Z and the log probability of each number active."""
    J = np.full((N_UNITS, N_UNITS), COUPLING)
    np.fill_diagonal(J, 0.0)
    k = np.arange(N_UNITS + 1)
    choices = gammaln(N_UNITS + 1) - gammaln(k + 1) - gammaln(N_UNITS - k + 1)
    log_masses = choices + bias * k + COUPLING * k * (k - 1)
    log_z = np.logaddexp.reduce(log_masses)
    return Parameters(b=np.full(N_UNITS, bias), J=J), log_z, log_masses - log_z


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("is_seen", [True, False])
def test_a_mode_is_underrated_where_it_holds_a_share_that_words_do_not_show(share, is_seen):
    theta, log_z, log_p = phases(SHARES[share])
    busy = np.exp(np.logaddexp.reduce(log_p[N_UNITS // 2 :]))
    assert (busy > 3e-3) == (share == "a hundredth")
    shown = log_p if is_seen else np.where(np.arange(N_UNITS + 1) < N_UNITS // 4, log_p, -30.0)
    silent = np.zeros((64, N_UNITS), dtype=np.uint8)
    found = has_underrated_mode(
        np.random.default_rng(0), theta, silent, log_z, shown, 1e-3, SamplerSettings()
    )
    assert found == (share == "a hundredth" and not is_seen)
