"""Exact maximum likelihood: how long it takes, and how it scores against probability flow.

First the time of penalised exact fits at 20 units and 90,000 words (at most 60 s is wanted on two
cores). Then held-out scores: each model is fitted by both objectives at every penalty of the
grid, the penalty is chosen on validation words, and the score is that of test words which neither
the fit nor the choice has seen. The likelihood's score must not lie below the flow's by more
than its error bar.

    python benchmarks/likelihood.py [--quick]
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

from machine import most_active, print_machine, recordings
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc

GRID = [0.0, 1e-3, 2e-3, 4e-3, 6e-3, 8e-3, 10e-3]
WANTED_SECONDS = 60.0


def models(n_hidden: int, **settings: object) -> list[mc.Ising | mc.RBM | mc.SemiRBM]:
    return [
        mc.Ising(**settings),
        mc.RBM(n_hidden, **settings),
        mc.SemiRBM(n_hidden, **settings),
    ]


def time_fits(n_hidden: int) -> bool:
    """Whether all fits of 20 units and 90,000 words took less than a minute."""
    train, _ = mc.simulate.microcolumn(20, minutes=60, seed=0).bin().split(0.5, random_state=0)
    print(f"time of exact penalised fits: {train.n_units} units, {train.n_bins:,} words, ", end="")
    print(f"{len(train):,} distinct, {n_hidden} hidden units, l1 = 0.002")
    in_time = True
    for model in models(n_hidden, objective="likelihood"):
        model.fit(train.subset(range(6)))  # compile
        started = time.perf_counter()
        model.fit(train)
        seconds = time.perf_counter() - started
        in_time &= seconds < WANTED_SECONDS
        print(f"  {type(model).__name__:8} {seconds:7.2f} s, optimality {model.optimality_:.1e}")
    return in_time


def chosen(
    model: mc.Ising | mc.RBM | mc.SemiRBM, train: mc.Words, validation: mc.Words, grid: list[float]
) -> mc.Ising | mc.RBM | mc.SemiRBM:
    """The fit along the grid with the highest validation score."""
    return max(model.fit_path(train, grid), key=lambda fitted: fitted.score(validation))


def held_out(name: str, words: mc.Words, n_hidden: int, grid: list[float], max_iter: int) -> bool:
    """Print the scores of both objectives; whether the likelihood's is never clearly below."""
    train, rest = words.split(0.5, random_state=0)
    validation, test = rest.split(0.3, random_state=1)
    print(f"{name}: {words.n_units} units, {train.n_bins:,} training words, bits/s of test words")
    fair = True
    settings = {"max_iter": max_iter, "tol": 1e-6}
    for flow, exact in zip(
        models(n_hidden, **settings),
        models(n_hidden, **settings, objective="likelihood"),
        strict=True,
    ):
        started = time.perf_counter()
        fits = {
            "mpf": chosen(flow, train, validation, grid),
            "likelihood": chosen(exact, train, validation, grid),
        }
        compared = mc.compare(fits, test)
        by_flow, by_likelihood = (
            f"{each.bits_per_second:.2f} ± {each.block_stderr:.2f} bits/s"
            for each in (compared.scores["mpf"], compared.scores["likelihood"])
        )
        pair = compared.pair("likelihood", "mpf")
        fair &= pair.bits_per_second > -compared.scores["likelihood"].block_stderr
        print(
            f"  {type(flow).__name__:8} mpf {by_flow} (l1 {fits['mpf'].l1:g})   likelihood "
            f"{by_likelihood} (l1 {fits['likelihood'].l1:g})   likelihood - mpf "
            f"{pair.bits_per_second:+.2f} ± {pair.block_stderr:.2f}   "
            f"{time.perf_counter() - started:.0f} s",
            flush=True,
        )
    return fair


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer units, strengths, iterations")
    arguments = parser.parse_args()
    # The unpenalised fits of models with hidden units have no finite optimum to converge to.
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    good = time_fits(n_hidden=25)
    n_units, n_hidden, grid, max_iter = 20, 12, GRID, 200
    if arguments.quick:
        n_units, n_hidden, grid, max_iter = 12, 6, [0.0, 1e-3, 4e-3], 100
    sets = {"simulated": mc.simulate.microcolumn(n_units, minutes=60, seed=0).bin()}
    sets |= {name: most_active(words, n_units) for name, words in recordings().items()}
    for name, words in sets.items():
        good &= held_out(name, words, n_hidden, grid, max_iter)
    if not good:
        sys.exit("a fit took too long, or likelihood scored below flow by more than its error bar")


if __name__ == "__main__":
    main()
