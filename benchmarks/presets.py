"""Statistics of the simulated recordings, and how the models fare on them.

For each preset: shares of 20 ms bins with one spike and with more (the paper: 2.4 % and 0.9 %),
correlations of binary words, time to simulate; then the models fitted by minimum probability flow,
with the penalty of each chosen from the paper's grid on a validation part, on held-out words. The
last column is the lead over a simpler model, over the same blocks of bins.

    python benchmarks/presets.py [--quick] [--seed 0]
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from machine import print_machine
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc

L1_VALUES = [0.0, 1e-3, 2e-3, 4e-3, 6e-3, 8e-3, 1e-2]


def describe(name: str, seed: int) -> mc.simulate.Microcolumn:
    mc.simulate.preset(name, seed=seed)  # compiles
    start = time.perf_counter()
    recording = mc.simulate.preset(name, seed=seed)
    seconds = time.perf_counter() - start
    binning = recording.binning(0.020)
    correlation = np.corrcoef(binning.words.expand().T.astype(float))
    layer = np.array(recording.units.layer)
    pairs = np.triu_indices(recording.n_units, 1)
    within = (layer[:, None] == layer)[pairs]
    correlation = correlation[pairs]
    print(f"\n{name}, seed {seed}: {recording}, simulated in {seconds:.1f} s")
    print(f"  bins with one spike {100 * binning.single_fraction:.2f} %, ", end="")
    print(f"with more {100 * binning.multiple_fraction:.2f} %")
    print(f"  correlations: mean {correlation.mean():.3f}, ", end="")
    print(f"within layers {correlation[within].mean():.3f}, ", end="")
    print(f"between {correlation[~within].mean():.3f}, ", end="")
    print(f"{100 * np.mean(correlation[within] > 0):.0f} % of pairs within layers positive")
    return recording


def chosen(
    model: mc.Ising | mc.RBM | mc.SemiRBM, train: mc.Words, validation: mc.Words
) -> mc.Ising | mc.RBM | mc.SemiRBM:
    """The fit along the grid of penalties that predicts the validation words best."""
    fits = model.fit_path(train, L1_VALUES)
    scores = mc.compare({str(fit.l1): fit for fit in fits}, validation).scores
    return max(fits, key=lambda fit: scores[str(fit.l1)].bits_per_second)


def lead(better: mc.Ising, worse: mc.Ising, test: mc.Words) -> str:
    pair = mc.compare({"better": better, "worse": worse}, test).pair("better", "worse")
    return f"{pair.bits_per_second:+.2f} ± {pair.stderr:.2f}"


def compare(recording: mc.simulate.Microcolumn, n_hidden: int) -> None:
    words = recording.bin(0.020)
    train, test = words.split(0.5, by="words", random_state=0)
    train, validation = train.split(0.8, by="words", random_state=0)
    start = time.perf_counter()
    models = {"Independent": mc.Independent().fit(train)}
    for name, model in {
        "Ising": mc.Ising(objective="mpf"),
        "RBM": mc.RBM(n_hidden, objective="mpf"),
        "SemiRBM": mc.SemiRBM(n_hidden, objective="mpf"),
    }.items():
        models[name] = chosen(model, train, validation)
    print(f"  fitted in {time.perf_counter() - start:.0f} s")
    for row in mc.compare(models, test).models:
        if row.name == "Independent":
            continue
        other = "Independent" if row.name == "Ising" else "Ising"
        print(f"  {row.name:8} l1 {models[row.name].l1:5g}  ", end="")
        print(f"{row.bits_per_second:6.2f} ± {row.stderr:.2f} bits/s  ", end="")
        print(f"{row.n_live_hidden:2.0f} hidden units, {row.n_couplings:3.0f} couplings  ", end="")
        print(f"{lead(models[row.name], models[other], test)} over {other}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="B4 alone, fewer hidden units")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    # Unpenalised fits of models with hidden units have no finite optimum to converge to.
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    for name in ["B4"] if arguments.quick else mc.simulate.PRESETS:
        recording = describe(name, arguments.seed)
        compare(recording, 8 if arguments.quick else 25)


if __name__ == "__main__":
    main()
