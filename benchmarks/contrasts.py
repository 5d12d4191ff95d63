"""How often two conditions are said to differ that do not, and how often a change is found.

    python benchmarks/contrasts.py [--quick] [--recordings N]

False positives: six cells with a common drive in a recording of 30 minutes, in which "a" and "b"
are alike. They are visited ten times each in turn, for 90 s, or once each, for 15 minutes. The
drive and each cell's own log odds are constant, drift (a Gaussian process of the time constant that
is stated, standard deviation 0.4), or rise evenly by 1 over the recording. Each number is the share
of recordings with p < 0.05, in per cent: it should be 5. "claimed" says whether the test claims to
hold: with one visit each nothing tells a drift from a difference, and the answer says so.

Power: simulated microcolumns (docs/simulation.md), 30 minutes with ten visits each in turn. In "b"
one layer's drives are stronger: the gains of all drives of this layer are multiplied.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from machine import print_machine
from numpy.typing import NDArray
from scipy.signal import lfilter

import microcolumn as mc
from microcolumn.evaluate import Contrast, contrast
from microcolumn.simulate._column import draw_column
from microcolumn.simulate._spikes import CLOCK_HZ, calibrate, draw_cells, draw_trains
from microcolumn.simulate.microcolumns import MULTIPLE_FRACTION, SINGLE_FRACTION

Floats = NDArray[np.float64]
MINUTES, BIN_S, N_CELLS = 30.0, 0.020, 6
#: Log odds of a cell without the drive, and of the drive; what the drive adds.
CELL, DRIVE, ADDED = -3.5, -3.0, 2.0
#: Visits to each condition.
VISITS = (10, 1)


class World(NamedTuple):
    """How log odds change over a recording."""

    name: str
    time_s: float = math.inf  # time constant of the drift
    trend: float = 0.0  # from the first bin to the last


WORLDS = (
    World("no drift"),
    World("drift, 10 s", 10.0),
    World("drift, 60 s", 60.0),
    World("drift, 10 min", 600.0),
    World("even rise", trend=1.0),
)


def drifts(world: World, n_bins: int, n: int, rng: np.random.Generator) -> Floats:
    """Log odds that are added to each of ``n`` processes, (n_bins, n); they change every second."""
    n_steps = round(1.0 / BIN_S)
    n_seconds = -(-n_bins // n_steps)
    values = np.zeros((n_seconds, n))
    if world.time_s < math.inf:
        kept = math.exp(-1.0 / world.time_s)
        noise = 0.4 * rng.normal(size=(n_seconds, n))
        noise[1:] *= math.sqrt(1.0 - kept**2)
        values = lfilter([1.0], [1.0, -kept], noise, axis=0)
    values = values + np.outer(np.linspace(0.0, world.trend, n_seconds), rng.normal(size=n))
    return np.repeat(values, n_steps, axis=0)[:n_bins]


def conditions(X: Floats, n_visits: int) -> tuple[mc.Words, mc.Words]:
    """Words of bins in turn from either condition, (n_bins, n_units)."""
    n_bins = len(X)
    is_second = np.arange(n_bins) * 2 * n_visits // n_bins % 2 == 1
    words = mc.Words.from_array(X, BIN_S)
    return words._take(np.flatnonzero(~is_second)), words._take(np.flatnonzero(is_second))


def alike(world: World, n_visits: int, rng: np.random.Generator) -> Contrast:
    """Contrast of two conditions that do not differ."""
    n_bins = round(60.0 * MINUTES / BIN_S)
    odds = drifts(world, n_bins, N_CELLS + 1, rng)
    driven = rng.random((n_bins, 1)) < 1.0 / (1.0 + np.exp(-DRIVE - odds[:, :1]))
    X = rng.random((n_bins, N_CELLS)) < 1.0 / (1.0 + np.exp(-CELL - odds[:, 1:] - ADDED * driven))
    return contrast(*conditions(X, n_visits), mc.Ising(l1=1e-4))


def changed(seed: int, n_units: int, factor: float, layer: str = "II/III") -> Contrast:
    """Contrast of a column with the same one whose drives of one layer are stronger."""
    anatomy, stretch, *spikes = np.random.SeedSequence(seed).spawn(4)
    rng, duration_s = np.random.default_rng(anatomy), 60.0 * MINUTES
    units, truth, relative_rate = draw_column(n_units, False, 600.0, duration_s, rng)
    cells = draw_cells(truth, rng)
    shares = SINGLE_FRACTION, MULTIPLE_FRACTION
    level, burst = calibrate(truth, cells, relative_rate, *shares, stretch)
    of_layer = np.array([factor if drive.layer == layer else 1.0 for drive in truth.drives])
    stronger = replace(truth, gains=truth.gains * of_layer)
    parts = []
    for each, state in zip((truth, stronger), spikes, strict=True):
        trains = draw_trains(each, cells, level, burst, duration_s, np.random.default_rng(state))
        seconds = [train / CLOCK_HZ for train in trains]
        parts.append(mc.Recording(seconds, units, [[0.0, duration_s]]).bin(BIN_S).expand())
    is_second = np.arange(len(parts[0])) * 2 * VISITS[0] // len(parts[0]) % 2 == 1
    X = np.where(is_second[:, None], parts[1], parts[0])
    words = mc.Words.from_array(X, BIN_S, units=units)
    both = words._take(np.flatnonzero(~is_second)), words._take(np.flatnonzero(is_second))
    return contrast(*both, mc.Ising(l1=1e-4))


KINDS = ("all", "rates", "couplings", "entropy")


def p_values(result: Contrast) -> list[float]:
    """Of the words and of each kind of difference."""
    kinds = result.rates.p_value, result.couplings.p_value, result.entropy_p_value
    return [result.p_value, *kinds]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer recordings")
    parser.add_argument("--recordings", type=int, help="simulated recordings of each number")
    arguments = parser.parse_args()
    n = arguments.recordings or (50 if arguments.quick else 400)
    print_machine()
    error = 100.0 * math.sqrt(0.05 * 0.95 / n)
    print(f"\nfalse positives, per cent, {n:,} recordings of each number; ± {error:.1f} at 5 %")
    print(f"{'visits each':>11}  {'':15}", *(f"{kind:>9}" for kind in KINDS), "  claimed")
    for n_visits in VISITS:
        for world in WORLDS:
            rng = np.random.default_rng(0)
            found = np.array([p_values(alike(world, n_visits, rng)) for _ in range(n)])
            shown = (f"{100 * rate:9.1f}" for rate in (found < 0.05).mean(axis=0))
            claimed = n_visits > 1 or world.name == "no drift"
            print(f"{n_visits:11}  {world.name:15}", *shown, f"  {'yes' if claimed else 'no'}", flush=True)
    n //= 4
    print(f"\nfound, per cent of {n:,} recordings of 30 minutes, drives of II/III by a factor")
    print(f"{'units':>11}  {'factor':15}", *(f"{kind:>9}" for kind in KINDS))
    for n_units, factor in ((12, 1.0), (12, 1.2), (23, 1.2)):
        found = np.array([p_values(changed(seed, n_units, factor)) for seed in range(n)])
        shown = (f"{100 * rate:9.1f}" for rate in (found < 0.05).mean(axis=0))
        print(f"{n_units:11}  {factor:<15g}", *shown, flush=True)


if __name__ == "__main__":
    main()
