"""A small laminar population: layers that share their drive, and a few direct connections."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter
from scipy.special import expit

from ..units import Units
from ..words import Words

Floats = NDArray[np.float64]

#: Depth below the surface (µm) at which each layer begins, and where the probe ends.
_LAYER_TOPS = {"II/III": 100.0, "IV": 650.0, "V/VI": 1000.0}
_DEEPEST_UM = 1600.0
#: Time constants (s) of the latent processes behind volleys and behind slow excitability.
_FAST_S, _SLOW_S = 0.030, 0.500
#: Log odds that a full volley adds, the level of the fast process where one is half full (in its
#: standard deviations; reached 8 % of the time), and how steeply it fills.
_VOLLEY, _THRESHOLD, _STEEPNESS = 4.5, 1.4, 5.0
#: Standard deviation of the log odds due to slow excitability, of a layer and of all together.
_LAYER_SLOW, _GLOBAL_SLOW = 0.4, 0.3
#: Firing rates: median (Hz) and standard deviation of their logarithm.
_MEDIAN_HZ, _LOG_SPREAD = 1.3, 0.45
#: Change of the log odds by a direct connection and, in the bin after a spike, by refractoriness.
_EXCITATION, _INHIBITION, _REFRACTORY = 1.5, -2.0, -1.0


class _Connection(NamedTuple):
    source: int
    target: int
    log_odds: float


def population(
    n_units: int = 20, minutes: float = 30.0, bin_width: float = 0.020, seed: int = 0
) -> Words:
    """Simulate the words of a laminar population.

    Each unit's log odds of spiking in a bin are the sum of

    - a level that sets its rate, log-normal over units around 1.3 Hz (2.6 % of 20 ms bins);
    - volleys of its layer: a Gaussian AR(1) process (30 ms) per layer drives all its units
      together while it is above a threshold, and saturates;
    - slow excitability: Gaussian AR(1) processes (500 ms), one per layer and a weak one shared by
      all layers; each unit has gains of its own for volleys and for excitability;
    - direct connections onto one unit in four, mostly from its own layer, that act within the bin
      (a synapse takes milliseconds); one in three inhibits;
    - refractoriness: fewer spikes in the bin after a spike.

    Spikes are Bernoulli given these. The drives are continuous and reach across bins, so no member
    of the model family is true. Volleys recruit a changing handful of a layer's units, which pairs
    of units describe less well than hidden units do. The strengths were chosen so that this shows
    at 15 and 16 units, after plain Gaussian drives had favoured pairs: a comparison on these words
    tests the code and says nothing about cortex.

    Parameters
    ----------
    n_units : int
        Number of units, spread evenly over depth.
    minutes : float
        Length of the recording.
    bin_width : float
        Seconds.
    seed : int
        The same seed gives the same words, bit for bit.

    Returns
    -------
    Words
        With depths (µm below the surface) and layers ``"II/III"``, ``"IV"``, ``"V/VI"``.

    Examples
    --------
    >>> words = population(n_units=6, minutes=5, seed=1)
    >>> words.n_bins, words.units.layer
    (15000, ('II/III', 'II/III', 'IV', 'V/VI', 'V/VI', 'V/VI'))
    """
    n_bins = _checked_bins(n_units, minutes, bin_width)
    rng = np.random.default_rng(seed)
    units = _place(n_units, rng)
    layer = np.unique(np.array(units.layer), return_inverse=True)[1]
    # Log odds plus logistic noise exceed zero as often as a Bernoulli draw with these log odds.
    noisy = _drives(layer, n_bins, bin_width, rng) + rng.logistic(size=(n_units, n_bins))
    # Shifting each row to its quantile makes the rate what it should be, whatever the drives.
    rate_hz = _MEDIAN_HZ * np.exp(_LOG_SPREAD * rng.standard_normal(n_units))
    for row, silent in zip(noisy, np.exp(-rate_hz * bin_width), strict=True):
        row -= np.quantile(row, silent)
    spikes = _respond(noisy, _connections(layer, rng))
    return Words.from_array(np.ascontiguousarray(spikes.T), bin_width=bin_width, units=units)


def _checked_bins(n_units: int, minutes: float, bin_width: float) -> int:
    if n_units < 1:
        raise ValueError(f"n_units is {n_units}; simulate at least 1 unit")
    if not (math.isfinite(bin_width) and bin_width > 0):
        raise ValueError(f"bin_width is {bin_width}; it must be a positive number of seconds")
    if not (math.isfinite(minutes) and minutes * 60 >= bin_width):
        raise ValueError(f"minutes is {minutes}; the recording must hold at least one bin")
    return round(minutes * 60 / bin_width)


def _place(n_units: int, rng: np.random.Generator) -> Units:
    """Units at jittered, evenly spread depths, with the layer each depth lies in."""
    tops = np.array(list(_LAYER_TOPS.values()))
    spread = (np.arange(n_units) + rng.uniform(0.1, 0.9, size=n_units)) / n_units
    depth_um = tops[0] + spread * (_DEEPEST_UM - tops[0])
    names = list(_LAYER_TOPS)
    layer = [names[n] for n in np.searchsorted(tops, depth_um, side="right") - 1]
    return Units((f"unit {n}" for n in range(n_units)), depth_um=depth_um, layer=layer)


def _drives(
    layer: NDArray[np.intp], n_bins: int, bin_width: float, rng: np.random.Generator
) -> Floats:
    """Log odds that the layers' and the global processes add, shape (n_units, n_bins)."""
    n_units = layer.size
    drives = np.zeros((n_units, n_bins))
    gains = rng.uniform(0.7, 1.3, size=(2, n_units, 1))
    for which in range(layer.max() + 1):
        members = np.flatnonzero(layer == which)
        slow = _ar1(n_bins, bin_width / _SLOW_S, rng)
        fast = _ar1(n_bins, bin_width / _FAST_S, rng)
        drives[members] += _LAYER_SLOW * gains[0, members] * slow
        volleys = expit(_STEEPNESS * (fast - _THRESHOLD))
        drives[members] += _VOLLEY * gains[1, members] * volleys
    drives += _GLOBAL_SLOW * _ar1(n_bins, bin_width / _SLOW_S, rng)
    return drives


