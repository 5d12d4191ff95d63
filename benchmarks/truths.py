"""Simulated truths: what the comparison says of a drive, of pairs, of groups and of all together.

    python benchmarks/truths.py [--recordings N] [--minutes M] [--truth NAME ...]

Words of 20 units, 30 minutes of 20 ms, are drawn from a model that is known: one drive that all
units follow, with equal or with unequal gains; pairs; groups of five; or several of them. The seven
models that are made of such parts are tuned on half of the words and compared on the other half.
For each truth: in how many recordings "groups" is claimed, in how many the simplest explanation is
the right one, in how many each part of the truth adds something (95 %, one order or the other), and
what each part adds on average.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Callable
from statistics import fmean

import numpy as np
from machine import print_machine

import microcolumn as mc
from microcolumn.evaluate.contrasts import ORDERS

N_UNITS, BIN_S = 20, 0.020
MODELS = (
    *("Ising", "RBM 10", "SemiRBM 10", "SemiRBM 1"),
    *("KPairwise", "PopulationTracking", "CommonDrive"),
)


def biases(rng: np.random.Generator) -> np.ndarray:
    """Log odds of units that are active in 1 to 8 % of bins."""
    return np.log(rng.uniform(0.01, 0.08, size=N_UNITS))


def pairs(rng: np.random.Generator) -> np.ndarray:
    """Couplings of a tenth of the pairs, most of them positive."""
    J = np.zeros((N_UNITS, N_UNITS))
    upper = np.triu_indices(N_UNITS, 1)
    is_coupled = rng.random(upper[0].size) < 0.1
    J[upper] = is_coupled * rng.normal(0.5, 0.4, size=upper[0].size)
    return J + J.T


def groups() -> tuple[np.ndarray, np.ndarray]:
    """Weights and biases of four hidden units, each of which makes five units active together."""
    W = np.zeros((N_UNITS, 4))
    for k in range(4):
        W[5 * k : 5 * (k + 1), k] = 3.0
    return W, np.full(4, -5.0)


def drive(n_bins: int, rng: np.random.Generator, gains: np.ndarray) -> mc.Words:
    model = mc.models.CommonDrive.from_parameters(biases(rng), gains)
    return mc.Words.from_array(model.sample(n_bins, random_state=rng), BIN_S)


def equal_drive(n_bins: int, rng: np.random.Generator) -> mc.Words:
    return drive(n_bins, rng, np.full(N_UNITS, 0.8))


def unequal_drive(n_bins: int, rng: np.random.Generator) -> mc.Words:
    return drive(n_bins, rng, rng.lognormal(-0.4, 0.7, size=N_UNITS))


def only_pairs(n_bins: int, rng: np.random.Generator) -> mc.Words:
    model = mc.Ising.from_parameters(mc.Parameters(J=pairs(rng), b=biases(rng)))
    return mc.Words.from_array(model.sample(n_bins, random_state=rng), BIN_S)


def only_groups(n_bins: int, rng: np.random.Generator) -> mc.Words:
    W, c = groups()
    model = mc.RBM.from_parameters(mc.Parameters(b=biases(rng) - 0.3, W=W, c=c))
    return mc.Words.from_array(model.sample(n_bins, random_state=rng), BIN_S)


def everything(n_bins: int, rng: np.random.Generator) -> mc.Words:
    """Pairs, groups, and a drive with equal gains."""
    W, c = groups()
    theta = mc.Parameters(J=pairs(rng), b=biases(rng) - 0.5, W=W, c=c)
    return driven(theta, np.full(N_UNITS, 0.4), n_bins, rng)


def drive_and_pairs(n_bins: int, rng: np.random.Generator) -> mc.Words:
    """Pairs, and a drive with unequal gains, as strong as without pairs."""
    theta = mc.Parameters(J=pairs(rng), b=biases(rng))
    return driven(theta, rng.lognormal(-0.4, 0.7, size=N_UNITS), n_bins, rng)


def driven(
    theta: mc.Parameters, gains: np.ndarray, n_bins: int, rng: np.random.Generator
) -> mc.Words:
    """Words of a model whose biases a drive shifts, each drawn from the sum over all words.

    The drive of a bin is normal, to a tenth of its standard deviation.
    """
    steps = np.linspace(-4.8, 4.8, 97)
    shares = np.exp(-0.5 * steps**2)
    numbers = rng.multinomial(n_bins, shares / shares.sum())
    parts = []
    for step, n in zip(steps[numbers > 0], numbers[numbers > 0], strict=True):
        shifted = mc.Parameters(J=theta.J, b=theta.b + gains * step, W=theta.W, c=theta.c)
        model = (mc.Ising if theta.W is None else mc.SemiRBM).from_parameters(shifted)
        parts.append(model.sample(int(n), random_state=rng))
    return mc.Words.from_array(rng.permutation(np.concatenate(parts)), BIN_S)


#: Simulations by name, with the parts that they are made of.
TRUTHS: dict[str, tuple[Callable[[int, np.random.Generator], mc.Words], tuple[str, ...]]] = {
    "equal drive": (equal_drive, ("drive",)),
    "unequal drive": (unequal_drive, ("drive",)),
    "pairs": (only_pairs, ("pairs",)),
    "groups": (only_groups, ("groups",)),
    "drive and pairs": (drive_and_pairs, ("drive", "pairs")),
    "all": (everything, ("drive", "pairs", "groups")),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recordings", type=int, default=40, help="of each truth")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--truth", choices=TRUTHS, nargs="*", default=[*TRUTHS])
    arguments = parser.parse_args()
    print_machine()
    warnings.simplefilter("ignore")
    n_bins = round(60.0 * arguments.minutes / BIN_S)
    for name in arguments.truth:
        simulate, parts = TRUTHS[name]
        started, claims, named, steps = time.process_time(), 0, Counter(), []
        n_adding = 0
        for seed in range(arguments.recordings):
            compared = mc.compare(MODELS, simulate(n_bins, np.random.default_rng(seed)))
            contrast, explanation = compared.groups, compared.explanation
            claims += bool(contrast and contrast.differs and contrast.bits_per_second > 0.0)
            named[explanation.parts if explanation else ()] += 1
            by_order = [compared.gain_steps(order) for order in ORDERS]
            sure = (s for found in by_order for s in found if s.difference)
            adding = {s.part for s in sure if s.difference.interval[0] > 0.0}
            n_adding += adding >= set(parts)
            steps.append([[s.bits_per_second for s in found] for found in by_order])
        adds = "; ".join(
            ", ".join(
                f"{part} {fmean(step[k][j] for step in steps):.2f}" for j, part in enumerate(o)
            )
            for k, o in enumerate(ORDERS)
        )
        said = ", ".join(f"{' + '.join(each)} {n}" for each, n in named.most_common())
        seconds = (time.process_time() - started) / arguments.recordings
        print(
            f"{name} ({' + '.join(parts)}): groups claimed in {claims} of {arguments.recordings}; "
            f"named {said}; each true part adds in {n_adding}; bits/s added: {adds}; "
            f"{seconds:.0f} s each",
            flush=True,
        )


if __name__ == "__main__":
    main()
