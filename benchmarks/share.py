"""How much of a likelihood fit is arithmetic, and how much is Python around it.

Run as ``python benchmarks/share.py``. Processor time of one thread. Arithmetic is what happens
within the functions that sum over words and over states, matrix products and elementary functions
among them, and the directions and steps of the search. The last column is the same share of the
evaluations of the likelihood alone, starts and the search left out.
"""

import argparse
import os
import time
import warnings

os.environ |= {"NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
from sklearn.base import clone

import microcolumn as mc
from microcolumn.kernels.cpu import flip_sums, hidden_sums, listed_sums, pair_sums
from microcolumn.kernels.loops import l1_descent, quasi_newton
from microcolumn.objectives import NegativeLogLikelihood, _data_moments, _fisher

#: Functions of an evaluation that call no other of the list, those of starts and search, and the
#: evaluation itself.
LIKELIHOOD = [
    (hidden_sums, "moment_chunks"),
    (listed_sums.ListedSums, "moments"),
    (pair_sums.PairSums, "moments"),
    (_data_moments.DataMoments, "_live"),
]
OTHERS = [
    (flip_sums, "sum_over_flips"),
    (quasi_newton, "_find_direction"),
    (l1_descent, "_descend"),
    (_fisher.FisherInformation, "__call__"),
]
WHOLE = (NegativeLogLikelihood, "evaluate")


class Clock:
    """Processor time within some functions, while they are replaced by timed ones."""

    def __init__(self):
        self.seconds = {}

    def timed(self, name, function):
        """The function, with its processor time added to that of its name."""

        def run(*args, **kwargs):
            started = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - started

        return run

    def __enter__(self):
        self.kept = [
            (place, name, getattr(place, name)) for place, name in [*LIKELIHOOD, *OTHERS, WHOLE]
        ]
        for place, name, function in self.kept:
            setattr(place, name, self.timed(name, function))
        return self

    def __exit__(self, *_):
        for place, name, function in self.kept:
            setattr(place, name, function)


def most_active(n_units):
    """Words of the most active units of a simulated recording."""
    words = mc.simulate.preset("T6").bin(0.020)
    units = np.sort(np.argsort(-(words.counts @ words.X))[:n_units])
    return mc.Words.from_array(words.X[words.index][:, units], bin_width=0.020)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the smaller models alone")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    models = [
        (12, mc.RBM(10, l1=1e-5, objective="likelihood")),
        (16, mc.Ising(objective="likelihood")),
        (16, mc.KPairwise()),
    ]
    if not quick:
        models += [
            (20, mc.RBM(25, l1=1e-5, objective="likelihood", max_iter=100)),
            (24, mc.Ising(objective="likelihood")),
            (24, mc.KPairwise()),
        ]
    print(f"{'model':<12}{'units':>6}{'seconds':>9}{'of fit':>9}{'of evaluations':>16}")
    for n_units, model in models:
        words = most_active(n_units)
        clone(model).set_params(max_iter=3).fit(words)  # compiles
        with Clock() as clock:
            started = time.process_time()
            model.fit(words)
            seconds = time.process_time() - started
        whole = clock.seconds.pop("evaluate")
        of_fit = sum(clock.seconds.values()) / seconds
        of_likelihood = sum(clock.seconds.get(name, 0.0) for _, name in LIKELIHOOD[:2])
        of_likelihood += clock.seconds.get("_live", 0.0)
        name = type(model).__name__ + (f" {model.n_hidden}" if hasattr(model, "n_hidden") else "")
        print(f"{name:<12}{n_units:>6}{seconds:>9.3f}{of_fit:>9.0%}{of_likelihood / whole:>16.0%}")


if __name__ == "__main__":
    main()
