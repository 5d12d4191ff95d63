"""What likelihood costs beside minimum probability flow: processor seconds of single fits.

RBMs and semi-restricted RBMs of the 20 most active units of the simulated recordings and of those
beside the repository, half of the words, one thread. Flow is fitted at l1 = 2e-3 and likelihood at
1e-4, about where each scores best here; both to the default tolerance. Held-out scores are in bits
per second over independent units.

    python benchmarks/price.py [--units 20] [--hidden 25]
    PYTHONPATH=../older/src python benchmarks/price.py    # the same of another version
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import partial

import numba
from machine import least, most_active, print_machine, recordings
from threadpoolctl import threadpool_limits

import microcolumn as mc

PENALTIES = {"mpf": 2e-3, "likelihood": 1e-4}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=20)
    parser.add_argument("--hidden", type=int, default=25)
    arguments = parser.parse_args()
    print_machine()
    numba.set_num_threads(1)
    warnings.simplefilter("ignore")
    print(
        f"{'recording':<28}{'model':<10}{'flow':>7}{'likelihood':>12}{'ratio':>7}   bits/s of both"
    )
    simulated = {name: mc.simulate.preset(name).bin(0.020) for name in ("B4", "T6", "B4MU")}
    for name, words in (simulated | recordings()).items():
        train, test = most_active(words, arguments.units).split(0.5, by="blocks", random_state=0)
        for model in (mc.RBM, mc.SemiRBM):
            seconds, scores = [], []
            for objective, l1 in PENALTIES.items():
                fitted = model(arguments.hidden, l1=l1, objective=objective, random_state=0)
                with threadpool_limits(limits=1):
                    fit = partial(fitted.fit, train)
                    seconds.append(least(time.process_time, fit, repeats=1))
                scores.append(mc.excess_log_likelihood(fitted, test))
            flow, likelihood = seconds
            print(
                f"{name:<28}{model.__name__:<10}{flow:>6.2f}s{likelihood:>11.2f}s"
                f"{likelihood / flow:>7.1f}   {scores[0]}, {scores[1]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
