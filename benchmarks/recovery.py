"""Parameter recovery: the error of an unpenalised Ising fit by minimum probability flow.

Words are drawn independently and exactly from a known model; minimum probability flow is
consistent for it, so the error of its parameters must fall as one over the square root of the
number of words. Every number of words is drawn several times anew.

    python benchmarks/recovery.py [--quick]
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
from machine import print_machine

import microcolumn as mc
from microcolumn.partition import exact_samples


def known_model(n_units: int, seed: int = 0) -> mc.Parameters:
    """Sparse units, each coupled to about a third of the others, both signs."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(scale=0.25, size=(n_units, n_units)), 1)
    upper *= rng.random(upper.shape) < 1 / 3
    return mc.Parameters(b=rng.normal(-1.5, 0.3, size=n_units), J=upper + upper.T)


def errors(truth: mc.Parameters, X: np.ndarray) -> tuple[float, float]:
    """Root mean squared errors of the couplings (upper half) and of the biases."""
    model = mc.Ising(l1=0.0, objective="mpf").fit(X)
    assert truth.J is not None
    pairs = np.triu_indices(truth.n_units, 1)
    couplings = model.J_[pairs] - truth.J[pairs]
    return float(np.sqrt(np.mean(couplings**2))), float(np.sqrt(np.mean((model.b_ - truth.b) ** 2)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="10 units, up to 10^5 words")
    arguments = parser.parse_args()
    n_units, sizes, n_repeats = 20, [10_000, 31_623, 100_000, 316_228, 1_000_000], 3
    if arguments.quick:
        n_units, sizes, n_repeats = 10, [3_000, 10_000, 30_000, 100_000], 8
    print_machine()
    truth = known_model(n_units)
    print(f"{n_units}-unit Ising model, {n_repeats} draws per size, l1 = 0, objective mpf")
    print("      words   error of J   error of b   error of J x sqrt(words)   seconds per fit")
    rng, table = np.random.default_rng(1), []
    for size in sizes:
        X = exact_samples(truth, size * n_repeats, rng).reshape(n_repeats, size, n_units)
        started = time.perf_counter()
        error = np.sqrt(np.mean(np.square([errors(truth, part) for part in X]), axis=0))
        seconds = (time.perf_counter() - started) / n_repeats
        table.append(error)
        print(f"{size:11,d} {error[0]:12.5f} {error[1]:12.5f} ", end="")
        print(f"{error[0] * np.sqrt(size):26.3f} {seconds:17.2f}")
    slopes = np.polyfit(np.log(sizes), np.log(table), 1)[0]
    print(
        f"slope of log error against log words: J {slopes[0]:.3f}, b {slopes[1]:.3f} (theory -0.5)"
    )
    if np.abs(slopes + 0.5).max() > 0.1:
        sys.exit("the error does not fall as one over the square root of the number of words")


if __name__ == "__main__":
    main()
