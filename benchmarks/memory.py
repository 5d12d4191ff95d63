"""Peak memory of evaluating and fitting at 477 units, 106,000 distinct words and 100 hidden units.

    python benchmarks/memory.py

Each task runs in a process of its own, whose largest resident size the system reports; the bar is
2 GB. The words are those of the retinal recording where it lies beside the repository, otherwise
random sparse ones of the same size. What the process takes to import everything and to hold the
words is stated apart.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
import warnings

import numpy as np
from machine import RECORDINGS, binned, print_machine

import microcolumn as mc
from microcolumn.objectives import MinimumProbabilityFlow
from microcolumn.parameters import Parameters

N_UNITS, N_DISTINCT, N_HIDDEN, BAR = 477, 106_000, 100, 2.0
RECORDING = RECORDINGS / "mouse_retina_p6_stafford477.npz"


def load_words() -> mc.Words:
    if not RECORDING.exists():
        rng = np.random.default_rng(0)
        rates = rng.lognormal(sigma=0.5, size=N_UNITS)
        return mc.Words.from_array(rng.random((N_DISTINCT, N_UNITS)) < 0.02 * rates / rates.mean())
    return mc.Words.from_array(binned(RECORDING, 0.020), 0.020)


def hold(words: mc.Words) -> str:
    return f"{words.X.shape[0]:,} distinct words of {words.X.shape[1]} units"


def evaluate(words: mc.Words) -> str:
    rng = np.random.default_rng(0)
    n = words.X.shape[1]
    J = np.triu(rng.normal(scale=0.05, size=(n, n)), 1)
    theta = Parameters(
        b=rng.normal(size=n) - 4.0, J=J + J.T, W=rng.normal(scale=0.1, size=(n, N_HIDDEN))
    )
    objective = MinimumProbabilityFlow(words)
    objective(theta)
    started = time.perf_counter()
    K, _ = objective(theta)
    return f"K = {K:.4f}, {time.perf_counter() - started:.2f} s per evaluation"


def fit(words: mc.Words) -> str:
    with warnings.catch_warnings():
        # Not enough to converge, but the solver's memory of steps is full by then.
        warnings.simplefilter("ignore")
        model = mc.SemiRBM(N_HIDDEN, l1=1e-3, objective="mpf", max_iter=30)
        started = time.perf_counter()
        model.fit(words)
    return f"objective {model.objective_:.4f}, {time.perf_counter() - started:.0f} s"


TASKS = {"hold": hold, "evaluate": evaluate, "fit": fit}


def run(task: str) -> None:
    said = TASKS[task](load_words())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{task:8}: {peak:.2f} GB at most{'' if peak < BAR else ', over the bar'}; {said}")


def main() -> None:
    if len(sys.argv) > 1:
        run(sys.argv[1])
        return
    print_machine()
    source = RECORDING.name if RECORDING.exists() else "random sparse words"
    print(
        f"{N_UNITS} units, about {N_DISTINCT:,} distinct words, {N_HIDDEN} hidden units: {source}"
    )
    for task in TASKS:
        subprocess.run([sys.executable, __file__, task], check=True)


if __name__ == "__main__":
    main()