def _ar1(n_bins: int, step: float, rng: np.random.Generator) -> Floats:
    """Stationary Gaussian AR(1) process of unit variance with correlation exp(-step) per bin."""
    keep = math.exp(-step)
    noise = rng.standard_normal(n_bins)
    noise[1:] *= math.sqrt(1 - keep * keep)
    latent: Floats = lfilter([1.0], [1.0, -keep], noise)
    return latent


def _connections(layer: NDArray[np.intp], rng: np.random.Generator) -> list[_Connection]:
    """Connections onto one in four units, each from a unit before it, four of five local."""
    connections = []
    later = rng.permutation(np.arange(1, layer.size))
    for target in later[: layer.size // 4].tolist():
        local = np.flatnonzero(layer[:target] == layer[target])
        is_local = rng.random() < 0.8 and local.size > 0
        source = rng.choice(local if is_local else np.arange(target))
        log_odds = _INHIBITION if rng.random() < 1 / 3 else _EXCITATION
        connections.append(_Connection(int(source), target, log_odds))
    return connections


def _respond(log_odds: Floats, connections: list[_Connection]) -> NDArray[np.bool_]:
    """Spikes where log odds, connections and refractoriness add up to more than zero.

    Every spike depends on earlier bins and, within the bin, on units before it alone, so there is
    exactly one consistent answer. Repeating the sum for all bins at once reaches it after as many
    rounds as the longest chain of spikes that changed one another.
    """
    spikes: NDArray[np.bool_] = log_odds > 0
    while True:
        total = log_odds.copy()
        total[:, 1:] += _REFRACTORY * spikes[:, :-1]
        for source, target, change in connections:
            total[target] += change * spikes[source]
        settled: NDArray[np.bool_] = total > 0
        if np.array_equal(settled, spikes):
            return settled
        spikes = settled
