"""How much of a likelihood fit is arithmetic, and how much is Python around it.

Run as ``python benchmarks/share.py``. Processor time of one thread. "loops" is what compiled loops
over words and states, matrix products and the recursions of the search take; "backend" also counts
what ``kernels`` does around its loops: tables of exponentials, padding, sums of chunks. The last
column is the share of the loops in evaluations of the likelihood alone, starts and the search left
out.
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
from microcolumn.objectives import NegativeLogLikelihood, _maximum_likelihood, data_moments
from microcolumn.solvers import _newton, _quasi_newton

#: Loops of an evaluation, those of starts and search; what the backend does with them; and the
#: evaluation itself.
LIKELIHOOD = [
    (hidden_sums, "moment_chunks"),
    (listed_sums.ListedSums, "moments"),
    (pair_sums.PairSums, "moments"),
    (data_moments.DataMoments, "_live"),
]
OTHERS = [
    (flip_sums, "sum_over_flips"),
    (_quasi_newton, "find_direction"),
    (_newton, "minimise_quadratic"),
    (_maximum_likelihood.FisherInformation, "__call__"),
]
BACKEND = [
    (hidden_sums.HiddenSums, "moments"),
    (flip_sums.FlipSums, "value_and_gradient"),
]
WITHIN = [(hidden_sums, "moment_chunks"), (flip_sums, "sum_over_flips")]
WHOLE = (NegativeLogLikelihood, "evaluate")


class Clock:
    """Processor time within some functions, while they are replaced by timed ones."""

    def __init__(self):
        self.seconds = {}

    def timed(self, place, name, function):
        """The function, with its processor time added to that of its place and name."""

        def run(*args, **kwargs):
            started = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.seconds[place, name] += time.process_time() - started

        return run

    def __enter__(self):
        timed = [*LIKELIHOOD, *OTHERS, *BACKEND, WHOLE]
        self.kept = [(place, name, getattr(place, name)) for place, name in timed]
        for place, name, function in self.kept:
            self.seconds[place, name] = 0.0
            setattr(place, name, self.timed(place, name, function))
        return self

    def sum(self, functions):
        """Seconds of some functions together."""
        return sum(self.seconds[function] for function in functions)

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
        (16, mc.models.KPairwise()),
    ]
    if not quick:
        models += [
            (20, mc.RBM(25, l1=1e-5, objective="likelihood", max_iter=100)),
            (24, mc.Ising(objective="likelihood")),
            (24, mc.models.KPairwise()),
        ]
    header = f"{'loops':>8}{'backend':>9}{'of evaluations':>16}"
    print(f"{'model':<12}{'units':>6}{'seconds':>9}{header}")
    for n_units, model in models:
        words = most_active(n_units)
        clone(model).set_params(max_iter=3).fit(words)  # compiles
        with Clock() as clock:
            started = time.process_time()
            model.fit(words)
            seconds = time.process_time() - started
        loops = clock.sum([*LIKELIHOOD, *OTHERS])
        backend = loops + clock.sum(BACKEND) - clock.sum(WITHIN)
        of_evaluations = clock.sum(LIKELIHOOD) / clock.sum([WHOLE])
        name = type(model).__name__ + (f" {model.n_hidden}" if hasattr(model, "n_hidden") else "")
        shares = f"{loops / seconds:>8.0%}{backend / seconds:>9.0%}{of_evaluations:>16.0%}"
        print(f"{name:<12}{n_units:>6}{seconds:>9.3f}{shares}")


if __name__ == "__main__":
    main()
