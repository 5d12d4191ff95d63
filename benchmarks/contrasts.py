"""How often two conditions are said to differ that do not, and how often a change is found.

    python benchmarks/contrasts.py [--quick] [--recordings N] [--seed N]

False positives: six cells with a common drive in a recording of 30 minutes, in which "a" and "b"
are alike. They are visited ten times each in turn, for 90 s, or once each, for 15 minutes. The
drive and each cell's own log odds are constant, drift (a Gaussian process of the time constant that
is stated, standard deviation 0.4), or rise evenly by 1 over the recording. Each number is the share
of recordings with p < 0.05, in per cent: it should be 5. "claimed" says whether the test claims to
hold: with one visit each nothing tells a drift from a difference, and the answer says so.

Power: simulated microcolumns of 12 units (docs/simulation.md), 30 minutes with ten visits each in
turn. In "b" one layer, II/III, is driven more strongly, by 20 % in three senses: the intensity of
its units before saturation, refractory periods and synapses; the gains of its common drives alone
(the change of a unit's log intensity per unit of a drive); and, for scale, these by 50 %.
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
from microcolumn.evaluate import contrast
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


def second_bins(n_bins: int, n_visits: int) -> NDArray[np.bool_]:
    """Which bins are of the second condition, where they come in turn."""
    return np.arange(n_bins) * 2 * n_visits // n_bins % 2 == 1


def contrasted(X: NDArray[np.generic], n_visits: int) -> list[float]:
    """P of the words, and of each kind of difference, for bins in turn of either condition."""
    words, is_second = mc.Words.from_array(X, BIN_S), second_bins(len(X), n_visits)
    parts = [words._take(np.flatnonzero(is_second == k)) for k in (False, True)]
    result = contrast(parts[0], parts[1], mc.Ising(l1=1e-4))
    kinds = result.rates.p_value, result.couplings.p_value, result.entropy_p_value
    return [result.p_value, *kinds]


def alike(world: World, n_visits: int, rng: np.random.Generator) -> list[float]:
    """P-values of two conditions that do not differ."""
    n_bins = round(60.0 * MINUTES / BIN_S)
    odds = drifts(world, n_bins, N_CELLS + 1, rng)
    driven = rng.random((n_bins, 1)) < 1.0 / (1.0 + np.exp(-DRIVE - odds[:, :1]))
    X = rng.random((n_bins, N_CELLS)) < 1.0 / (1.0 + np.exp(-CELL - odds[:, 1:] - ADDED * driven))
    return contrasted(X, n_visits)


#: What is changed in the second condition: factors on intensities, and on gains of drives.
CHANGES = {
    "nothing": (1.0, 1.0),
    "intensity by 20 %": (1.2, 1.0),
    "gains by 20 %": (1.0, 1.2),
    "gains by 50 %": (1.0, 1.5),
}


def changed(seed: int, n_units: int = 12, layer: str = "II/III") -> list[list[float]]:
    """P-values of a column and the same one whose layer is driven more, by the kind of change."""
    anatomy, stretch, *spikes = np.random.SeedSequence(seed).spawn(3 + len(CHANGES))
    rng, duration_s = np.random.default_rng(anatomy), 60.0 * MINUTES
    units, truth, relative_rate = draw_column(n_units, False, 600.0, duration_s, rng)
    cells = draw_cells(truth, rng)
    shares = SINGLE_FRACTION, MULTIPLE_FRACTION
    level, burst = calibrate(truth, cells, relative_rate, *shares, stretch)
    is_driven = np.array([drive.layer == layer for drive in truth.drives])
    in_layer = np.array(units.layer) == layer
    words = []
    for (intensity, gain), state in zip([(1.0, 1.0), *CHANGES.values()], spikes, strict=True):
        own = replace(truth, gains=truth.gains * np.where(is_driven, gain, 1.0))
        raised = level + math.log(intensity) * in_layer
        trains = draw_trains(own, cells, raised, burst, duration_s, np.random.default_rng(state))
        seconds = [train / CLOCK_HZ for train in trains]
        words.append(mc.Recording(seconds, units, [[0.0, duration_s]]).bin(BIN_S).expand())
    usual, *others = words
    is_second = second_bins(len(usual), VISITS[0])[:, None]
    return [contrasted(np.where(is_second, each, usual), VISITS[0]) for each in others]


KINDS = ("all", "rates", "couplings", "entropy")


def shares(p: Floats) -> str:
    """Shares of p-values below 0.05 in the columns of (n, n_kinds), per cent."""
    return "".join(f"{100.0 * share:10.1f}" for share in (p < 0.05).mean(axis=0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer recordings")
    parser.add_argument("--recordings", type=int, help="simulated recordings of each number")
    parser.add_argument("--seed", type=int, default=0, help="0 is what the test was made with")
    arguments = parser.parse_args()
    n = arguments.recordings or (50 if arguments.quick else 400)
    print_machine()
    error = 100.0 * math.sqrt(0.05 * 0.95 / n)
    header = "".join(f"{kind:>10}" for kind in KINDS)
    print(f"\nfalse positives, per cent of {n:,} recordings; ± {error:.1f} at 5 %")
    print(f"{'visits':>6}  {'':18}{header}   claimed")
    for n_visits in VISITS:
        for world in WORLDS:
            rng = np.random.default_rng(arguments.seed)
            p = np.array([alike(world, n_visits, rng) for _ in range(n)])
            claimed = "yes" if n_visits > 1 or world.name == "no drift" else "no"
            print(f"{n_visits:6}  {world.name:18}{shares(p)}   {claimed}", flush=True)
    n = max(n // 4, 1)
    p = np.array([changed(arguments.seed + k) for k in range(n)])
    print(f"\nfound, per cent of {n:,} recordings of {MINUTES:g} minutes")
    print(f"{'drive of II/III changed':26}{header}")
    for k, name in enumerate(CHANGES):
        print(f"{name:26}{shares(p[:, k])}")


if __name__ == "__main__":
    main()
