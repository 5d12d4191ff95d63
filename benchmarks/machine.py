"""What every benchmark states: the machine, the versions, its peak, and the recordings at hand."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numba
import numpy as np
from numba import njit

import microcolumn as mc
from microcolumn.kernels.simd.lanes import fma, reduce_add, splat

#: Real recordings beside the repository; benchmarks do without them where they are absent.
RECORDINGS = Path(__file__).parents[1].parent / "shared" / "data"
_LANES = 16


def print_machine() -> None:
    """One line: processor, cores, threads in use, versions."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba"))
    print(
        f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores, "
        f"{numba.get_num_threads()} threads; Python {platform.python_version()}, {libraries}"
    )


def least(clock: Callable[[], float], call: Callable[[], object], repeats: int = 5) -> float:
    """Smallest time of several calls by ``clock``, in seconds, after one call that compiles."""
    call()
    times = []
    for _ in range(repeats):
        started = clock()
        call()
        times.append(clock() - started)
    return min(times)


def peak_multiply_adds() -> float:
    """Multiply-adds per second that one core does at best, in registers alone."""
    rounds = 2_000_000
    seconds = least(time.thread_time, lambda: _register_multiply_adds(rounds, 0.999999))
    return rounds * 8 * _LANES / seconds


@njit
def _register_multiply_adds(n_rounds, factor):
    """Eight independent chains of multiply-adds on rows of sixteen numbers."""
    scale = splat(factor, _LANES)
    shift = scale - scale
    a, b, c, d = scale, scale + scale, scale * scale, shift
    e, f, g, h = a + b, a + c, b + c, a + b + c
    for _ in range(n_rounds):
        a = fma(a, scale, shift)
        b = fma(b, scale, shift)
        c = fma(c, scale, shift)
        d = fma(d, scale, shift)
        e = fma(e, scale, shift)
        f = fma(f, scale, shift)
        g = fma(g, scale, shift)
        h = fma(h, scale, shift)
    return reduce_add(((a + b) + (c + d)) + ((e + f) + (g + h)))


def recordings(bin_width: float = 0.020) -> dict[str, mc.Words]:
    """The spike-time files among the recordings, binned; empty where there are none."""
    paths = sorted(RECORDINGS.glob("*.npz"))
    return {path.stem: mc.Words.from_array(binned(path, bin_width), bin_width) for path in paths}


def binned(path: Path, bin_width: float) -> np.ndarray:
    """Binary matrix (n_bins, n_units) of a spike-time file."""
    with np.load(path, allow_pickle=False) as file:
        n_bins = int(file["duration_s"] // bin_width)
        bins = (file["spike_times"] / bin_width).astype(np.int64)
        X = np.zeros((n_bins, file["unit_ids"].size), dtype=np.uint8)
        inside = bins < n_bins
        X[bins[inside], file["spike_units"][inside]] = 1
    return X


def most_active(words: mc.Words, n_units: int) -> mc.Words:
    """The same words with their most active units alone."""
    return words.subset(np.sort(np.argsort(-words.rates)[:n_units]))
