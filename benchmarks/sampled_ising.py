"""Ising models by sampled likelihood: seconds, rounds, certificate and held-out bits/s.

    NUMBA_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/sampled_ising.py --part t6
    NUMBA_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python benchmarks/sampled_ising.py --part p15
    python benchmarks/sampled_ising.py --part p6 [--units 200]

t6
    All 36 units of the simulated recording T6, the whole default grid: at most 6 s of one core.
p15
    The 50 most active cells of a retina with some 180,000 words, the same: at most 8 s.
p6
    All 477 cells of another retina at one penalty until fresh chains certify the fit: at most
    15 minutes of two cores. ``--l1`` and ``--units`` try others.

Half of the words, in blocks of time, are fitted; of the others 30 % choose the penalty.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

from machine import RECORDINGS, binned, most_active, print_machine

import microcolumn as mc

#: Seconds of processor time of one core for a grid, and of wall time for the fit of P6.
SECONDS = {"t6": 6.0, "p15": 8.0, "p6": 900.0}
FILES = {"p15": "mouse_retina_p15_demas54.npz", "p6": "mouse_retina_p6_stafford477.npz"}
#: Penalty of P6 unless asked, which validation words prefer to stronger ones.
L1 = 2e-4


def words_of(part: str) -> mc.Words:
    """The words of a part of the benchmark, 20 ms each."""
    if part == "t6":
        return mc.simulate.preset("T6").bin(0.020)
    words = mc.Words.from_array(binned(RECORDINGS / FILES[part], 0.020), 0.020)
    return most_active(words, 50) if part == "p15" else words


def summary_of(model: mc.Ising, held: mc.Words) -> str:
    """What a fit is worth, and how far it is from its optimum."""
    certificate, score = model.certificate_, mc.score(model, held)
    holds = "holds" if certificate.converged else "does not hold"
    return (
        f"l1 {model.l1:g}: {score.bits_per_second:.2f} ± {score.stderr:.2f} held-out bits/s, "
        f"{model.n_couplings_} couplings, {certificate.n_rounds} rounds, certificate {holds} "
        f"({certificate})"
    )


def choose(part: str) -> float:
    """Processor seconds of the choice along the default grid."""
    train, rest = words_of(part).split(0.5, by="blocks", random_state=0)
    validation, held = rest.split(0.3, by="blocks", random_state=1)
    # Compile every kernel, also those for so many units.
    few, _ = train.split(0.05, by="blocks", random_state=0)
    mc.evaluate.choose_l1(mc.Ising(), few, validation, [2e-2, 5e-3], max_steps=500)
    started, processor = time.perf_counter(), time.process_time()
    choice = mc.evaluate.choose_l1(mc.Ising(), train, validation)
    processor, wall = time.process_time() - processor, time.perf_counter() - started
    for fit, score in zip(choice.fits, choice.scores, strict=True):
        print(
            f"  l1 {fit.l1:g}: {score.bits_per_second:.2f} validation bits/s, log Z "
            f"{fit.log_partition()}, {fit.certificate_.n_rounds} rounds"
        )
    print(f"{part}: {choice}, {processor:.2f} s of processor time, {wall:.2f} s")
    print(f"  {summary_of(choice.best, held)}", flush=True)
    return processor


def fit_all(n_units: int | None, l1: float) -> float:
    """Wall seconds of one fit of many units."""
    words = words_of("p6")
    words = words if n_units is None else most_active(words, n_units)
    train, rest = words.split(0.5, by="blocks", random_state=0)
    validation, held = rest.split(0.3, by="blocks", random_state=1)
    few, _ = train.split(0.02, by="blocks", random_state=0)
    mc.Ising(l1=2e-3).fit(few)
    started, processor = time.perf_counter(), time.process_time()
    model = mc.Ising(l1=l1).fit(train)
    processor, wall = time.process_time() - processor, time.perf_counter() - started
    print(f"p6: {words.n_units} units, {processor:.1f} s of processor time, {wall:.1f} s")
    log_z = model.log_partition("ais", n_steps=125, max_steps=1000, progress=False)
    model = model.with_log_partition(log_z)
    score = mc.score(model, validation)
    print(
        f"  {summary_of(model, held)}; {score.bits_per_second:.2f} validation bits/s; {log_z}",
        flush=True,
    )
    return wall if model.certificate_.converged else float("inf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=SECONDS, required=True)
    parser.add_argument("--units", type=int, help="only the most active ones of P6")
    parser.add_argument("--l1", type=float, default=L1, help="penalty of P6")
    arguments = parser.parse_args()
    print_machine()
    warnings.simplefilter("ignore")
    part = arguments.part
    seconds = fit_all(arguments.units, arguments.l1) if part == "p6" else choose(part)
    print(f"{seconds:.1f} s of {SECONDS[part]:g} s")
    sys.exit(seconds > SECONDS[part])


if __name__ == "__main__":
    main()
