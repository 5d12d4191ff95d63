"""Whether fits find drives that are spread thinly over many cells.

Poisson cells of 1 to 10 Hz are driven in bouts: one drive is common to all cells, one more belongs
to each third of them. Each model is fitted along the grid of penalties that is made for its words,
its penalty chosen on a validation part, and scored on untouched blocks of time. Printed are bits/s
above firing rates and, for hidden units, the share of weights of the sign that most weights have
by third: a hidden unit that covers a third, or all cells, has found a drive.

    python benchmarks/drives.py [--units 300] [--hours 2] [--hidden 8] [--quick]
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from machine import print_machine
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

import microcolumn as mc

BIN_WIDTH = 0.020
#: Factor on the rates of its cells while a drive is on, for the common one and for a third's.
GAINS = (1.5, 1.8)
#: Share of the time that a drive is on, and bins that a bout lasts on average.
ON, BOUT = 0.1, 5


def driven_cells(
    n_units: int, n_bins: int, seed: int = 0
) -> tuple[mc.Words, NDArray[np.bool_], NDArray[np.int64]]:
    """Words, drives (4, n_bins) with the common one first, and the third of each cell."""
    rng = np.random.default_rng(seed)
    third = np.arange(n_units) * 3 // n_units
    drives = np.array([_bouts(n_bins, rng) for _ in range(4)])
    rates = np.exp(rng.uniform(0.0, np.log(10.0), n_units))  # Hz
    words = np.empty((n_bins, n_units), dtype=np.uint8)
    mean_gain = (1.0 + ON * (GAINS[0] - 1.0)) * (1.0 + ON * (GAINS[1] - 1.0))
    for start in range(0, n_bins, 10_000):
        part = slice(start, start + 10_000)
        gain = np.where(drives[0, part], GAINS[0], 1.0)[:, None]
        gain = gain * np.where(drives[1:, part], GAINS[1], 1.0).T[:, third]
        active = -np.expm1(-BIN_WIDTH * rates * gain / mean_gain)
        words[part] = rng.random(active.shape) < active
    return mc.Words.from_array(words, bin_width=BIN_WIDTH), drives, third


def _bouts(n_bins: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """A drive that is on in bouts of random length."""
    off_s, on_s = rng.geometric(ON / (1 - ON) / BOUT, n_bins), rng.geometric(1 / BOUT, n_bins)
    lengths = np.stack([off_s, on_s], axis=1).ravel()
    return np.repeat(np.arange(lengths.size) % 2 == 1, lengths)[:n_bins]


def covered(model: mc.RBM | mc.SemiRBM, third: NDArray[np.int64]) -> list[str]:
    """For each live hidden unit, which thirds it covers: at least half of their cells, one sign."""
    found = []
    for w in model.W_.T[model.W_.any(axis=0)]:
        positive = w * np.sign(w.sum()) > 0.05
        names = [str(k + 1) for k in range(3) if positive[third == k].mean() >= 0.5]
        found.append("+".join(names) or "-")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=300)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--hidden", type=int, default=8)
    parser.add_argument("--objective", default="mpf")
    parser.add_argument("--quick", action="store_true", help="90 units, 20 minutes, a coarse grid")
    arguments = parser.parse_args()
    n_units, hours = (90, 1 / 3) if arguments.quick else (arguments.units, arguments.hours)
    print_machine()
    words, _, third = driven_cells(n_units, round(hours * 3600 / BIN_WIDTH))
    train, test = words.split(0.5, by="blocks", random_state=0)
    train, validation = train.split(0.8, by="blocks", random_state=0)
    print(f"{n_units} cells, {hours:g} h, {train.X.sum(axis=1).mean():.1f} active in a word")
    settings = {"objective": arguments.objective, "tol": 1e-4, "max_iter": 200}
    warnings.simplefilter("ignore", ConvergenceWarning)
    for model in (mc.Ising(**settings), mc.RBM(arguments.hidden, **settings)):
        started = time.perf_counter()
        choice = mc.evaluate.choose_l1(model, train, validation, "coarse", max_steps=4000)
        score = mc.score(choice.best, test)
        print(f"{type(model).__name__:6} {score}, {choice}, {time.perf_counter() - started:.0f} s")
        for fit, each in zip(choice.fits, choice.scores, strict=True):
            row = f"  l1 {fit.l1:8g}: validation {each.bits_per_second:9.2f}, log Z "
            row += f"{'converged' if each.converged else 'in doubt'}, {fit.n_couplings_} couplings"
            print(f"{row}; hidden units cover {', '.join(covered(fit, third)) or '-'}", flush=True)


if __name__ == "__main__":
    main()
