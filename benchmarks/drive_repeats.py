"""Whether a stimulus drive takes away what a stimulus explains, and no more.

Simulated columns see a movie again and again. In some of them the movie drives all units alike, in
some units share volleys and slower drives of their layers and have synapses. Half of the showings
fit drives and models, the others score them. Printed are bits/s on these: of an Ising model without
a drive over constant rates, of the drive alone, and of Ising model and RBM beyond the drive, with
the same for shuffled repeats, where nothing is left beyond the stimulus. Also the mean coupling of
pairs within a layer and between layers, without and with the drive: a common movie looks like
couplings between layers, and the truth has none there but a few synapses and a weak common drive.

With --nulls only the errors are judged: net gains of an Ising model over their errors, and how
often more is said to be left, on words of five units that one stimulus drives alike and nothing
couples.

    python benchmarks/drive_repeats.py [--units 12] [--minutes 60] [--movie 0.5] [--quick]
    python benchmarks/drive_repeats.py --nulls 30
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from machine import print_machine

import microcolumn as mc

BIN_WIDTH = 0.020
#: Spread of log intensity due to the movie where it matters, and the share that units have in
#: common.
SPREAD, SHARED = 1.2, 0.9
#: What the columns are, and the options that make them so.
TRUTHS = {
    "movie, not coupled": {"movie_spread": SPREAD, "movie_shared": SHARED, "coupled": False},
    "movie and coupled": {"movie_spread": SPREAD, "movie_shared": SHARED, "coupled": True},
    "coupled, no movie": {"movie_spread": 0.0, "coupled": True},
    "neither": {"movie_spread": 0.0, "coupled": False},
}


def mean_couplings(J: np.ndarray, layer: tuple[str, ...]) -> str:
    """Mean over pairs of units within a layer and of units in two layers."""
    same = np.equal.outer(np.array(layer), np.array(layer))
    above = np.triu(np.ones_like(same), 1)
    return f"{J[same & above].mean():.3f} / {J[~same & above].mean():.3f}"


def study(name: str, options: dict[str, float], args: argparse.Namespace) -> None:
    """Simulate, fit and print one truth."""
    recording = mc.simulate.microcolumn(
        args.units, args.minutes, args.seed, movie_minutes=args.movie, **options
    )
    repeats = recording.truth.repeats
    words = repeats.within(recording.bin(BIN_WIDTH))
    train, test = repeats.split(words, 0.5, random_state=args.seed)
    ising = mc.Ising(l1=args.l1, objective="pseudolikelihood")
    models = {"Ising": ising}
    if not args.quick:
        models["RBM"] = mc.RBM(args.hidden, l1=args.l1, objective="pseudolikelihood", tol=1e-6)
    plain = ising.fit(train)
    score = mc.score(plain, test)
    started = time.process_time()
    found = mc.evaluate.beyond_stimulus(models, train, test, repeats, random_state=args.seed)
    seconds = time.process_time() - started
    driven = mc.models.Driven(ising, mc.StimulusDrive.from_words(train, repeats)).fit(train)
    print(f"\n== {name}: {args.units} units, {args.minutes:g} minutes, seed {args.seed}")
    print(f"Ising without a drive gains {score} over constant rates.")
    print(found)
    layer = recording.units.layer
    print(
        "mean coupling within / between layers: "
        f"{mean_couplings(plain.J_, layer)} without, "
        f"{mean_couplings(driven.model_.J_, layer)} with the drive; "
        f"{plain.n_couplings_} and {driven.n_couplings_} couplings; {seconds:.0f} s of processor"
    )


def driven_alike(n_repeats: int, seed: int) -> tuple[mc.Words, mc.Repeats]:
    """Five units with the same log odds, a smooth course of 100 bins that is repeated."""
    rng = np.random.default_rng(seed)
    course = np.convolve(rng.standard_normal(140), np.exp(-np.arange(41) / 10), mode="valid")
    rate = 1.0 / (1.0 + np.exp(2.5 - course / course.std()))
    bits = rng.random((n_repeats, 100, 5)) < rate[:, None]
    repeats = mc.Repeats(np.arange(n_repeats) * 100 * BIN_WIDTH, 100 * BIN_WIDTH)
    return mc.Words.from_array(bits.reshape(-1, 5), bin_width=BIN_WIDTH), repeats


def judge_errors(n_seeds: int, l1: float) -> None:
    """Print how net gains over their errors are distributed where the truth is zero."""
    for n_repeats in (6, 20):
        z, claims = [], 0
        for seed in range(n_seeds):
            words, repeats = driven_alike(n_repeats, seed)
            parts = repeats.split(words, random_state=seed)
            models = {"Ising": mc.Ising(l1=l1, objective="pseudolikelihood")}
            [ising] = mc.evaluate.beyond_stimulus(models, *parts, repeats, random_state=seed).models
            claims += ising.is_clear
            # Without a coupling in either fit there is neither a gain nor an error.
            z.append(ising.net.value / max(ising.net.stderr, 1e-9))
        print(
            f"{n_repeats} repeats: net gain over its error {np.mean(z):.2f} on average, standard "
            f"deviation {np.std(z):.2f}; more is said to be left in {claims} of {n_seeds}"
        )


def main() -> None:
    """Read the options and print one block per truth."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--units", type=int, default=12)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--movie", type=float, default=0.5, help="minutes")
    parser.add_argument("--hidden", type=int, default=6)
    parser.add_argument("--l1", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="10 minutes, no RBM")
    parser.add_argument("--nulls", type=int, default=0, help="recordings where nothing is left")
    args = parser.parse_args()
    if args.quick:
        args.minutes = 10.0
    print_machine()
    if args.nulls:
        judge_errors(args.nulls, args.l1)
        return
    for name, options in TRUTHS.items():
        study(name, options, args)


if __name__ == "__main__":
    main()
