"""How often verdicts and intervals are wrong: size and power of the test, coverage of intervals.

Cells come in two groups of two, and model g couples the cells of group g alone. Models are
probabilities of the four words of a pair, in closed form, fitted anew to each training part of
``Words.split`` and scored on its test part. Where both groups are alike, no model is better by
symmetry, and each number is the share of simulated recordings, in per cent, in which p < 0.05: it
should be 5. Where the second group is coupled less, the share is the power of the test. "before" is
the corrected resampled t-test (Nadeau & Bengio 2003) of the same splits.

    python benchmarks/nulls.py [--quick] [--recordings N]

The drives of the groups are constant, drift together, or switch between two rates, each group by
itself, so that one model is the better one for a while. "claimed" says whether the test claims to
hold: it does not where states last longer than a thirtieth of the recording, since there are too
few of them to know their mean, nor for splits by single words, whose errors are too large: splits
that test other words of the same cells seem to differ by their training.

The second table is how often the 95 % interval of a score on one test part holds the score that a
recording without end would give.
"""

from __future__ import annotations

import argparse
import math
from typing import Literal, NamedTuple

import numpy as np
from machine import print_machine
from numpy.typing import NDArray
from scipy import stats
from scipy.signal import lfilter

import microcolumn as mc
from microcolumn.evaluate.significance import degrees_of_freedom, p_value, split_stderr
from microcolumn.evaluate.time_errors import N_WAVES, cells_of, mean_over_splits, mean_stderr

Floats = NDArray[np.float64]
By = Literal["words", "blocks"]
#: Seconds per bin; minutes of a recording; numbers of splits.
BIN_S, MINUTES, SPLITS = 0.1, (10, 30, 120), (1, 2, 3, 5, 10)
#: Probability that a driven cell is active, of the group whose coupling is weaker under power.
STRONG, WEAK = 0.6, 0.57
#: Log odds of a drive, and by how much it changes.
USUAL, CHANGE = -2.0, 1.0
#: States may last this share of the recording.
LONGEST = 1.0 / 30.0


class World(NamedTuple):
    """How the drives of the groups change over a recording."""

    name: str
    kind: Literal["constant", "drift", "switch"]
    time_s: float = math.inf  # time constant of the drift, or how long a state lasts on average

    def claimed(self, minutes: float, by: By) -> bool:
        """Whether the test claims to hold."""
        is_short = self.kind != "switch" or self.time_s <= LONGEST * 60.0 * minutes
        return is_short and by == "blocks"


WORLDS = (
    World("stationary", "constant"),
    World("all cells drift, 60 s", "drift", 60.0),
    World("all cells drift, 10 min", "drift", 600.0),
    World("groups switch every 1 s", "switch", 1.0),
    World("groups switch every 10 s", "switch", 10.0),
    World("groups switch every 60 s", "switch", 60.0),
)


def log_odds(world: World, n_bins: int, rng: np.random.Generator) -> Floats:
    """Log odds of the drive of either group in each bin, (n_bins, 2)."""
    if world.kind == "constant":
        return np.full((n_bins, 2), USUAL)
    if world.kind == "switch":
        flips = rng.random((n_bins, 2)) < 1.0 - math.exp(-BIN_S / world.time_s)
        states = (rng.integers(2, size=2) + flips.cumsum(axis=0)) % 2
        return USUAL + CHANGE * (2.0 * states - 1.0)
    kept = math.exp(-BIN_S / world.time_s)
    noise = rng.normal(size=n_bins) * math.sqrt(1.0 - kept**2)
    drift = lfilter([1.0], [1.0, -kept], noise, zi=[kept * rng.normal()])[0]
    return USUAL + CHANGE * np.column_stack([drift, drift])


def recording(
    world: World, minutes: float, second: float, rng: np.random.Generator
) -> tuple[mc.Words, NDArray[np.int64]]:
    """Words, and which of its four words each group has in each bin, (n_bins, 2)."""
    n_bins = round(60.0 * minutes / BIN_S)
    driven = rng.random((n_bins, 2)) < 1.0 / (1.0 + np.exp(-log_odds(world, n_bins, rng)))
    p = np.where(driven, (STRONG, second), 0.05)
    bits = rng.random((n_bins, 4)) < np.repeat(p, 2, axis=1)
    return mc.Words.from_array(bits, BIN_S), bits.reshape(n_bins, 2, 2) @ np.array([2, 1])


