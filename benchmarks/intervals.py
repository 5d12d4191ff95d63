"""Coverage of 95 % intervals and the share of false discoveries, on words from known models.

Ising models have sparse couplings; words are drawn independently, or each one lasts for a while
(a new word with probability 0.3 per bin), as in recordings. Pairs are sorted by the coincidences
to be expected of the true model, divided by how many neighbouring words tell as much as one. Each
coverage is printed with its binomial error, and whether it lies within 92 to 97 %.

    python benchmarks/intervals.py [--quick]
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import pairwise

import numpy as np
from machine import print_machine

import microcolumn as mc
from microcolumn.partition import exact_expectations, exact_samples

#: Coverage that a nominal 95 % must lie within, give or take two errors of the benchmark itself.
_LOW, _HIGH = 0.92, 0.97
_CLASSES = (0, 3, 5, 10, 20, 50, 200, np.inf)


def known_ising(n_units: int, rng: np.random.Generator) -> mc.Parameters:
    """Sparse units, a quarter of the pairs coupled, both signs."""
    upper = np.triu(rng.normal(scale=0.5, size=(n_units, n_units)), 1)
    upper *= rng.random(upper.shape) < 0.25
    return mc.Parameters(b=rng.normal(-3.0, 0.8, size=n_units), J=upper + upper.T)


def words_of(theta: mc.Parameters, n_words: int, stay: float, rng: np.random.Generator) -> mc.Words:
    """Words of a model; each bin keeps the last word with probability ``stay``."""
    X = exact_samples(theta, n_words, rng)
    new = rng.random(n_words) >= stay
    new[0] = True
    return mc.Words.from_array(X[np.cumsum(new) - 1])


def ising(n_units: int, n_words: int, n_models: int, stay: float) -> bool:
    """Print the table of one setting; whether all coverages lie within the bounds."""
    rows, biases, discoveries = [], [], []
    for seed in range(n_models):
        rng = np.random.default_rng(seed)
        truth = known_ising(n_units, rng)
        words = words_of(truth, n_words, stay, rng)
        model = mc.Ising(l1=1e-3, objective="pseudolikelihood").fit(words)
        found = mc.evaluate.intervals(model, words)
        first, second = found.pairs.T
        J, pairs = truth.J[first, second], found.couplings
        expected = exact_expectations(truth)[1].J[first, second] * n_words / found.alike
        half = 0.5 * (pairs.high - pairs.low)
        shrunk = np.abs(model.J_[first, second] - J) <= np.where(np.isfinite(half), half, np.inf)
        held = (pairs.low <= J) & (pairs.high >= J)
        given = ~np.isnan(pairs.low)
        rows.append(np.column_stack([expected, given, held, shrunk, J == 0, pairs.p_value]))
        bias = found.biases
        biases.append((bias.low <= truth.b) & (truth.b <= bias.high))
        sure = pairs.significant(0.05)
        discoveries.append([sure.sum(), (sure & (J == 0)).sum(), (J != 0).sum()])
    kind = "independent words" if stay == 0.0 else "words that last 3.3 bins on average"
    print(f"\nIsing, {n_units} units, {n_words:,} {kind}, {n_models} models")
    print(
        "coincidences    pairs  with interval  coverage  around penalised J  p < 0.05 if J = 0"
        "  within 92 to 97 %"
    )
    table, good = np.concatenate(rows), True
    for low, high in pairwise(_CLASSES):
        of = table[(table[:, 0] >= low) & (table[:, 0] < high)]
        given = of[of[:, 1] == 1]
        if not len(given):
            continue
        null = given[given[:, 4] == 1]
        coverage = given[:, 2].mean()
        within, error = verdict(given[:, 2])
        good &= within != "no"
        name = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} and more"
        print(
            f"{name:14s} {len(of):6d} {len(given) / len(of):14.1%} {coverage:9.1%} "
            f"{given[:, 3].mean():19.1%} {np.sum(null[:, 5] < 0.05) / max(len(null), 1):18.1%}"
            f"  {within} (± {error:.1%})"
        )
    given = table[table[:, 1] == 1]
    n_sure, n_false, n_true = np.array(discoveries).T
    false = np.mean(n_false / np.maximum(n_sure, 1))
    power = np.sum(n_sure - n_false) / n_true.sum()
    good &= covers("couplings", given[:, 2])
    good &= covers("visible biases", np.concatenate(biases).astype(float))
    print(
        f"at a false discovery rate of 5 %: {false:.1%} false, {power:.0%} of the couplings found"
    )
    return good


def verdict(held: np.ndarray) -> tuple[str, float]:
    """Whether a coverage lies within the bounds, and its binomial error, of 95 % at least."""
    coverage = held.mean()
    error = np.sqrt(max(coverage * (1.0 - coverage), 0.05 * 0.95) / held.size)
    if _LOW <= coverage <= _HIGH:
        return "yes", error
    near = _LOW - 2 * error <= coverage <= _HIGH + 2 * error
    return "within its error of it" if near else "no", error


def covers(name: str, held: np.ndarray) -> bool:
    """Print a coverage with its verdict; false if it surely lies outside."""
    within, error = verdict(held)
    print(
        f"{name:17s} {held.size:6d} intervals, coverage {held.mean():.1%} ± {error:.1%}; "
        f"within {_LOW:.0%} to {_HIGH:.0%}: {within}"
    )
    return within != "no"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the models")
    fewer = 5 if parser.parse_args().quick else 1
    print_machine()
    started = time.perf_counter()
    good = [
        ising(10, 20_000, 150 // fewer, 0.0),
        ising(10, 20_000, 150 // fewer, 0.7),
        ising(20, 40_000, 40 // fewer, 0.0),
        ising(20, 40_000, 40 // fewer, 0.7),
    ]
    print(f"\n{time.perf_counter() - started:.0f} s")
    if not all(good):
        sys.exit(f"a coverage lies outside {_LOW:.0%} to {_HIGH:.0%}")


if __name__ == "__main__":
    main()
