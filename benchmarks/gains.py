"""Whether the likelihood that fits say is still to be gained is what is then gained.

    python benchmarks/gains.py [--quick] [--large]

A few units of each recording are fitted by the sampled likelihood, to its end and stopped early.
The exact likelihood goes on from there to the optimum of the same basin: what it gains on the way
is the truth. The certificate of a converged fit covers it within two of its standard errors; one
that has not converged states what is to be gained at least. Fits by the exact likelihood state a
gain without an error, which is meant as an upper limit; their truth is found alike. With --large
50 cells are fitted by RBMs as well: one of 16 hidden units, whose states are summed for the truth,
and one of 50, whose certificates are compared with one by ten times as many words.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from machine import most_active, print_machine, recordings
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc
from microcolumn.layout import Layout
from microcolumn.models import penalised as _penalised
from microcolumn.objectives import NegativeLogLikelihood
from microcolumn.objectives.data_moments import DataMoments
from microcolumn.penalties import L1
from microcolumn.solvers import Certificate, SamplerSettings
from microcolumn.solvers._certificate import sampled_certificate
from microcolumn.solvers._newton import search_for
from microcolumn.solvers._stochastic import Effort, SampledProblem
from microcolumn.solvers.resolution import resolution

Model = mc.Ising | mc.RBM
#: Models, and from how many units on words are spread over all numbers of active units or drawn by
#: strata of that number.
KINDS = {
    "Ising": (mc.Ising, {}, {}),
    "Ising, spread": (mc.Ising, {}, {"spread_units": 4}),
    "Ising, strata": (mc.Ising, {}, {"spread_units": 4, "stratum_units": 4}),
    "RBM": (mc.RBM, {"n_hidden": 12}, {}),
}
#: Steps of searches that are stopped early; the last one goes to its end.
STEPS = (1, 4, 16, 5000)
#: The same of exact searches.
EXACT_STEPS = (15, 40, 5000)
#: Recording of which 50 cells are fitted.
LARGE = "mouse_retina_p15_demas54"
#: Strengths of the L1 penalty.
STRENGTHS = (1e-5, 2e-4)
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
        """Whether what is stated holds: within two errors, at least, or without one at most."""
        stated = self.certificate
        if stated.gain is None:
            return False
        if stated.gain_stderr is None:
            return self.truth <= stated.gain
        below, above = (stated.gain + times * stated.gain_stderr for times in (-2.0, 2.0))
        return below <= self.truth and (self.truth <= above or not stated.converged)

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


def sampled_fit(model: Model, words: mc.Words, **settings: int) -> tuple[Model, float]:
    """Fit by the sampled likelihood, whatever the size, and processor seconds."""
    limit, _penalised.EXACT_FIT = _penalised.EXACT_FIT, 0.0
    type(model)._sampler = SamplerSettings(**settings)
    started = time.process_time()
    try:
        return model.fit(words), time.process_time() - started
    finally:
        _penalised.EXACT_FIT, type(model)._sampler = limit, SamplerSettings()


def exact_gain(model: Model, words: mc.Words) -> float:
    """What the exact likelihood gains from a fit to the optimum of its basin, nats per word."""
    theta = model.parameters_
    layout = Layout.of(theta)
    search = search_for(NegativeLogLikelihood(words), L1(model.l1), layout, layout.pack(theta))
    before = search.value
    search.run(STRICT, MOST)
    return before - search.value


def small_cases(words: dict[str, mc.Words], n_seeds: int) -> Iterator[Case]:
    """Fits of few units, with their truth by exact sums. Each has a seed of its own."""
    every = itertools.product(words, KINDS, STRENGTHS, STEPS, range(n_seeds))
    for seed, (name, kind, l1, max_iter, _) in enumerate(every):
        make, arguments, settings = KINDS[kind]
        model = make(l1=l1, random_state=seed, max_iter=max_iter, **arguments)
        model, seconds = sampled_fit(model, words[name], **settings)
        what = f"{kind} {l1:g} {name[:9]}, {max_iter} steps"
        gained = exact_gain(model, words[name])
        yield Case(what, model.certificate_, gained, resolution(words[name]), seconds)


def exact_cases(words: dict[str, mc.Words], n_seeds: int) -> Iterator[Case]:
    """Fits by the exact likelihood that state a gain, to the end and stopped early."""
    every = itertools.product(words, STRENGTHS, EXACT_STEPS, range(n_seeds))
    for name, l1, max_iter, seed in every:
        started = time.process_time()
        model = mc.RBM(12, l1=l1, max_iter=max_iter, random_state=seed).fit(words[name])
        seconds = time.process_time() - started
        if model.certificate_.gain is not None:
            what = f"RBM {l1:g} {name[:9]}, {max_iter} steps"
            gained = exact_gain(model, words[name])
            yield Case(what, model.certificate_, gained, resolution(words[name]), seconds)


def large_cases(n_seeds: int) -> Iterator[Case]:
    """Fits of 50 cells with few hidden units, with their truth by exact sums."""
    words = most_active(recordings()[LARGE], 50)
    for seed, max_iter in enumerate((20, 60, *[5000] * n_seeds)):
        model = mc.RBM(16, l1=1e-5, random_state=seed, max_iter=max_iter)
        model, seconds = sampled_fit(model, words)
        gained = exact_gain(model, words)
        what = f"RBM 16 1e-05 {LARGE[:9]}, {max_iter} steps"
        yield Case(what, model.certificate_, gained, resolution(words), seconds)


def large_gains() -> bool:
    """Print what certificates say of a fit of 50 cells; whether ten times the words agree."""
    words, l1 = most_active(recordings()[LARGE], 50), 1e-5
    train, _ = words.split(0.5, by="words", random_state=0)
    model, seconds = sampled_fit(mc.RBM(50, l1=l1), train)
    layout, data = Layout.of(model.parameters_), DataMoments(train)
    print(f"{LARGE}, RBM 50: fitted in {seconds:.0f} s")
    found = []
    for seed, n_words in enumerate((320, 32, 32, 32, 32, 32)):
        settings = SamplerSettings(judging_words=n_words)
        problem = SampledProblem(data, L1(l1), l1, layout, resolution(train), settings)
        rng, started = np.random.default_rng(seed), time.process_time()
        found.append(sampled_certificate(rng, model.parameters_, problem, Effort()))
        print(f"  {n_words} words of a chain: {found[-1]}, {time.process_time() - started:.0f} s")
    truth, *rest = found
    errors = [
        (one.gain - truth.gain) / math.hypot(one.gain_stderr, truth.gain_stderr) for one in rest
    ]
    return sum(abs(error) <= 2.0 for error in errors) >= WANTED * len(errors) - 1.0


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
    n_units, n_seeds = (10, 1) if arguments.quick else (14, 2)
    words = {"simulated": mc.simulate.microcolumn(n_units, minutes=20, seed=0).bin()}
    words |= {
        name: most_active(each, n_units) for name, each in recordings().items() if "p6" not in name
    }
    good = judged("sampled likelihood", small_cases(words, n_seeds))
    good &= judged("exact likelihood", exact_cases(words, n_seeds))
    if arguments.large and LARGE in recordings():
        good &= judged("sampled likelihood, 50 cells", large_cases(n_seeds))
        good &= large_gains()
    sys.exit(not good)


if __name__ == "__main__":
    main()
