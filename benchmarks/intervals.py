"""Coverage of 95 % intervals and the share of false discoveries, on words from known models.

Ising models have sparse couplings; words are drawn independently, or each one lasts for a while
(a new word with probability 0.3 per bin), as in recordings. Pairs are sorted by the coincidences
to be expected of the true model, divided by how many neighbouring words tell as much as one. RBMs
have planted assemblies, or are like the one that is fitted to half of the simulated recording B4:
many hidden units, some of them much alike, and fits that find more or fewer of them. Fitted hidden
units are matched to the true ones. Each coverage is printed with its binomial error, and whether
it lies within 92 to 97 %.

    python benchmarks/intervals.py [--quick] [--only PART]
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import pairwise

import numpy as np
from machine import print_machine
from scipy.optimize import linear_sum_assignment

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


def known_rbm(n_units: int, n_hidden: int, rng: np.random.Generator) -> mc.Parameters:
    """Assemblies of five units each, neighbours share one; off in the silent word."""
    W = np.zeros((n_units, n_hidden))
    for i, first in enumerate(4 * np.arange(n_hidden)):
        W[first : first + 5, i] = rng.uniform(2.0, 3.5, size=5)
    return mc.Parameters(b=rng.normal(-3.0, 0.3, size=n_units), W=W, c=np.full(n_hidden, -3.0))


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


def rbm(n_units: int, n_hidden: int, n_words: int, n_models: int, stay: float) -> bool:
    """Print coverage of weights, hidden biases and visible biases of planted assemblies."""
    held: dict[str, list[np.ndarray]] = {"members": [], "others": [], "c": [], "b": []}
    n_right, n_given, n_false, n_sure = 0, [], [], []
    for seed in range(n_models):
        rng = np.random.default_rng(seed)
        truth = known_rbm(n_units, n_hidden, rng)
        words = words_of(truth, n_words, stay, rng)
        model = mc.RBM(n_hidden=n_hidden, l1=2e-4, random_state=0)
        model.fit(words)
        found = mc.evaluate.intervals(model, words)
        if found.hidden.size != n_hidden:
            continue
        cost = -(truth.W.T @ model.W_[:, found.hidden])
        order = linear_sum_assignment(cost)[1]
        matched = np.corrcoef(truth.W.T, model.W_[:, found.hidden[order]].T)
        if (np.diagonal(matched[:n_hidden, n_hidden:]) < 0.8).any():
            continue  # another optimum than the planted one
        n_right += 1
        W, c, b = found.weights, found.hidden_biases, found.biases
        inside = (W.low[:, order] <= truth.W) & (W.high[:, order] >= truth.W)
        given = ~np.isnan(W.low[:, order])
        member = truth.W != 0
        held["members"].append(inside[member & given])
        held["others"].append(inside[~member & given])
        n_given.append(given.mean())
        held["c"].append((c.low[order] <= truth.c) & (truth.c <= c.high[order]))
        held["b"].append((b.low <= truth.b) & (truth.b <= b.high))
        sure = W.significant(0.05)[:, order]
        n_sure.append(sure.sum())
        n_false.append((sure & ~member).sum())
    kind = "independent words" if stay == 0.0 else "words that last 3.3 bins on average"
    print(f"\nRBM, {n_units} units, {n_hidden} assemblies, {n_words:,} {kind}")
    print(f"{n_right} of {n_models} fits have the planted assemblies")
    shares = {name: np.concatenate(each).astype(float) for name, each in held.items()}
    names = {"members": "weights, members", "others": "weights, others"}
    names |= {"c": "hidden biases", "b": "visible biases"}
    good = True
    for name, each in shares.items():
        good &= covers(names[name], each)
    false = np.mean(np.array(n_false) / np.maximum(n_sure, 1))
    print(
        f"weights with an interval: {np.mean(n_given):.1%}; false discoveries at 5 %: {false:.1%}"
    )
    return good


def fitted(objective: str, l1: float, n_words: int, n_models: int) -> bool:
    """Print coverage of an RBM with 25 hidden units where the truth is one fitted to B4."""
    recorded = mc.simulate.preset("B4").bin(0.020)
    half, _ = recorded.split(0.5, by="blocks", random_state=0)
    truth = mc.RBM(25, l1=5.2e-5, random_state=0).fit(half).parameters_
    truth = truth.drop_dead_units()[0]
    held: list[np.ndarray] = []
    n_live, n_matched, n_kept, seconds, n_sure, n_wrong = [], 0, 0, [], 0, 0
    for seed in range(n_models):
        words = mc.Words.from_array(exact_samples(truth, n_words, np.random.default_rng(seed)))
        model = mc.RBM(25, l1=l1, objective=objective, random_state=0).fit(words)
        n_live.append(int(model.parameters_.live.sum()))
        started = time.perf_counter()
        try:
            found = mc.evaluate.intervals(model, words)
        except ValueError as error:
            print(f"draw {seed}: {error}")
            continue
        seconds.append(time.perf_counter() - started)
        weights = model.W_[:, found.hidden]
        norms = np.outer(np.linalg.norm(truth.W, axis=0), np.linalg.norm(weights, axis=0))
        cosines = truth.W.T @ weights / norms
        true, own = linear_sum_assignment(-cosines)
        alike = cosines[true, own] >= 0.8
        true, own = true[alike], own[alike]
        W = found.weights
        given = ~np.isnan(W.low[:, own])
        inside = (W.low[:, own] <= truth.W[:, true]) & (truth.W[:, true] <= W.high[:, own])
        held.append(inside[given])
        sure = W.significant(0.05)[:, own]
        n_sure += int(sure.sum())
        n_wrong += int((sure & (W.estimate[:, own] * truth.W[:, true] <= 0.0)).sum())
        n_matched += int(alike.sum())
        n_kept += int(np.count_nonzero(weights[:, own]))
    n = np.concatenate(held).size
    print(f"\nRBM(25) by {objective}, {n_words:,} words of an RBM fitted to B4, {n_models} draws")
    print(
        f"{truth.n_hidden} true hidden units, {min(n_live)} to {max(n_live)} live in the fits, "
        f"{n_matched / n_models:.1f} on average like a true one; {n / n_kept:.0%} of their weights "
        f"that are not 0 have an interval; {np.median(seconds):.0f} s each"
    )
    good = covers("weights", np.concatenate(held), [each.mean() for each in held if each.size])
    wrong = n_wrong / max(n_sure, 1)
    print(
        f"weights that differ from 0 at 5 %: {n_sure}, of which 0 or of the other sign {wrong:.1%}"
    )
    return good


def verdict(held: np.ndarray, by_model: list[float] | None = None) -> tuple[str, float]:
    """Whether a coverage lies within the bounds, and its error.

    The error is the binomial one, of 95 % at least, or follows from the models if their intervals
    hang together.
    """
    coverage = held.mean()
    error = np.sqrt(max(coverage * (1.0 - coverage), 0.05 * 0.95) / held.size)
    if by_model is not None and len(by_model) > 1:
        error = max(error, np.std(by_model, ddof=1) / np.sqrt(len(by_model)))
    if _LOW <= coverage <= _HIGH:
        return "yes", error
    near = _LOW - 2 * error <= coverage <= _HIGH + 2 * error
    return "within its error of it" if near else "no", error


def covers(name: str, held: np.ndarray, by_model: list[float] | None = None) -> bool:
    """Print a coverage with its verdict; false if it surely lies outside."""
    within, error = verdict(held, by_model)
    print(
        f"{name:17s} {held.size:6d} intervals, coverage {held.mean():.1%} ± {error:.1%}; "
        f"within {_LOW:.0%} to {_HIGH:.0%}: {within}"
    )
    return within != "no"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the models")
    parser.add_argument("--only", choices=("ising", "planted", "fitted"), help="one part alone")
    chosen = parser.parse_args()
    quick = 5 if chosen.quick else 1
    parts = {
        "ising": [
            lambda: ising(10, 20_000, 150 // quick, 0.0),
            lambda: ising(10, 20_000, 150 // quick, 0.7),
            lambda: ising(20, 40_000, 40 // quick, 0.0),
            lambda: ising(20, 40_000, 40 // quick, 0.7),
        ],
        "planted": [
            lambda: rbm(15, 2, 20_000, 40 // quick, 0.0),
            lambda: rbm(15, 3, 40_000, 40 // quick, 0.7),
        ],
        # Penalties that a validation part prefers on B4.
        "fitted": [
            lambda: fitted("likelihood", 5.2e-5, 180_000, 10 // quick),
            lambda: fitted("mpf", 1e-4, 180_000, 10 // quick),
        ],
    }
    print_machine()
    started = time.perf_counter()
    good = [run() for name, runs in parts.items() if chosen.only in (None, name) for run in runs]
    print(f"\n{time.perf_counter() - started:.0f} s")
    if not all(good):
        sys.exit(f"a coverage lies outside {_LOW:.0%} to {_HIGH:.0%}")


if __name__ == "__main__":
    main()
