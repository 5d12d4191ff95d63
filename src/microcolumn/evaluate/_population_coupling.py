"""Population coupling of each unit: who fires when the others do (docs/information.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ..energy import log_symmetric
from ..tables import AsTable
from ..validation import Floats
from ..words import Words, as_words, check_single_bins
from .time_errors import mean_stderr

#: Steps of the fit of the null, and the relative error of rates that ends it.
_STEPS, _TOLERANCE = 500, 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class PopulationCoupling(AsTable):
    """Population coupling of each unit, by :func:`population_coupling`.

    Parameters
    ----------
    ids : tuple of str
        Names of the units.
    coupling, stderr : ndarray, shape (n_units,)
        How many more of the other units are active in bins in which the unit is, than on average,
        and the standard error, over time. NaN for units that never change.
    expected : ndarray, shape (n_units,)
        The same if which units are active in a bin followed from their rates and from how many are:
        what shuffling finds that keeps both.
    """

    _columns = (("unit", "ids"), "coupling", "stderr", "expected")

    ids: tuple[str, ...]
    coupling: Floats
    stderr: Floats
    expected: Floats


def population_coupling(words: Words | ArrayLike) -> PopulationCoupling:
    """How strongly each unit fires together with all others (Okun et al. 2015).

    It is the spike-triggered population rate at lag zero, beside what is expected under the
    distribution of largest entropy with the rates of all units and the distribution of the number
    of active ones, in which no unit prefers busy bins or other units beyond that.

    Parameters
    ----------
    words : Words or array_like, shape (n_words, n_units)
        Words of single bins in time order.

    Examples
    --------
    >>> words = [[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 0]] * 50
    >>> population_coupling(words).coupling
    array([ 0.25,  0.25, -1.  ])
    """
    held = as_words(words)
    check_single_bins(held)
    rates = held.rates
    changing = np.flatnonzero((rates > 0.0) & (rates < 1.0))
    X, rates = held.X[:, changing].astype(np.float64), rates[changing]
    share = held.counts / held.counts.sum()
    n_active = X.sum(axis=1)
    coupling, stderr, expected = np.full((3, held.n_units), np.nan)
    for k, unit in enumerate(changing):
        others = n_active - X[:, k]
        above = others - share @ others
        coupling[unit] = own = share @ (X[:, k] * above) / rates[k]
        # What each bin adds to a ratio of means.
        influence = ((X[:, k] - rates[k]) * above - own * X[:, k]) / rates[k]
        stderr[unit] = mean_stderr(influence[held.index], held.weights)
    active = np.bincount(n_active.astype(np.intp), share, changing.size + 1).astype(np.float64)
    given = _chances(rates, active)  # of being active, by the number of active units
    mean = float(active @ np.arange(active.size))
    above = np.arange(active.size) - 1.0 - (mean - rates[:, None])
    expected[changing] = (given * above) @ active / rates
    return PopulationCoupling(held.units.ids, coupling, stderr, expected)


def _chances(rates: Floats, active: Floats) -> Floats:
    """P(a unit is active | k units are) from rates and P(k) alone, (n_units, n_units + 1).

    Words of k active units are as probable as the product of their units' odds, which iterative
    scaling finds.
    """
    n, most = rates.size, int(np.flatnonzero(active)[-1])
    out, log_odds = np.zeros((n, n + 1)), np.log(rates)
    for _ in range(_STEPS):
        without = np.where(np.eye(n, dtype=bool), -np.inf, log_odds)
        sums = log_symmetric(without, most)  # over words of the other units
        out[:, 1 : most + 1] = expit(log_odds[:, None] + sums[:, :-1] - sums[:, 1:])
        ratio = rates / (out @ active)
        if np.allclose(ratio, 1.0, rtol=0.0, atol=_TOLERANCE):
            break
        log_odds += np.log(ratio)
    return out
