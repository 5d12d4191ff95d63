"""How often two equally good models are told apart: false positives of the verdicts at 5 %.

Cells come in groups of two that are exchangeable, and model g couples the cells of group g alone:
no model is better than another, by symmetry. Models are probabilities of the four words of a pair,
in closed form, fitted anew to each training part of ``Words.split`` and scored on its test part;
``paired_difference`` gives the verdict as it does in a study. Each number is the share of simulated
recordings, in per cent, in which p < 0.05. Two splits are tested here although no verdict rests on
fewer than three.

    python benchmarks/nulls.py [--quick] [--recordings N]

Rates are stationary; or drift together, all cells alike; or each group's drive wanders by itself,
so that one model is the better one for a while, by a first-order process whose time constant is
given in blocks (a twentieth of the recording). In "none coupled" nothing but noise is fitted. The
second table is how often any of three equal models is called better than another after the
correction for three pairs (Holm). "claimed" says whether the test claims to hold: splits by blocks
do not where one model is better for longer than a third of a block, splits by words not at all
where the drive wanders.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from machine import print_machine
from numpy.typing import NDArray
from scipy.signal import lfilter

import microcolumn as mc
from microcolumn.evaluate.paired import judged_together, paired_difference

Floats = NDArray[np.float64]
#: Bins of a recording; blocks of a split; numbers of splits.
N_BINS, N_BLOCKS, SPLITS = 4000, 20, (2, 3, 5, 10)
#: Standard deviation of the log odds of a drive that drifts.
DRIFT = 1.0


class World(NamedTuple):
    """How the drives of the groups change over a recording."""

    name: str
    together: bool = False  # whether all groups drift alike
    time_blocks: float = 0.0  # time constant, in blocks; 0 for none
    coupled: bool = True
    claimed: tuple[str, ...] = ("words", "blocks")  # splits whose test claims to hold here


WORLDS = (
    World("stationary"),
    World("none coupled", coupled=False, claimed=()),
    World("drift of all cells, 1 block", together=True, time_blocks=1.0),
    World("drift of all cells, 20 blocks", together=True, time_blocks=20.0),
    World("wandering, 0.03 blocks", time_blocks=0.03, claimed=("blocks",)),
    World("wandering, 0.1 blocks", time_blocks=0.1, claimed=("blocks",)),
    World("wandering, 0.3 blocks", time_blocks=0.3, claimed=("blocks",)),
    World("wandering, 1 block", time_blocks=1.0, claimed=()),
    World("wandering, 20 blocks", time_blocks=20.0, claimed=()),
)


def recording(world: World, n_groups: int, rng: np.random.Generator) -> mc.Words:
    """Cells of a group fire with probability 0.6 in bins with their drive, else with 0.05."""
    logits = np.full((N_BINS, n_groups), -2.0)
    if world.time_blocks:
        kept = np.exp(-N_BLOCKS / (world.time_blocks * N_BINS))
        n_drifts = 1 if world.together else n_groups
        noise = rng.normal(size=(N_BINS, n_drifts)) * np.sqrt(1.0 - kept**2)
        start = kept * rng.normal(size=(1, n_drifts))
        logits += DRIFT * lfilter([1.0], [1.0, -kept], noise, axis=0, zi=start)[0]
    driven = rng.random((N_BINS, n_groups)) < 1.0 / (1.0 + np.exp(-logits))
    p = np.where(driven, 0.6, 0.05) if world.coupled else np.full(driven.shape, 0.2)
    return mc.Words.from_array(rng.random((N_BINS, 2 * n_groups)) < np.repeat(p, 2, axis=1))


def pair_counts(words: mc.Words, n_groups: int) -> Floats:
    """How often each group has each of its four words, shape (n_groups, 2, 2)."""
    codes = words.X.reshape(-1, n_groups, 2) @ np.array([2, 1])
    counts = [np.bincount(codes[:, g], words.counts, minlength=4) for g in range(n_groups)]
    return np.array(counts).reshape(n_groups, 2, 2)


def coupling_scores(train: mc.Words, test: mc.Words, n_groups: int) -> Floats:
    """Nats per word that each model's coupling gains over independent cells on the test part."""
    fitted = pair_counts(train, n_groups) + 0.25
    p = fitted / fitted.sum(axis=(1, 2), keepdims=True)
    independent = p.sum(axis=2, keepdims=True) * p.sum(axis=1, keepdims=True)
    gain = np.log(p) - np.log(independent)
    return (pair_counts(test, n_groups) * gain).sum(axis=(1, 2)) / test.n_bins


def p_values(
    world: World, by: Literal["words", "blocks"], n_groups: int, rng: np.random.Generator
) -> Floats:
    """Smallest p over pairs of models after Holm's correction, by number of splits."""
    words = recording(world, n_groups, rng)
    parts = [words.split(0.5, by=by, random_state=rng) for _ in range(max(SPLITS))]
    scores = np.array([coupling_scores(*each, n_groups) for each in parts])
    n_blocks = N_BLOCKS if by == "blocks" else None
    found = []
    for n in SPLITS:
        pairs = [
            paired_difference(
                "A", "B", scores[:n, a] - scores[:n, b], np.zeros(n), 1.0, n_blocks=n_blocks
            )
            for a, b in combinations(range(n_groups), 2)
        ]
        found.append(min(pair.p_holm for pair in judged_together([p for p in pairs if p])))
    return np.array(found)


def print_rates(n_recordings: int, n_groups: int, worlds: tuple[World, ...]) -> None:
    header = "".join(f"{f'{n} splits':>10}" for n in SPLITS)
    print(f"{'rates':32} {'split by':8} {header}   claimed")
    for world in worlds:
        for by in ("words", "blocks"):
            rng = np.random.default_rng(0)
            found = [p_values(world, by, n_groups, rng) for _ in range(n_recordings)]
            rates = 100.0 * (np.array(found) < 0.05).mean(axis=0)
            shown = "".join(f"{rate:10.1f}" for rate in rates)
            claimed = "yes" if by in world.claimed else "no"
            print(f"{world.name:32} {by:8} {shown}   {claimed}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer recordings")
    parser.add_argument("--recordings", type=int, help="simulated recordings of each row")
    arguments = parser.parse_args()
    n = arguments.recordings or (200 if arguments.quick else 2500)
    print_machine()
    error = 100.0 * np.sqrt(0.05 * 0.95 / n)
    print(f"\ntwo equal models, {n:,} recordings of {N_BINS:,} bins; ± {error:.1f} at 5 %")
    print_rates(n, 2, WORLDS)
    print("\nany of three equal models called better than another, corrected for three pairs")
    print_rates(n, 3, (WORLDS[0], WORLDS[3]))


if __name__ == "__main__":
    main()