def coupling_gains(codes: NDArray[np.int64], train: NDArray[np.int64]) -> Floats:
    """Bits that each model's coupling gains over independent cells, by word, (2, 4)."""
    counts = np.array([np.bincount(codes[train, g], minlength=4) for g in range(2)]) + 0.25
    p = (counts / counts.sum(axis=1, keepdims=True)).reshape(2, 2, 2)
    alone = p.sum(axis=2, keepdims=True) * p.sum(axis=1, keepdims=True)
    return np.asarray(np.log2(p / alone).reshape(2, 4))


def p_values(
    world: World, minutes: float, by: By, second: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Of the first model minus the second, by number of splits; and of the test before."""
    words, codes = recording(world, minutes, second, rng)
    cell = cells_of(np.arange(words.n_bins), words.n_bins)
    gains, shares = [], []
    for _ in range(max(SPLITS)):
        train, test = (part.bins for part in words.split(0.5, by=by, random_state=rng))
        of_word = coupling_gains(codes, train)
        difference = of_word[0][codes[test, 0]] - of_word[1][codes[test, 1]]
        gains.append(np.bincount(cell[test], difference / test.size, minlength=cell[-1] + 1))
        shares.append(np.bincount(cell[test], minlength=cell[-1] + 1) / test.size)
    now, before = [], []
    for n in SPLITS:
        now.append(p_value(*mean_over_splits(np.array(gains[:n]), np.array(shares[:n]), 0.5)))
        values = np.array(gains[:n]).sum(axis=1)
        df = degrees_of_freedom(n, 20 if by == "blocks" else None)
        # Test parts have as many words as training parts.
        stderr = split_stderr(values) * math.sqrt(1.0 + n)
        before.append(p_value(float(values.mean()), stderr, df))
    return np.array(now), np.array(before)


def print_rates(n_recordings: int, minutes: float, by: By, second: float) -> None:
    """Shares of recordings with p < 0.05, in each world."""
    what = "power" if second < STRONG else "size"
    splits = "".join(f"{n:7d}" for n in SPLITS)
    print(f"\n{what}, {minutes:g} minutes, split by {by}")
    print(f"{'splits':26}{splits} | before{splits[6:]}   claimed")
    for world in WORLDS:
        rng = np.random.default_rng(0)
        found = [p_values(world, minutes, by, second, rng) for _ in range(n_recordings)]
        rates = 100.0 * (np.array(found) < 0.05).mean(axis=0)
        now, before = ("".join(f"{rate:7.1f}" for rate in row) for row in rates)
        claimed = "yes" if world.claimed(minutes, by) else "no"
        print(f"{world.name:26}{now} | {before}   {claimed}", flush=True)


def print_coverage(n_recordings: int) -> None:
    """Shares of recordings whose 95 % interval of a score holds the truth."""
    worlds = [world for world in WORLDS if world.kind != "drift"]
    print(f"\ncoverage of 95 % intervals, per cent\n{'minutes':26}", *(f"{m:7d}" for m in MINUTES))
    half = stats.t(N_WAVES).ppf(0.975)
    for world in worlds:
        shown = []
        for minutes in MINUTES:
            rng = np.random.default_rng(1)
            # Gains of a fixed model, whose mean is known: the drives' two states are as frequent.
            share = np.full(1, 1.0) if world.kind == "constant" else np.full(2, 0.5)
            states = [USUAL] if world.kind == "constant" else [USUAL - CHANGE, USUAL + CHANGE]
            driven = float(share @ (1.0 / (1.0 + np.exp(-np.array(states)))))
            pair = np.array([np.outer([1 - q, q], [1 - q, q]).ravel() for q in (0.05, STRONG)])
            p = (1.0 - driven) * pair[0] + driven * pair[1]
            alone = np.outer(p.reshape(2, 2).sum(axis=1), p.reshape(2, 2).sum(axis=0)).ravel()
            gain, held = np.log2(p / alone), 0
            for _ in range(n_recordings):
                values = gain[recording(world, minutes, STRONG, rng)[1][:, 0]]
                held += abs(values.mean() - p @ gain) < half * mean_stderr(values)
            shown.append(f"{100.0 * held / n_recordings:7.1f}")
        print(f"{world.name:26}", *shown, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer recordings")
    parser.add_argument("--recordings", type=int, help="simulated recordings of each number")
    arguments = parser.parse_args()
    n = arguments.recordings or (100 if arguments.quick else 500)
    print_machine()
    error = 100.0 * math.sqrt(0.05 * 0.95 / n)
    print(f"\n{n:,} recordings of each number; ± {error:.1f} at 5 %")
    for minutes in MINUTES:
        print_rates(n, minutes, "blocks", STRONG)
    print_rates(n, MINUTES[1], "words", STRONG)
    for minutes in MINUTES[:2]:
        print_rates(n, minutes, "blocks", WEAK)
    print_coverage(n)


if __name__ == "__main__":
    main()
