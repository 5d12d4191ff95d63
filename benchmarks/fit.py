"""What a fit costs: the kernel's share of its processor time, and the way to a certificate.

First one fit of each model, at two sizes: its processor time and how much of that is spent in the
kernel of minimum probability flow. Then fits along the grid of L1 strengths to a certificate of
1e-6: evaluations of the objective, processor seconds and the worst certificate, on the simulated
recordings and on those beside the repository. Without a penalty hidden units have no finite
optimum, so that the grid begins at 1e-3.

    python benchmarks/fit.py [--quick]
    PYTHONPATH=../older/src python benchmarks/fit.py    # the same of another version

One thread, one fit after the other. Fits of the default tolerance end before their most iterations,
or the run fails.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np
from machine import most_active, print_machine, recordings
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.kernels.cpu import flip_sums

GRID = [1e-3, 2e-3, 4e-3, 6e-3, 8e-3, 1e-2]
TOLERANCE = 1e-6


class Kernel:
    """Counts evaluations, and the processor time that they spend in compiled code."""

    def __init__(self) -> None:
        self.n_evaluations, self.seconds = 0, 0.0
        module: Any = flip_sums
        module.sum_over_flips = self._timed(module.sum_over_flips, counts=True)
        module.Workspace.lay_out = self._timed(module.Workspace.lay_out, counts=False)

    def _timed(self, function: Callable[..., Any], counts: bool) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            started = time.process_time()
            result = function(*arguments)
            self.seconds += time.process_time() - started
            self.n_evaluations += counts
            return result

        return timed

    def measure(self, call: Callable[[], Any]) -> tuple[Any, float, int, float]:
        """What a call returns, its processor time, its evaluations, and the kernel's share."""
        self.n_evaluations, self.seconds = 0, 0.0
        started = time.process_time()
        result = call()
        seconds = time.process_time() - started
        return result, seconds, self.n_evaluations, self.seconds / seconds


def models(n_hidden: int, **settings: Any) -> list[Any]:
    settings |= {"objective": "mpf", "l1": 2e-3}
    return [mc.Ising(**settings), mc.RBM(n_hidden, **settings), mc.SemiRBM(n_hidden, **settings)]


def print_shares(kernel: Kernel, train: mc.Words) -> None:
    print("one fit at l1 = 2e-3           ms  evaluations  in the kernel")
    small = train.subset(np.sort(np.argsort(-train.rates)[:12]))
    for words, n_hidden in ((small, 10), (train, 25)):
        for model in models(n_hidden):
            model.fit(words)  # compiles
            runs = [kernel.measure(partial(model.fit, words)) for _ in range(3)]
            _, seconds, n_evaluations, share = min(runs, key=lambda run: run[1])
            size = f"{words.n_dims} x {n_hidden}" if hasattr(model, "n_hidden") else words.n_dims
            print(f"{type(model).__name__:9} {size!s:>10} {1e3 * seconds:12.1f}", end="")
            print(f" {n_evaluations:12} {share:14.0%}", flush=True)


def print_path(kernel: Kernel, name: str, words: mc.Words, n_hidden: int) -> None:
    size = f"{name[:20]}, {words.n_dims} units, {len(words)} words"
    for model in models(n_hidden, tol=TOLERANCE):
        fits, seconds, n_evaluations, share = kernel.measure(partial(model.fit_path, words, GRID))
        worst = max(fit.optimality_ for fit in fits)
        print(f"{size:43} {type(model).__name__:8} {n_evaluations:11} {seconds:7.2f}", end="")
        print(f" {share:7.0%} {worst:10.1e}  ", end="")
        print(" ".join(f"{fit.objective_:.6f}" for fit in fits[::2]), flush=True)


def all_converge(words: mc.Words, n_hidden: int) -> bool:
    """Whether default fits along the grid end before their most iterations."""
    paths = [model.fit_path(words, GRID) for model in models(n_hidden)]
    return all(fit.optimality_ <= fit.tol for path in paths for fit in path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="B4 alone, ten hidden units")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    numba.set_num_threads(1)
    print_machine()
    n_hidden = 10 if arguments.quick else 25
    sets = {
        name: mc.simulate.preset(name, seed=0).bin(0.020).split(0.5, by="words", random_state=0)[0]
        for name in (["B4"] if arguments.quick else mc.simulate.PRESETS)
    }
    kernel = Kernel()
    print_shares(kernel, sets["B4"])
    if not arguments.quick:
        sets |= {name: most_active(words, 30) for name, words in recordings().items()}
    print(
        f"\nsix L1 strengths to {TOLERANCE:g}, {n_hidden} hidden units (a SemiRBM's path includes"
    )
    print("those of the two models nested in it), and the objective at every second strength")
    print(f"{'words':43} {'model':8} evaluations seconds  kernel optimality")
    for name, words in sets.items():
        print_path(kernel, name, words, n_hidden)
    failed = [name for name, words in sets.items() if not all_converge(words, n_hidden)]
    print(f"default fits that did not converge: {', '.join(failed) or 'none'}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
