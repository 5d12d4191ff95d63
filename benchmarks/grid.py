"""Where the chosen penalty lies in the grid made for the words, beside the paper's grid.

On simulated recordings and on those at hand, each split chooses the penalty of each model on its
validation part, once from the grid that is made for the words and once from the paper's. Printed
are both choices, whether the first is at an end of its grid, held-out bits/s above firing rates,
and the tail of the synchrony distribution: P(k units active) of the test words and of both models.

    python benchmarks/grid.py [--units 20] [--splits 2] [--model Ising --model RBM] [--quick]
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from machine import most_active, print_machine, recordings
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.study import Plan

MODELS = {"Ising": mc.Ising, "RBM": mc.RBM, "SemiRBM": mc.SemiRBM}
#: Values of k that are shown, the last at which the test words have as many bins.
N_SHOWN, FEWEST_BINS = 4, 10


def data_sets(n_units: int, minutes: float | None) -> dict[str, mc.Words]:
    found = {}
    for name in ("B4", "T6"):
        settings = mc.simulate.PRESETS[name]._asdict()
        if minutes is not None:
            settings["minutes"] = minutes
        found[name] = mc.simulate.microcolumn(seed=0, **settings).bin()
    return {
        name: most_active(words, min(n_units, words.n_units))
        for name, words in (found | recordings()).items()
    }


def tail(words: mc.Words, *models: mc.models.PopulationModel) -> str:
    """P(k) at the last values of k of which there are enough test words."""
    observed = mc.evaluate.synchrony(words).probability
    last = np.flatnonzero(observed * words.n_bins >= FEWEST_BINS)[-N_SHOWN:]
    expected = [mc.evaluate.synchrony(model).probability for model in models]
    rows = [
        f"P({k}) {observed[k]:.1e} ({', '.join(f'{p[k]:.1e}' for p in expected)})" for k in last
    ]
    return ", ".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=20)
    parser.add_argument("--hidden", type=int, default=25)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--objective", default="mpf")
    parser.add_argument("--model", action="append", choices=list(MODELS))
    parser.add_argument("--quick", action="store_true", help="8 units, 10 minutes of the presets")
    arguments = parser.parse_args()
    n_units, minutes = (8, 10.0) if arguments.quick else (arguments.units, None)
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    paper = Plan.paper().experiments[0].l1
    n_choices, at_end = 0, 0
    for name, words in data_sets(n_units, minutes).items():
        for model_name in arguments.model or ("Ising", "RBM"):
            for split in range(arguments.splits):
                settings = {
                    "objective": arguments.objective,
                    "random_state": split,
                    "max_iter": 1000,
                }
                if model_name != "Ising":
                    settings["n_hidden"] = arguments.hidden
                model = MODELS[model_name](**settings)
                train, test = words.split(0.5, by="blocks", random_state=split)
                train, validation = train.split(0.8, by="blocks", random_state=split)
                started = time.perf_counter()
                made = mc.evaluate.choose_l1(model, train, validation)
                old = mc.evaluate.choose_l1(model, train, validation, paper)
                scores = [mc.score(each.best, test) for each in (made, old)]
                n_choices, at_end = n_choices + 1, at_end + made.is_at_end
                print(f"{name:32} {model_name:7} split {split}: {made}", end="")
                print(f"{' AT AN END' if made.is_at_end else ''}, {scores[0]}", end="; ")
                print(f"paper's {old.best.l1:g}, {scores[1]}; ", end="")
                print(f"{time.perf_counter() - started:.0f} s", flush=True)
                print(f"    {tail(test, made.best, old.best)}", flush=True)
    print(f"at an end of the grid: {at_end} of {n_choices} choices")


if __name__ == "__main__":
    main()
