"""Distinct words of a large recording: ``Words.from_array`` against ``np.unique(axis=0)``.

Run as ``python benchmarks/words.py``. The words are those of the 477-unit retina recording where
it lies beside the repository, else simulated ones of the same size and sparseness.
"""

from __future__ import annotations

import os
import platform
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

from microcolumn.words import Words

RECORDING = Path(__file__).parents[1].parent / "shared/data/mouse_retina_p6_stafford477.npz"


def retina() -> np.ndarray:
    with np.load(RECORDING, allow_pickle=False) as recording:
        n_bins = int(recording["duration_s"] // 0.020)
        bins = (recording["spike_times"] / 0.020).astype(np.int64)
        X = np.zeros((n_bins, recording["unit_ids"].size), dtype=np.uint8)
        inside = bins < n_bins
        X[bins[inside], recording["spike_units"][inside]] = 1
    return X


def simulated() -> np.ndarray:
    """Words of a common drive that is off half of the time, as sparse as the recording."""
    rng = np.random.default_rng(0)
    rate = 0.012 * np.clip(rng.standard_normal((360_000, 1)), 0.0, None)
    return (rng.random((360_000, 477), dtype=np.float32) < rate).view(np.uint8)


def best_of(repeats: int, call: Callable[[], object]) -> float:
    """Smallest processor time of several calls, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def extra_memory(call: Callable[[], object]) -> int:
    """Largest number of bytes allocated during the call, the result included."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def main() -> None:
    X = retina() if RECORDING.exists() else simulated()
    words = Words.from_array(X)
    print(f"{cpu_model()}, {os.cpu_count()} cores; Python {platform.python_version()}, ", end="")
    print(f"NumPy {np.__version__}; {'retina' if RECORDING.exists() else 'simulated'} words")
    print(f"{X.shape[0]:,} bins x {X.shape[1]} units, {len(words):,} distinct, ", end="")
    print(f"{X.mean() * 100:.2f} % of the bits active")

    ours = best_of(5, lambda: Words.from_array(X))
    copy = best_of(5, X.copy)
    embedded = best_of(3, lambda: words.embed(2))
    theirs = best_of(1, lambda: np.unique(X, axis=0, return_inverse=True, return_counts=True))
    print(f"Words.from_array   {ours:8.3f} s, {X.size / ours / 1e9:.2f} Gbit/s, ", end="")
    print(f"{extra_memory(lambda: Words.from_array(X)) / 1e6:.0f} MB beside the matrix")
    print(f"np.unique(axis=0)  {theirs:8.3f} s")
    print(f"ratio              {theirs / ours:8.1f}")
    print(f"Words.embed(2)     {embedded:8.3f} s")
    # The floor: every byte is read once to check it and once to pack it, and a copy reads and
    # writes each once, so a copy takes about as long as memory allows.
    print(
        f"plain copy of X    {copy:8.3f} s, {copy / ours * 100:.0f} % of our time: memory's limit"
    )


if __name__ == "__main__":
    main()
