"""What likelihood costs beside minimum probability flow: processor seconds of single fits.

RBMs and semi-restricted RBMs of the 20 most active units of the simulated recordings and of those
beside the repository, half of the words, one thread. Flow is fitted at l1 = 2e-3 and likelihood at
1e-4, about where each scores best here, each as it ends by default: flow at its tolerance, the
likelihood where less is to be gained than the data can tell. Held-out scores are in bits per second
over independent units; "strict" is how much the strict optimum (``tol=1e-8``) adds to them. With
``--search`` the penalty is chosen on a fifth of the training words, and the time of the whole
search is compared with that of the single fit that it has chosen.

    python benchmarks/price.py [--units 20] [--hidden 25] [--search] [--recordings T6 rat]
    PYTHONPATH=../older/src python benchmarks/price.py    # the same of another version
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import partial

import numba
from machine import least, most_active, print_machine, recordings
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import microcolumn as mc

PENALTIES = {"mpf": 2e-3, "likelihood": 1e-4}


def seconds_of(call: object) -> float:
    with threadpool_limits(limits=1):
        return least(time.process_time, call, repeats=1)


def price(model: type, n_hidden: int, train: mc.Words, test: mc.Words) -> str:
    """Seconds of both objectives, and what the strict optimum would add."""
    seconds, scores = [], []
    for objective, l1 in PENALTIES.items():
        fitted = model(n_hidden, l1=l1, objective=objective, random_state=0)
        seconds.append(seconds_of(partial(fitted.fit, train)))
        scores.append(mc.score(fitted, test))
    strict = clone(fitted).set_params(tol=1e-8).fit(train)
    added = mc.score(strict, test).bits_per_second - scores[1].bits_per_second
    flow, likelihood = seconds
    return (
        f"{flow:>6.2f}s{likelihood:>11.2f}s{likelihood / flow:>7.1f}   "
        f"{scores[0]}, {scores[1]}, strict {added:+.3f}"
    )


def search(model: type, n_hidden: int, train: mc.Words) -> str:
    """Seconds of a search over the default grid, in single fits."""
    fitted, kept = train.split(0.8, by="blocks", random_state=0)
    chosen = {}

    def choose() -> None:
        chosen["best"] = mc.evaluate.choose_l1(model(n_hidden), fitted, kept)

    whole = seconds_of(choose)
    single = seconds_of(partial(clone(chosen["best"].best).fit, fitted))
    return f"   search {whole:.2f}s = {whole / single:.1f} fits, {chosen['best']}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=20)
    parser.add_argument("--hidden", type=int, default=25)
    parser.add_argument("--search", action="store_true", help="also choose the penalty")
    parser.add_argument("--recordings", nargs="+", default=[""], help="beginnings of their names")
    parser.add_argument("--models", nargs="+", default=["RBM", "SemiRBM"])
    arguments = parser.parse_args()
    print_machine()
    numba.set_num_threads(1)
    warnings.simplefilter("ignore")
    print(
        f"{'recording':<28}{'model':<10}{'flow':>7}{'likelihood':>12}{'ratio':>7}   bits/s of both"
    )
    simulated = {name: mc.simulate.preset(name).bin(0.020) for name in ("B4", "T6", "B4MU")}
    for name, words in (simulated | recordings()).items():
        if not name.startswith(tuple(arguments.recordings)):
            continue
        train, test = most_active(words, arguments.units).split(0.5, by="blocks", random_state=0)
        for model in (getattr(mc, name) for name in arguments.models):
            line = price(model, arguments.hidden, train, test)
            if arguments.search:
                line += search(model, arguments.hidden, train)
            print(f"{name:<28}{model.__name__:<10}{line}", flush=True)


if __name__ == "__main__":
    main()
