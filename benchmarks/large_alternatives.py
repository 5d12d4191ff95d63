"""Alternatives that go to thousands of units: time and memory of a fit at one setting.

    python benchmarks/large_alternatives.py [--units 1000 10000] [--words 360000 50000]

Population tracking at all sizes; a mixture of 60 and the cascade, with a penalty of about twice the
noise of a covariance, up to 2,000 units.

Words are drawn from 40 states of the population, each with rates of its own, so that units depend
on each other and nearly all words differ. Each model is fitted and scores the same words in a
process of its own, whose peak memory is that of the words and the fit together. Columns: processor
seconds of the fit and of the scores, elapsed seconds of both, peak memory, and the model's
gain on words that the fit has not seen over independent units, bits per word.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time

import numpy as np
from machine import print_machine

import microcolumn as mc

#: Models with their settings, and the most units that they are tried on.
MODELS: dict[str, tuple[dict[str, float], int]] = {
    "PopulationTracking": ({}, 10_000),
    "BernoulliMixture": ({"n_components": 60}, 2_000),
    "CascadedLogistic": ({"l1": 1e-4}, 2_000),
}
#: States that the population may be in, and how many of the words are kept for the score.
N_STATES, N_HELD = 40, 5_000


def drawn_words(n_units: int, n_words: int, seed: int) -> mc.Words:
    rates = np.random.default_rng(0).gamma(0.5, 2.0, size=(N_STATES, n_units))
    rates, rng = 0.02 * rates.clip(0.01, 20.0), np.random.default_rng(seed)
    X = np.empty((n_words, n_units), dtype=np.uint8)
    for start in range(0, n_words, 2_000):
        state = rates[rng.integers(N_STATES, size=len(X[start : start + 2_000]))]
        X[start : start + 2_000] = rng.random(state.shape) < state
    return mc.Words.from_array(X)


def measure(name: str, n_units: int, n_words: int) -> None:
    """Print a line; runs in a process of its own."""
    # Kernels are compiled, or read from the disk, before the clock starts.
    few = np.eye(4, dtype=int).repeat(10, axis=0)
    getattr(mc.models, name)().fit(few).score_samples(few)
    words, held = drawn_words(n_units, n_words, 1), drawn_words(n_units, N_HELD, 2).X
    model, wall = getattr(mc.models, name)(**MODELS[name][0]), time.perf_counter()
    fit = time.process_time()
    model.fit(words)
    fit, score = time.process_time() - fit, time.process_time()
    model.score_samples(words)
    score, wall = time.process_time() - score, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    independent = mc.Independent.from_parameters(
        mc.Parameters(b=np.log(model.rates_) - np.log1p(-model.rates_))
    )
    gain = np.mean(model.score_samples(held) - independent.score_samples(held)) / np.log(2.0)
    print(
        f"{name:<20}{n_units:>7,}{len(words):>9,}{100 * words.rates.mean():>7.1f} %{fit:>8.1f}"
        f"{score:>7.1f}{wall:>7.1f}{peak:>7.2f}{gain:>9.3f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--words", type=int, nargs="+", default=[360_000, 50_000])
    options = parser.parse_args()
    print_machine()
    print(
        f"{'model':<20}{'units':>7}{'words':>9}{'active':>9}{'fit':>8}{'score':>7}{'wall s':>7}"
        f"{'GiB':>7}{'gain':>9}"
    )
    processes = multiprocessing.get_context("spawn")
    for n_units, n_words in zip(options.units, options.words, strict=True):
        for name in (name for name, (_, most) in MODELS.items() if n_units <= most):
            process = processes.Process(target=measure, args=(name, n_units, n_words))
            process.start()
            process.join()
            if process.exitcode:
                print(f"{name:<20}{n_units:>7,}: ended with {process.exitcode}")


if __name__ == "__main__":
    main()
