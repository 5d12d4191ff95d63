"""How much a model with hidden units depends on the random start of its fit.

RBMs and semi-restricted RBMs are fitted by likelihood, as by default, to half of the blocks of
three simulated and three real recordings, from five seeds each. All fits to a recording have the
penalty that ``choose_l1`` finds for the smallest RBM with the first seed. Printed are bits/s over
independent units on the other half; by how much the best seed exceeds the first, and the worst, per
20 units; how far the penalised objective lies above its lowest value, in bits/s of the training
words; and processor seconds. Objectives and scores of sampled models are estimates: the last column
has the median standard error of the gain that their certificates state (0 for exact sums).

    python benchmarks/starts.py [--hidden 10 25] [--models RBM] [--recordings T6 rat] [--quick]
"""

from __future__ import annotations

import argparse
import time
import warnings

import machine
import numba
import numpy as np
from threadpoolctl import threadpool_limits

import microcolumn as mc

ALLOWED = 0.1  # bits/s per 20 units that the first seed may be below the best one
BIN_WIDTH = 0.020  # s


def data_sets(minutes: float, n_units: int, names: tuple[str, ...]) -> dict[str, mc.Words]:
    """The first minutes of the recordings, with their most active units alone."""
    sets = {}
    for name, preset in mc.simulate.PRESETS.items():
        if name.startswith(names):
            settings = preset._asdict() | {"minutes": minutes}
            sets[name] = mc.simulate.microcolumn(seed=0, **settings).bin(BIN_WIDTH)
    for path in sorted(machine.RECORDINGS.glob("*.npz")):
        if path.stem.startswith(names):
            X = machine.binned(path, BIN_WIDTH)[: round(minutes * 60.0 / BIN_WIDTH)]
            sets[path.stem] = mc.Words.from_array(X, BIN_WIDTH)
    return {
        name: machine.most_active(words, min(n_units, words.n_units))
        for name, words in sets.items()
    }


def penalty_of(n_hidden: int, train: mc.Words) -> float:
    """The penalty that a fifth of the training words likes best."""
    fitted, kept = train.split(0.8, by="blocks", random_state=0)
    model = mc.RBM(n_hidden, random_state=0)
    return float(mc.evaluate.choose_l1(model, fitted, kept, "coarse").best.l1)


def spread(
    model: type, n_hidden: int, l1: float, train: mc.Words, test: mc.Words, n_seeds: int
) -> tuple[str, float]:
    """What fits from several seeds reach, and by how much the best exceeds the first."""
    scores, objectives, seconds, errors = [], [], [], []
    for seed in range(n_seeds):
        started = time.process_time()
        fitted = model(n_hidden, l1=l1, random_state=seed).fit(train)
        seconds.append(time.process_time() - started)
        scores.append(mc.score(fitted, test).bits_per_second)
        objectives.append(fitted.objective_)
        errors.append(fitted.certificate_.gain_stderr or 0.0)
    per_20, per_second = 20.0 / train.n_units, 1.0 / (np.log(2.0) * BIN_WIDTH)
    missed, whole = per_20 * (max(scores) - scores[0]), per_20 * np.ptp(scores)
    above = per_second * (np.array(objectives) - min(objectives))
    columns = [
        " ".join(f"{score:.2f}" for score in scores),
        f"first {missed:.3f} and worst {whole:.3f} below the best",
        " ".join(f"{each:.2f}" for each in above),
        f"{np.median(seconds):.1f} s",
        f"{per_second * np.median(errors):.2f}",
    ]
    return " | ".join(columns), missed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=60)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--hidden", type=int, nargs="+", default=[10, 25])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--recordings", nargs="+", default=[""], help="beginnings of their names")
    parser.add_argument("--models", nargs="+", default=["RBM", "SemiRBM"])
    parser.add_argument("--quick", action="store_true", help="10 minutes, 20 units, 10 hidden")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.minutes, arguments.units, arguments.hidden = 10.0, 20, [10]
    machine.print_machine()
    numba.set_num_threads(1)
    threadpool_limits(limits=1)
    warnings.simplefilter("ignore")
    print("bits/s | per 20 units | objective above the lowest, bits/s | fit | error, bits/s")
    names = tuple(arguments.recordings)
    missed = []
    for name, words in data_sets(arguments.minutes, arguments.units, names).items():
        train, test = words.split(0.5, by="blocks", random_state=0)
        l1 = penalty_of(min(arguments.hidden), train)
        print(f"{name}: {words.n_units} units, {train.n_bins} words, l1={l1:.2g}", flush=True)
        for model in (getattr(mc, each) for each in arguments.models):
            for n_hidden in arguments.hidden:
                line, gap = spread(model, n_hidden, l1, train, test, arguments.seeds)
                missed.append(gap)
                print(f"  {model.__name__} {n_hidden}: {line}", flush=True)
    n_above = sum(gap > ALLOWED for gap in missed)
    print(f"the first seed is at most {max(missed):.3f} below the best, ", end="")
    print(f"more than {ALLOWED:g} in {n_above} of {len(missed)} cases")


if __name__ == "__main__":
    main()
