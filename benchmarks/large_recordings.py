"""Large recordings through the commands: processor seconds, elapsed seconds and peak memory.

    python benchmarks/large_recordings.py [--jobs 2] [--folder FOLDER] [--only 300]

Simulates a column of 300 units for two hours (6.4 million spikes) and one of 1,000 units for half
an hour (4.5 million), with shares of active bins above the paper's, and runs ``info``,
``compare --quick`` and ``study page`` on each in a process of its own. Processor time is that of
all processes of the command; memory is that of the largest of them. Recordings and results stay in
the folder, so that a second run finds the recordings, but not the results.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import print_machine

import microcolumn as mc
from microcolumn.simulate import microcolumns as simulation

#: Units, minutes, and the factor on the shares of active bins.
RECORDINGS = {300: (120.0, 1.36), 1000: (30.0, 1.15)}
PAPER = simulation.SINGLE_FRACTION, simulation.MULTIPLE_FRACTION


def simulated(n_units: int, folder: Path) -> Path:
    path, (minutes, factor) = folder / f"{n_units}-units.npz", RECORDINGS[n_units]
    if not path.exists():
        simulation.SINGLE_FRACTION, simulation.MULTIPLE_FRACTION = (factor * f for f in PAPER)
        mc.simulate.microcolumn(n_units=n_units, minutes=minutes, seed=0).save(path)
    return path


def measure(name: str, *arguments: str) -> None:
    """Run a command and print a line about it."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    program = [sys.executable, "-m", "microcolumn", *arguments]
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    elapsed = time.perf_counter() - started
    print(f"{name:<28}{spent:>10.1f}{elapsed:>10.1f}{after.ru_maxrss / 2**20:>8.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--only", type=int, choices=list(RECORDINGS))
    options = parser.parse_args()
    print_machine()
    print(f"{'':<28}{'CPU s':>10}{'elapsed s':>10}{'GiB':>8}")
    for n_units in [options.only] if options.only else RECORDINGS:
        path = simulated(n_units, options.folder)
        store = path.with_suffix(".db")
        store.unlink(missing_ok=True)
        measure(f"info, {n_units} units", "info", str(path))
        compared = ("--quick", "--jobs", str(options.jobs), "--store", str(store))
        measure(f"compare --quick, {n_units} units", "compare", str(path), *compared)
        measure(f"study page, {n_units} units", "study", "page", str(store))


if __name__ == "__main__":
    main()
