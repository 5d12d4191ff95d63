"""Are the assemblies there? Hidden units of simulated columns against the groups planted in them.

RBM and SemiRBM are fitted by flow to the training halves of several splits by blocks, at the
penalty that the validation part of the first split prefers. Each split in turn is described by
``mc.evaluate.assemblies`` with the others as further fits; counts are means over splits.

    python benchmarks/assemblies.py [--quick] [--presets NAME ...] [--models NAME ...]

A planted group is the listeners to the volleys of one layer, or a unit with those that it has
exciting synapses with. A hidden unit with two units or more counts as planted if at least 80 % of
the weight of its units lies in one planted group, else as invented; "strictly" counts all of its
positive weight, also that of units too weak to be named. Two lines per model: all hidden
units, and those that are called assemblies. Columns: how many; planted; invented; share planted;
the same strictly, and with the units of each permuted (chance); layers whose volleys were found, of
3; pairs of listeners to the same volleys that share a found group.

Last, the same for units that know nothing of each other: each is shifted in time by its own random
amount, so that whatever is found is invented. The penalty is the one of the words themselves: one
that is chosen anew leaves no hidden unit alive.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from machine import print_machine
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.evaluate import Assembly
from microcolumn.evaluate.recurrence import oriented_weights
from microcolumn.simulate import PRESETS

L1 = [1e-4, 3e-4, 1e-3, 3e-3]
PURE = 0.8
SHUFFLES = 200


class Count(NamedTuple):
    """What the hidden units of one fit are, against the truth."""

    number: float
    planted: float
    strictly: float
    by_chance: float
    layers: float
    pairs: float


def groups(truth: mc.simulate.Truth) -> tuple[np.ndarray, np.ndarray]:
    """Cells of each planted group, shapes (n_units, 3) and (n_units, n_hubs): volleys, synapses."""
    volleys = [drive.name for drive in truth.drives if drive.name.endswith("volleys")]
    n_units = truth.gains.shape[0]
    listens = np.stack([np.isin(np.arange(n_units), truth.members(name)) for name in volleys], 1)
    linked = np.eye(n_units, dtype=bool)
    for synapse in truth.synapses:
        if synapse.strength > 0.0:
            linked[synapse.source, synapse.target] = linked[synapse.target, synapse.source] = True
    return listens, linked[:, linked.sum(axis=0) > 1]


def purity(weights: np.ndarray, planted: np.ndarray) -> np.ndarray:
    """Largest share of the weight of each hidden unit, none negative, in one planted group."""
    shares: np.ndarray = (planted.T.astype(float) @ weights).max(axis=0) / weights.sum(axis=0)
    return shares


def count(
    found: Sequence[Assembly],
    weights: np.ndarray,
    truth: mc.simulate.Truth | None,
    rng: np.random.Generator,
) -> Count:
    """Compare some of the hidden units of a fit with the truth; None if nothing is planted."""
    if truth is None or not found:
        return Count(len(found), 0.0, 0.0, 0.0, 0.0, 0.0)
    listens, linked = groups(truth)
    planted = np.hstack((listens, linked))
    every = np.maximum(weights[:, [row.position for row in found]], 0.0)
    members = np.stack(
        [np.isin(np.arange(len(weights)), np.array(row.units, int)) for row in found]
    )
    of_units = every * members.T
    good = purity(of_units, planted) >= PURE
    shuffled = [
        (purity(rng.permuted(of_units, axis=0), planted) >= PURE).sum() for _ in range(SHUFFLES)
    ]
    together = np.zeros((len(weights),) * 2, dtype=bool)
    for units in members[good]:
        together |= np.outer(units, units)
    wanted = np.triu(listens.astype(int) @ listens.T.astype(int) > 0, 1)
    in_layer = purity(of_units, listens) >= PURE
    return Count(
        number=len(found),
        planted=good.sum(),
        strictly=(purity(every, planted) >= PURE).sum(),
        by_chance=np.mean(shuffled),
        layers=len(set((listens.T.astype(float) @ of_units).argmax(axis=0)[in_layer].tolist())),
        pairs=(together & wanted).sum() / wanted.sum(),
    )


def fitted(
    kind: type[mc.RBM], words: mc.Words, n_splits: int, l1: float | None
) -> list[tuple[mc.RBM, mc.Words]]:
    """A fit and its test part for each split, at ``l1`` or at the one that is preferred."""
    found = []
    model = kind(25, objective="mpf", l1=l1)
    for split in range(n_splits):
        rest, test = words.split(0.5, by="blocks", random_state=split)
        train, validation = rest.split(0.8, by="blocks", random_state=split)
        if l1 is None and split == 0:
            model.set_params(l1=mc.evaluate.choose_l1(model, train, validation, L1).best.l1)
        fit = kind(**model.get_params() | {"random_state": split}).fit(train)
        found.append((fit, test))
    return found


def print_rows(
    where: str,
    kind: type[mc.RBM],
    words: mc.Words,
    truth: mc.simulate.Truth | None,
    n_splits: int,
    l1: float | None = None,
) -> tuple[list[tuple[Count, Count]], float]:
    """Fit, match, compare, and print two lines; also returns the penalty."""
    fits = fitted(kind, words, n_splits, l1)
    rng = np.random.default_rng(0)
    counts = []
    for k, (fit, test) in enumerate(fits):
        others = [other for j, (other, _) in enumerate(fits) if j != k]
        rows = [
            row for row in mc.evaluate.assemblies([fit, *others], test) if row.verdict != "no group"
        ]
        stable = [row for row in rows if row.verdict == "assembly"]
        weights = oriented_weights(fit.parameters_)
        counts.append(tuple(count(each, weights, truth, rng) for each in (rows, stable)))
    for which, each in zip(("all", "assemblies"), zip(*counts, strict=True), strict=True):
        print_line(f"{where:14} {kind.__name__:8}", which, list(each), truth is not None)
    return counts, fits[0][0].l1


def print_line(where: str, which: str, counts: list[Count], planted: bool) -> None:
    mean = Count(*np.mean(counts, axis=0))
    if not planted:
        print(f"{where} {which:11} {mean.number:7.1f}", flush=True)
        return
    total = max(mean.number, 1e-9)
    shares = mean.planted / total, mean.strictly / total, mean.by_chance / total
    invented = mean.number - mean.planted
    print(
        f"{where} {which:11} {mean.number:7.1f} {mean.planted:8.1f} {invented:9.1f} "
        + " ".join(f"{share:8.1%}" for share in shares)
        + f" {mean.layers:7.1f} {mean.pairs:6.1%}",
        flush=True,
    )


def shifted(words: mc.Words, seed: int) -> mc.Words:
    """The same units, each shifted in time by its own random amount, around the end."""
    X, rng = words.X[words.index], np.random.default_rng(seed)
    columns = [np.roll(column, rng.integers(len(X))) for column in X.T]
    return mc.Words.from_array(np.stack(columns, axis=1), words.bin_width, units=words.units)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a quarter of an hour, three splits")
    parser.add_argument("--presets", nargs="+", choices=list(PRESETS), default=list(PRESETS))
    parser.add_argument("--models", nargs="+", choices=["RBM", "SemiRBM"])
    parser.add_argument("--splits", type=int, default=6)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    kinds = [getattr(mc, name) for name in arguments.models or ["RBM", "SemiRBM"]]
    n_splits = 3 if arguments.quick else arguments.splits
    print(
        f"{'preset':14} {'model':8} {'which':11} {'number':>7} {'planted':>8} {'invented':>9} "
        f"{'share':>8} {'strictly':>8} {'chance':>8} {'layers':>7} {'pairs':>6}"
    )
    pooled: list[tuple[Count, Count]] = []
    for name in arguments.presets:
        minutes = 15.0 if arguments.quick else PRESETS[name].minutes
        settings = PRESETS[name]._asdict() | {"minutes": minutes}
        recording = mc.simulate.microcolumn(seed=0, **settings)
        words = recording.bin(0.020)
        for kind in kinds:
            counts, l1 = print_rows(name, kind, words, recording.truth, n_splits)
            pooled += counts
            print_rows(f"{name} shifted", kind, shifted(words, 0), None, n_splits, l1)
    for which, each in zip(("all", "assemblies"), zip(*pooled, strict=True), strict=True):
        print_line(f"{'together':14} {'':8}", which, list(each), planted=True)


if __name__ == "__main__":
    main()
