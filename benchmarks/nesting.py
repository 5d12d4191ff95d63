"""Nested models nest: the sRBM's penalised objective against those of the RBM and the Ising model.

Every data set is fitted at every penalty of the grid, one by one and as a path; without a penalty
validation words end the fits, and models nest on those words only. A violation is how
far the sRBM's objective lies above the smaller of the two others; more than 1e-6 fails the run.

    python benchmarks/nesting.py [--quick]
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

import numpy as np
from machine import most_active, print_machine, recordings
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc

GRID = [1e-4, 1e-3, 2e-3, 4e-3, 6e-3, 8e-3, 10e-3]
ALLOWED = 1e-6


def random_model(kind: str, n_units: int, scale: float, seed: int) -> mc.Words:
    """Words drawn from a random model of one kind, spikes made rare by the biases."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(scale=scale, size=(n_units, n_units)), 1)
    theta = mc.Parameters(
        b=rng.normal(-1.5, 0.5, size=n_units),
        J=upper + upper.T if kind != "rbm" else None,
        W=rng.normal(scale=3 * scale, size=(n_units, 3)) if kind != "ising" else None,
        c=np.full(3, -2.0) if kind != "ising" else None,
    )
    cls = {"ising": mc.Ising, "rbm": mc.RBM, "srbm": mc.SemiRBM}[kind]
    return mc.Words.from_array(cls.from_parameters(theta).sample(5000, random_state=seed))


def data_sets() -> dict[str, mc.Words]:
    """At least 20 sets of words: random, simulated and recorded."""
    rng = np.random.default_rng(0)
    sets = {
        "coins, few": mc.Words.from_array(rng.integers(0, 2, size=(60, 6))),
        "coins, many": mc.Words.from_array(rng.integers(0, 2, size=(5000, 6))),
        "sparse": mc.Words.from_array((rng.random((3000, 10)) < 0.03).astype(np.uint8)),
    }
    for kind in ("ising", "rbm", "srbm"):
        for scale in (0.4, 1.0):
            sets[f"random {kind} {scale}"] = random_model(kind, 9, scale, seed=1)
    for n_units, minutes, seed in ((6, 2, 0), (8, 10, 1), (10, 30, 2), (12, 10, 3), (14, 10, 4)):
        sets[f"simulated {n_units}"] = mc.simulate.microcolumn(n_units, minutes, seed).bin()
    sets["simulated 5 x 2 bins"] = mc.simulate.microcolumn(5, 10, seed=5).bin().embed(2)
    for name, words in recordings().items():
        by_rate = np.argsort(-words.rates)
        sets[f"{name} 8"] = most_active(words, 8)
        sets[f"{name} 14"] = most_active(words, 14)
        sets[f"{name} sparse 12"] = words.subset(np.sort(by_rate[15:27]))
    return sets


def worst_violation(
    words: mc.Words, objective: str, l1_values: list[float], n_hidden: int, max_iter: int
) -> float:
    """Largest excess of the sRBM's objective, over L1 strengths, fits and paths."""
    settings = {"objective": objective, "max_iter": max_iter}
    hidden = settings | {"n_hidden": n_hidden}
    models = [mc.Ising(**settings), mc.RBM(**hidden), mc.SemiRBM(**hidden)]
    excess = []
    paths = [model.fit_path(words, l1_values) for model in models]
    for k, l1 in enumerate(l1_values):
        single = [model.set_params(l1=l1).fit(words).objective_ for model in models]
        for ising, rbm, srbm in (single, [path[k].objective_ for path in paths]):
            excess.append(srbm - min(ising, rbm))
    return max(excess)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer iterations and hidden units")
    arguments = parser.parse_args()
    max_iter, n_hidden = (60, 3) if arguments.quick else (400, 8)
    # Where iterations run out, models must nest all the same; the warning is beside the point.
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    sets = data_sets()
    print(f"{len(sets)} data sets x {len(GRID)} L1 strengths x (single fits, path), ", end="")
    print(f"{n_hidden} hidden units, at most {max_iter} iterations per start")
    worst = -np.inf
    for name, words in sets.items():
        runs = [("mpf", GRID, n_hidden, max_iter)]
        if words.n_dims <= 8:  # an exact sum per iteration: quick for few units alone
            runs.append(("likelihood", [1e-4, 2e-3, 10e-3], 3, 60))
        for objective, l1_values, n_used, n_iter in runs:
            started = time.perf_counter()
            excess = worst_violation(words, objective, l1_values, n_used, n_iter)
            worst = max(worst, excess)
            seconds = time.perf_counter() - started
            print(
                f"{name:42} {objective:10} sRBM - min {excess:+.1e}  {seconds:6.1f} s", flush=True
            )
    print(f"worst violation {worst:+.1e} (allowed {ALLOWED:.0e})")
    if worst > ALLOWED:
        sys.exit(1)


if __name__ == "__main__":
    main()
