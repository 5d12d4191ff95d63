"""What the first fit on a new machine costs: processor seconds with no compiled kernel on disk.

Two fresh processes, each with an empty folder for compiled kernels: the first fit of an RBM by
likelihood, and the five things everybody does (fits of an Ising model, an RBM and a semi-restricted
RBM by likelihood, their log partition functions, a prediction). Each line says how many kernels a
step compiled, and ``--kernels`` how long each of them took.

    python benchmarks/cold.py [--units 12] [--hidden 10] [--kernels]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=12)
    parser.add_argument("--hidden", type=int, default=10)
    parser.add_argument("--kernels", action="store_true", help="list the kernels of each step")
    parser.add_argument("--steps", choices=["first fit", "basics"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.steps:
        run(arguments)
        return
    for steps in ("first fit", "basics"):
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
            command = [sys.executable, *sys.argv, "--steps", steps]
            subprocess.run(command, env=environment, check=True)


def run(arguments: argparse.Namespace) -> None:
    """Do the steps in this process, and print what each of them took."""
    print(f"{arguments.steps}, {arguments.units} units, {arguments.hidden} hidden units")
    compiled: list[tuple[str, float]] = []
    for name, step in steps_of(arguments, compiled):
        started = time.process_time()
        step()
        seconds = time.process_time() - started
        print(f"  {name:<24}{seconds:6.1f} s  {len(compiled):3d} kernels")
        for kernel, share in compiled if arguments.kernels else ():
            print(f"      {share:6.1f} s  {kernel}")
        compiled.clear()
    kept = len(list(Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*.nbc")))
    print(f"  {'in all':<24}{time.process_time():6.1f} s  {kept:3d} kernels on disk\n")


def steps_of(
    arguments: argparse.Namespace, compiled: list[tuple[str, float]]
) -> list[tuple[str, Callable[[], object]]]:
    """The steps by name; compiled kernels and their seconds are listed in ``compiled``."""
    made: dict[str, object] = {}

    def load() -> None:
        import numpy as np

        import microcolumn as mc

        listen(compiled)
        rng = np.random.default_rng(0)
        shared = rng.random((20_000, 1)) < 0.1
        X = (rng.random((20_000, arguments.units)) < 0.05 + 0.3 * shared).astype(np.uint8)
        made.update(mc=mc, words=mc.Words.from_array(X, 0.020))

    def fit(name: str) -> None:
        mc = made["mc"]
        hidden = {} if name == "Ising" else {"n_hidden": arguments.hidden}
        model = getattr(mc, name)(objective="likelihood", random_state=0, **hidden)
        made[name] = model.fit(made["words"])

    first = [("import", load), ("fit of an RBM", lambda: fit("RBM"))]
    if arguments.steps == "first fit":
        return first
    names = ("Ising", "RBM", "SemiRBM")
    return [
        first[0],
        *[(f"fit of {name}", lambda name=name: fit(name)) for name in names],
        *[(f"log Z of {name}", lambda name=name: made[name].log_partition()) for name in names],
        ("prediction", lambda: made["mc"].predict(made["RBM"], made["words"])),
    ]


def listen(compiled: list[tuple[str, float]]) -> None:
    """List whatever Numba compiles for Python from now on, with processor seconds."""
    from numba.core import event

    class Compilations(event.Listener):
        def __init__(self) -> None:
            self.started: list[float] = []

        def on_start(self, event: event.Event) -> None:
            self.started.append(time.process_time())

        def on_end(self, event: event.Event) -> None:
            seconds = time.process_time() - self.started.pop()
            if not self.started:  # what a kernel calls is compiled with it
                compiled.append((str(event.data["dispatcher"]), seconds))

    event.register("numba:compile", Compilations())


if __name__ == "__main__":
    main()
