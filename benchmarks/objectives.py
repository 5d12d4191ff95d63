"""Which objective to fit by: held-out bits/s, time and error of the couplings.

First words are drawn from Ising models with known couplings, and each objective fits an Ising model
to more and more of them. Then all objectives fit the most active units of the recordings at hand,
split by blocks. The penalty is chosen on validation words, from a grid that each objective scales
by itself: three decades, geometric, below the strength from which on all couplings are zero. Scores
are those of test words which neither the fit nor the choice has seen.

    python benchmarks/objectives.py [--quick] [--objectives NAME ...]

Columns: bits/s over independent units; its difference from the first objective, with the standard
error over blocks; the chosen strength as a share of the grid's end; bits/s without a penalty; the
root mean squared error of the couplings with the chosen penalty and without one; seconds for the
path of penalties. Every log Z is an exact sum.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import NamedTuple

import numpy as np
from machine import most_active, print_machine, recordings
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.models.spec import OBJECTIVES
from microcolumn.objectives import mpf, pseudolikelihood

Model = mc.Ising | mc.RBM | mc.SemiRBM
#: Shares of the strength from which on all couplings are zero.
GRID = np.geomspace(1e-3, 1.0, 10)


class Parts(NamedTuple):
    """Words to fit to, to choose the penalty by, and to score."""

    train: mc.Words
    validation: mc.Words
    test: mc.Words


class Outcome(NamedTuple):
    """What an objective found: the chosen model and the one without a penalty."""

    chosen: Model
    share: float
    unpenalised: Model
    seconds: float


def known_model(n_units: int) -> mc.Parameters:
    """Units active in about a tenth of the words, each coupled to about a third of the others.

    Couplings are the weaker the more there are, so that the sum over a unit's others is alike.
    """
    rng = np.random.default_rng(n_units)
    upper = np.triu(rng.normal(scale=1.9 / np.sqrt(n_units), size=(n_units, n_units)), 1)
    upper *= rng.random(upper.shape) < 1 / 3
    return mc.Parameters(b=rng.normal(-2.3, 0.3, size=n_units), J=upper + upper.T)


def drawn(truth: mc.Parameters, n_words: int, seed: int) -> mc.Words:
    return mc.Words.from_array(mc.Ising.from_parameters(truth).sample(n_words, random_state=seed))


def largest_useful(objective: str, words: mc.Words) -> float:
    """Strength from which on all couplings are zero: their largest slope at the rates."""
    rates = words.rates
    J = np.zeros((words.n_units, words.n_units))
    theta = mc.Parameters(b=np.log(rates) - np.log1p(-rates), J=J)
    if objective == "likelihood":
        x = words.X.astype(float)
        slopes = x.T @ (x * words.counts[:, None]) / words.counts.sum() - np.outer(rates, rates)
        np.fill_diagonal(slopes, 0.0)
    else:
        slopes = {"mpf": mpf, "pseudolikelihood": pseudolikelihood}[objective](theta, words)[1].J
    return float(np.abs(slopes).max())


def outcome(model: Model, parts: Parts) -> Outcome:
    """The path of one objective."""
    strengths = GRID * largest_useful(model.objective, parts.train)
    started = time.perf_counter()
    path = model.fit_path(parts.train, strengths)
    seconds = time.perf_counter() - started
    [unpenalised] = model.fit_path(parts.train, [0.0])
    best = max(range(GRID.size), key=lambda k: path[k].score(parts.validation))
    return Outcome(path[best], GRID[best], unpenalised, seconds)


def print_rows(
    where: str, models: dict[str, Model], parts: Parts, truth: mc.Parameters | None
) -> None:
    found = {name: outcome(model, parts) for name, model in models.items()}
    kept = {name: each.chosen for name, each in found.items()}
    first, compared = next(iter(kept)), mc.compare(kept, parts.test)
    for name, each in found.items():
        score = compared.scores[name].bits_per_second
        pair = compared.pair(name, first) if name != first else None
        gain = f"{pair.bits_per_second:+.2f} ± {pair.stderr:.2f}" if pair else ""
        plain = mc.score(each.unpenalised, parts.test).bits_per_second
        row = f"{where} {name:17} {score:8.2f} {gain:>13} {each.share:7.3f} {plain:11.2f}"
        if truth is not None and truth.J is not None:
            pairs = np.triu_indices(truth.n_visible, 1)
            for model in (each.chosen, each.unpenalised):
                wrong = model.J_[pairs] - truth.J[pairs]
                row += f" {np.sqrt(np.mean(wrong**2)):10.4f}"
        print(f"{row} {each.seconds:8.2f}", flush=True)


def simulated(objectives: list[str], sizes: list[int], counts: list[int]) -> None:
    print("\nIsing models with known couplings, words of 20 ms")
    print(f"{'':55} {'share':>7} {'bits/s':>11} {'error':>10} {'error':>10}")
    print(
        f"{'units':>5} {'words':>8} {'objective':17} {'bits/s':>8} {'- first':>13} {'chosen':>7} "
        f"{'l1 = 0':>11} {'chosen':>10} {'l1 = 0':>10} {'seconds':>8}"
    )
    for n_units in sizes:
        truth = known_model(n_units)
        test = drawn(truth, 100_000, seed=1)
        for n_words in counts:
            parts = Parts(drawn(truth, n_words, 2), drawn(truth, max(n_words // 4, 5000), 3), test)
            models = {name: mc.Ising(objective=name, tol=1e-7) for name in objectives}
            print_rows(f"{n_units:5} {n_words:8,}", models, parts, truth)
        known = mc.Ising.from_parameters(truth)
        rates = mc.Independent().fit(drawn(truth, counts[-1], 2))
        score = mc.score(known, test, rates)
        print(f"{n_units:5} {'':8} {'the truth':17} {score.bits_per_second:8.2f}", flush=True)


def recorded(objectives: list[str], n_units: int, n_hidden: int, max_iter: int) -> None:
    print(
        f"\nrecordings, {n_units} most active units, split by blocks, at most {max_iter} iterations"
    )
    print(
        f"{'recording':28} {'model':8} {'objective':17} {'bits/s':>8} {'- first':>13} {'share':>7} "
        f"{'l1 = 0':>11} {'seconds':>8}"
    )
    for name, words in recordings().items():
        rest, test = most_active(words, n_units).split(0.6, by="blocks", random_state=0)
        train, validation = rest.split(0.75, by="blocks", random_state=1)
        for kind in (mc.Ising, mc.RBM):
            settings = {"max_iter": max_iter, "tol": 1e-6}
            settings |= {} if kind is mc.Ising else {"n_hidden": n_hidden}
            models = {each: kind(objective=each, **settings) for each in objectives}
            where = f"{name:28} {kind.__name__:8}"
            print_rows(where, models, Parts(train, validation, test), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer units, words and iterations")
    parser.add_argument("--objectives", nargs="+", choices=OBJECTIVES, default=list(OBJECTIVES))
    arguments = parser.parse_args()
    # Without a penalty hidden units have no finite optimum to converge to.
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    sizes, counts, n_units, n_hidden, max_iter = [10, 20, 36], [5_000, 20_000, 80_000], 20, 10, 300
    if arguments.quick:
        sizes, counts, n_units, n_hidden, max_iter = [10, 20], [5_000, 20_000], 12, 6, 100
    for name in arguments.objectives:  # compile
        mc.Ising(objective=name).fit(drawn(known_model(5), 1000, 0))
        mc.RBM(3, objective=name, max_iter=5).fit(drawn(known_model(5), 1000, 0))
    simulated(arguments.objectives, sizes, counts)
    recorded(arguments.objectives, n_units, n_hidden, max_iter)


if __name__ == "__main__":
    main()
