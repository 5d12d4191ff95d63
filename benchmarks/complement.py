"""What the complement neighbour of minimum probability flow does to held-out scores.

Every model is fitted with and without the word of all bits flipped among the neighbours, on all
recordings at hand (their most active units, and sparser ones) and on simulated words, at several
penalties. The table gives held-out bits/s; the differences at the bottom, at equal penalties and
at the best penalty of each, are what the default is chosen from.

    python benchmarks/complement.py [--quick]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from machine import most_active, print_machine, recordings
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc

L1_VALUES = [0.0, 1e-3, 2e-3, 4e-3, 1e-2]


def data_sets(n_units: int) -> dict[str, mc.Words]:
    sets = {"simulated": mc.simulate.microcolumn(n_units, minutes=60, seed=0).bin()}
    for name, words in recordings().items():
        sets[f"{name}, most active"] = most_active(words, n_units)
        by_rate = np.argsort(-words.rates)[n_units:]  # the next ones: sparse, yet not silent
        sets[f"{name}, sparser"] = words.subset(np.sort(by_rate[:n_units]))
    return sets


def differences(
    model: mc.Ising | mc.RBM | mc.SemiRBM, train: mc.Words, test: mc.Words, l1_values: list[float]
) -> list[tuple[float, float, float, float]]:
    """Per penalty: bits/s without and with the complement, their difference and its error."""
    without, within = (
        model.set_params(complement=wanted).fit_path(train, l1_values) for wanted in (False, True)
    )
    found = []
    for plain, extended in zip(without, within, strict=True):
        compared = mc.compare({"plain": plain, "extended": extended}, test)
        scores = [compared.scores[name].bits_per_second for name in ("plain", "extended")]
        pair = compared.pair("extended", "plain")
        found.append((*scores, pair.bits_per_second, pair.block_stderr))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer units and iterations")
    arguments = parser.parse_args()
    n_units, n_hidden, max_iter = (10, 4, 60) if arguments.quick else (14, 10, 300)
    # The unpenalised fits of models with hidden units have no finite optimum to converge to.
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    print(f"{n_units} units, {n_hidden} hidden units, at most {max_iter} iterations per start")
    columns = f"{'words':42} {'model':8} {'l1':>6} {'without':>8} {'with':>8} {'difference':>11}"
    print(f"{columns}, bits/s")
    settings = {"tol": 1e-6, "max_iter": max_iter}
    gains: dict[tuple[str, str], list[float]] = {}
    for name, words in data_sets(n_units).items():
        train, test = words.split(0.5, random_state=0)
        for model in (
            mc.Ising(**settings),
            mc.RBM(n_hidden, **settings),
            mc.SemiRBM(n_hidden, **settings),
        ):
            kind = type(model).__name__
            results = differences(model, train, test, L1_VALUES)
            for l1, (plain, extended, gain, stderr) in zip(L1_VALUES, results, strict=True):
                gains.setdefault((kind, f"l1 {l1:g}"), []).append(gain)
                print(f"{name:42} {kind:8} {l1:6g} {plain:8.2f} {extended:8.2f} ", end="")
                print(f"{gain:+8.2f} ± {stderr:.2f}", flush=True)
            best = np.max([result[:2] for result in results], axis=0)
            gains.setdefault((kind, "best l1"), []).append(best[1] - best[0])
    print("with minus without the complement over data sets, bits/s")
    for (kind, where), values in sorted(gains.items()):
        print(f"  {kind:8} {where:10} mean {np.mean(values):+8.3f}, ", end="")
        print(f"median {np.median(values):+.3f}, {min(values):+.2f} to {max(values):+.2f}")


if __name__ == "__main__":
    main()
