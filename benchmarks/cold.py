"""What the first fit on a new machine costs: processor seconds with no compiled kernel on disk.

Two fresh processes, each with an empty folder for compiled kernels: the first fit of an RBM by
likelihood, and the five things everybody does (fits of an Ising model, an RBM and a semi-restricted
RBM by likelihood, their log partition functions, a prediction), on ten simulated minutes in bins of
20 ms. Each line says how many kernels a step compiled, ``--kernels`` how long each of them took.
Byte code of Python's modules is there, as pip leaves it.

    python benchmarks/cold.py [--units 12] [--hidden 10] [--kernels]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event

import microcolumn as mc

BIN_WIDTH = 0.020
MODELS = ("Ising", "RBM", "SemiRBM")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=12)
    parser.add_argument("--hidden", type=int, default=10)
    parser.add_argument("--kernels", action="store_true", help="list the kernels of each step")
    parser.add_argument("--models", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--words", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.words:
        run(arguments)
        return
    print(f"{arguments.units} units, {arguments.hidden} hidden units")
    with tempfile.TemporaryDirectory() as folder:
        # Here, so that the kernels of simulations do not count, and byte code is made.
        words = mc.simulate.microcolumn(arguments.units, minutes=10, seed=0).bin(BIN_WIDTH)
        mc.RBM(arguments.hidden).fit(words).log_partition()
        np.save(f"{folder}/words.npy", words.X[words.index])
        for models in (("RBM",), MODELS):
            environment = {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/{len(models)}"}
            environment.pop("PYTHONDONTWRITEBYTECODE", None)
            options = ["--words", f"{folder}/words.npy", "--models", *models]
            subprocess.run([sys.executable, *sys.argv, *options], env=environment, check=True)


def run(arguments: argparse.Namespace) -> None:
    """Do the steps in this process, and print what each of them took."""
    words = mc.Words.from_array(np.load(arguments.words), BIN_WIDTH)
    models = {
        name: getattr(mc, name)(
            objective="likelihood",
            random_state=0,
            **({} if name == "Ising" else {"n_hidden": arguments.hidden}),
        )
        for name in arguments.models
    }
    steps = [
        (f"fit of {name}", lambda model=model: model.fit(words)) for name, model in models.items()
    ]
    if len(models) > 1:
        steps += [(f"log Z of {name}", model.log_partition) for name, model in models.items()]
        steps.append(("prediction", partial(mc.evaluate.predict, models["RBM"], words)))
    compilations = Compilations()
    event.register("numba:compile", compilations)
    print(f"  {'import':<20}{time.process_time():6.1f} s")
    for name, step in steps:
        started = time.process_time()
        step()
        seconds, kernels = time.process_time() - started, compilations.take()
        print(f"  {name:<20}{seconds:6.1f} s, {len(kernels)} kernels compiled")
        for kernel, share in kernels if arguments.kernels else ():
            print(f"  {'':<20}{share:6.1f} s  {kernel}")
    kept = len(list(Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*.nbc")))
    print(f"  {'in all':<20}{time.process_time():6.1f} s, {kept} kernels on disk\n")


class Compilations(event.Listener):
    """Lists the kernels that Numba compiles, with processor seconds."""

    def __init__(self) -> None:
        self._started: list[float] = []
        self._kernels: list[tuple[str, float]] = []

    def on_start(self, event: Any) -> None:
        """A kernel or a part of one."""
        self._started.append(time.process_time())

    def on_end(self, event: Any) -> None:
        """Parts are compiled within kernels."""
        seconds = time.process_time() - self._started.pop()
        if not self._started:
            self._kernels.append((event.data["dispatcher"].py_func.__qualname__, seconds))

    def take(self) -> list[tuple[str, float]]:
        """Kernels since the last call."""
        kernels, self._kernels = self._kernels, []
        return kernels


if __name__ == "__main__":
    main()
