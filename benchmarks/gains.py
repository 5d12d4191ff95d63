"""Is the likelihood that a fit says is still to be gained what is then gained?

    python benchmarks/gains.py [--quick] [--large]

A few units of each recording are fitted by the sampled likelihood, to its end and stopped early.
The exact likelihood goes on from there to the optimum of the same basin: what it gains on the way
is the truth. The certificate covers it if it is within two of its standard errors. A fit that is
called converged must not have a gain that is beyond its error and beyond what matters. Fits by the
exact likelihood state a gain without an error, which is meant as an upper limit; their truth is
found alike. With --large 50 cells are fitted as well, against a search that goes on ten times as
long.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from machine import most_active, print_machine, recordings
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.layout import Layout
from microcolumn.models import penalised as _penalised
from microcolumn.objectives import NegativeLogLikelihood
from microcolumn.penalties import L1
from microcolumn.solvers import Certificate
from microcolumn.solvers._newton import search_for
from microcolumn.solvers.resolution import resolution

Model = mc.Ising | mc.RBM
#: Steps of searches that are stopped early; the last one goes to its end.
STEPS = (3, 10, 30, 5000)
#: Optimality and iterations of the exact search that finds the truth.
STRICT, MOST = 1e-7, 1000
#: Share of the cases whose gain must be within two standard errors.
WANTED = 0.9


@dataclass(frozen=True)
class Case:
    """A fit: what its certificate states, and what was then gained, nats per word."""

    name: str
    certificate: Certificate
    truth: float
    resolution: float
    seconds: float

    @property
    def covers(self) -> bool:
        """Whether the truth is within two standard errors; no more than stated without one."""
        stated = self.certificate
        if stated.gain is None:
            return False
        if stated.gain_stderr is None:
            return self.truth <= stated.gain
        return abs(self.truth - stated.gain) <= 2.0 * stated.gain_stderr

    def __str__(self) -> str:
        stated, unit = self.certificate, self.resolution
        gain = math.nan if stated.gain is None else stated.gain
        error = "at most" if stated.gain_stderr is None else f"± {stated.gain_stderr:8.1e}"
        z = "" if stated.mean_square_z is None else f"{stated.mean_square_z:6.2f}"
        return (
            f"{self.name:34} z² {z:6} stated {gain:9.2e} {error:10} gained {self.truth:8.2e} "
            f"{'covers' if self.covers else 'MISSES':6} resolution {unit:.1e} "
            f"{'converged' if stated.converged else ''} {self.seconds:.0f} s"
        )


def sampled_fit(model: Model, words: mc.Words) -> tuple[Model, float]:
    """Fit by the sampled likelihood, whatever the size, and processor seconds."""
    limit, _penalised.EXACT_FIT = _penalised.EXACT_FIT, 0.0
    started = time.process_time()
    try:
        return model.fit(words), time.process_time() - started
    finally:
        _penalised.EXACT_FIT = limit


def exact_gain(model: Model, words: mc.Words) -> float:
    """What the exact likelihood gains from a fit to the optimum of its basin, nats per word."""
    theta = model.parameters_
    layout = Layout.of(theta)
    search = search_for(NegativeLogLikelihood(words), L1(model.l1), layout, layout.pack(theta))
    before = search.value
    search.run(STRICT, MOST)
    return before - search.value


def small_cases(words: dict[str, mc.Words], seeds: range, l1s: tuple[float, ...]) -> Iterator[Case]:
    """Fits of few units, with their truth by exact sums."""
    for name, each in words.items():
        unit = resolution(each)
        for l1 in l1s:
            for make in (mc.Ising, lambda **given: mc.RBM(8, **given)):
                for seed in seeds:
                    for max_iter in STEPS:
                        model = make(l1=l1, random_state=seed, max_iter=max_iter)
                        model, seconds = sampled_fit(model, each)
                        what = f"{type(model).__name__} {l1:g} {name[:12]} {max_iter} steps"
                        truth = exact_gain(model, each)
                        yield Case(what, model.certificate_, truth, unit, seconds)


def exact_cases(words: dict[str, mc.Words], l1s: tuple[float, ...]) -> Iterator[Case]:
    """Fits by the exact likelihood, to the end and stopped early."""
    for name, each in words.items():
        for l1 in l1s:
            for max_iter in (15, 40, 5000):
                started = time.process_time()
                model = mc.RBM(8, l1=l1, max_iter=max_iter).fit(each)
                seconds = time.process_time() - started
                what = f"exact RBM {l1:g} {name[:12]} {max_iter} steps"
                truth = exact_gain(model, each)
                yield Case(what, model.certificate_, truth, resolution(each), seconds)


def judged(title: str, cases: Iterator[Case]) -> bool:
    """Print cases and their summary; whether enough of them hold."""
    print(title)
    listed = []
    for case in cases:
        print(f"  {case}", flush=True)
        listed.append(case)
    share = sum(case.covers for case in listed) / len(listed)
    print(f"  {share:.0%} of {len(listed)} gains cover the truth")
    return share >= WANTED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one seed, 10 units")
    parser.add_argument("--large", action="store_true", help="also 50 cells")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_machine()
    n_units, seeds = (10, range(1)) if arguments.quick else (14, range(2))
    words = {"simulated": mc.simulate.microcolumn(n_units, minutes=20, seed=0).bin()}
    words |= {
        name: most_active(each, n_units) for name, each in recordings().items() if "p6" not in name
    }
    l1s = (1e-5, 2e-4)
    good = judged("sampled likelihood", small_cases(words, seeds, l1s))
    good &= judged("exact likelihood", exact_cases(words, l1s))
    sys.exit(not good)


if __name__ == "__main__":
    main()
