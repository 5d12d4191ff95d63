"""Adequacy: false alarms and power of the test, and how well entropies of words are estimated.

    python benchmarks/adequacy.py [--quick] [--seed 2000] [--parts calibration power entropy]

calibration
    Test words come from the model itself, or from the truth that a model of the right family was
    fitted to, so that every alarm is false: at a nominal 5 % between 3 % and 7 % for a given model,
    at most 7 % for a fitted one. Words are independent, or depend on each other in time: each is
    held for a random number of bins, 5 on average, or they are one Gibbs chain that resamples a
    fifth of its bits per bin. A small model is listed, a larger one is drawn. Models are fitted to
    as many words as they are tested on, dependent in the same way.
power
    An Ising model is fitted to words of an RBM with planted assemblies and tested on others.
entropy
    What could be explained, estimated from words of models of a simulated recording, against the
    truth from exact probabilities. The upper estimate must lie above it.
"""

from __future__ import annotations

import argparse
import functools
import math

import numpy as np
from machine import print_machine
from sklearn.base import clone

import microcolumn as mc
from microcolumn.evaluate._explainable import explainable
from microcolumn.formatting import text_table

Bits = np.ndarray[tuple[int, int], np.dtype[np.uint8]]


def planted(n_units: int, seed: int, n_groups: int = 3) -> mc.RBM:
    """An RBM whose hidden units each switch on a group of units."""
    rng = np.random.default_rng(seed)
    W = np.zeros((n_units, n_groups))
    for g in range(n_groups):
        W[rng.choice(n_units, max(3, n_units // 4), replace=False), g] = rng.uniform(1.5, 3.0)
    theta = mc.Parameters(b=rng.uniform(-4.0, -2.5, n_units), W=W, c=np.full(n_groups, -4.0))
    return mc.RBM.from_parameters(theta)


def pairwise(n_units: int, seed: int) -> mc.Ising:
    """An Ising model with couplings of both signs for a third of the pairs."""
    rng = np.random.default_rng(seed)
    pairs = np.triu(rng.random((n_units, n_units)) < 1 / 3, 1)
    J = np.where(pairs, rng.normal(0.3, 0.4, pairs.shape), 0.0)
    return mc.Ising.from_parameters(mc.Parameters(b=rng.uniform(-3.5, -2.0, n_units), J=J + J.T))


def mixed(n_units: int, seed: int) -> mc.models.BernoulliMixture:
    """Mostly next to silent, at times one of two groups of units fires."""
    rng = np.random.default_rng(seed)
    modes = np.repeat(rng.uniform(0.02, 0.1, (1, n_units)), 3, axis=0)
    for mode in modes[1:]:
        mode[rng.choice(n_units, n_units // 2, replace=False)] = rng.uniform(0.4, 0.7)
    return mc.models.BernoulliMixture.from_parameters(modes, [0.75, 0.15, 0.1])


def fitted(
    alternative: mc.models.AlternativeModel, n_units: int, seed: int
) -> mc.models.AlternativeModel:
    """An alternative model that resembles an RBM with planted groups."""
    return clone(alternative).fit(planted(n_units, seed).sample(20_000, seed))


def independent(model: mc.models.WordModel, n: int, rng: np.random.Generator) -> Bits:
    return model.sample(n, rng)


def held(model: mc.models.WordModel, n: int, rng: np.random.Generator) -> Bits:
    """Each word stays for a geometric number of bins, 5 on average."""
    X = model.sample(n, rng)
    return np.repeat(X, rng.geometric(0.2, n), axis=0)[:n]


def slow_chain(model: mc.RBM, n: int, rng: np.random.Generator) -> Bits:
    """One Gibbs chain over units and hidden units; a fifth of the bits is resampled per bin."""
    theta = model.parameters_
    x = model.sample(1, rng)[0].astype(float)
    uniform = rng.random((n, x.size + theta.c.size))
    chosen = rng.random((n, x.size)) < 0.2
    words = np.empty((n, x.size), dtype=np.uint8)
    for t in range(n):
        h = uniform[t, x.size :] < 1.0 / (1.0 + np.exp(-(theta.c + x @ theta.W)))
        p = 1.0 / (1.0 + np.exp(-(theta.b + theta.W @ h)))
        x = np.where(chosen[t], uniform[t, : x.size] < p, x)
        words[t] = x
    return words


#: With next to no prior, and fitted to the end: fits that stop on a plateau are a misfit.
MIXTURE = mc.models.BernoulliMixture(3, smoothing=0.1, tol=1e-8, max_iter=20_000)
CASCADE = mc.models.CascadedLogistic(l1=1e-4, count=False)
TWO_GROUPS = functools.partial(planted, n_groups=2)
#: Name of a row: units, the truth, what is fitted to its words (None: the truth itself is tested),
#: and how test words, and training words, depend on each other.
ROWS = {
    "RBM": (8, planted, None, (independent, held, slow_chain)),
    "RBM, drawn": (15, planted, None, (independent, held)),
    "RBM, fitted": (8, TWO_GROUPS, mc.RBM(2), (independent, held)),
    "Ising, fitted": (8, pairwise, mc.Ising(l1=0.0), (independent, held)),
    "RBM, by flow": (8, TWO_GROUPS, mc.RBM(2, objective="mpf"), (held,)),
    "mixture, fitted": (8, mixed, MIXTURE, (independent, held)),
    "cascade, fitted": (8, functools.partial(fitted, CASCADE), CASCADE, (independent,)),
}
N_WORDS = 3_000


def calibration(quick: bool, seed: int) -> None:
    n_tests = 20 if quick else 300
    rows = []
    for name, (n_units, truth_of, family, makes) in ROWS.items():
        for make in makes:
            alarms: dict[str, int] = {}
            for test in range(seed, seed + n_tests):
                truth = truth_of(n_units, test)
                rng = np.random.default_rng(10_000 + test)
                model = truth if family is None else family.fit(make(truth, N_WORDS, rng))
                found = mc.evaluate.adequacy(model, make(truth, N_WORDS, rng), random_state=test)
                for what, p in {"all": found.p_value, **found.p_values}.items():
                    alarms[what] = alarms.get(what, 0) + (p < 0.05)
            shares = [f"{100 * count / n_tests:.1f} %" for count in alarms.values()]
            rows.append((name, str(n_units), make.__name__, *shares))
    header = ("model", "units", "words", *alarms)
    print(
        f"false alarms at 5 %, {n_tests} tests each (standard error "
        f"{100 * math.sqrt(0.05 * 0.95 / n_tests):.1f} %), {N_WORDS:,} words"
    )
    print(text_table(header, rows, left=("model", "words")), flush=True)


def power(quick: bool, seed: int) -> None:
    n_tests = 5 if quick else 20
    rows = []
    for n_words in (10_000, 90_000):
        alarms, sentence = 0, ""
        for test in range(seed, seed + n_tests):
            truth = planted(12, test)
            rng = np.random.default_rng(test)
            model = mc.Ising(l1=0.0).fit(truth.sample(20_000, rng))
            found = mc.evaluate.adequacy(model, independent(truth, n_words, rng))
            alarms += found.p_value < 0.05
            sentence = str(found)
        rows.append((f"{n_words:,}", f"{alarms} of {n_tests}", sentence))
    print("Ising models of words with planted assemblies, rejected at 5 %; independent test words")
    print(
        text_table(("words", "rejected", "the last one"), rows, left=("the last one",)), flush=True
    )


def entropy(quick: bool, seed: int) -> None:
    words = mc.simulate.preset("B4").bin(0.020)
    rng = np.random.default_rng(seed)
    rows = []
    for n_units in (5, 10) if quick else (5, 10, 16, 23):
        units = np.argsort(-words.rates)[:n_units]
        model = mc.RBM(25, l1=3e-4, objective="mpf").fit(words.subset(units))
        for n_words in (2_000, 10_000, 45_000, 90_000):
            truths, found = [], []
            for _ in range(5):
                X = model.sample(n_words, rng)
                base = mc.Independent().fit(model.sample(n_words, rng))
                truth = np.mean(model.score_samples(X) - base.score_samples(X))
                truths.append(truth / math.log(2.0) / 0.020)
                found.append(explainable(X, base))
            rows.append(
                (
                    str(n_units),
                    f"{n_words:,}",
                    f"{np.mean(truths):.2f}",
                    f"{np.mean([f.bits_per_second for f in found]):.2f}",
                    f"{np.mean([f.stderr for f in found]):.2f}",
                    f"{np.mean([f.upper for f in found]):.2f}",
                    f"{np.mean([f.disagreement for f in found]):.0%}",
                    f"{sum(f.is_reliable for f in found)} of 5",
                )
            )
    print("bits/s that could be explained: means over 5 sets of words")
    header = ("units", "words", "truth", "estimate", "±", "upper", "disagreement", "known")
    print(text_table(header, rows), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer tests")
    parser.add_argument("--seed", type=int, default=2000, help="of the first test")
    parts = {"calibration": calibration, "power": power, "entropy": entropy}
    parser.add_argument("--parts", nargs="+", choices=parts, default=list(parts))
    arguments = parser.parse_args()
    print_machine()
    for name in arguments.parts:
        parts[name](arguments.quick, arguments.seed)
        print()


if __name__ == "__main__":
    main()
