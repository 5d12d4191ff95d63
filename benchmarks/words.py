"""Distinct words of a large recording: ``Words.from_array`` against ``np.unique(axis=0)``.

Run as ``python benchmarks/words.py``. The words are those of the 477-unit retina recording where
it lies beside the repository, else simulated ones of the same size and sparseness.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from machine import RECORDINGS, binned, least, print_machine

from microcolumn.words import Words

RECORDING = RECORDINGS / "mouse_retina_p6_stafford477.npz"


def simulated() -> np.ndarray:
    """Words of a common drive that is off half of the time, as sparse as the recording."""
    rng = np.random.default_rng(0)
    rate = 0.012 * np.clip(rng.standard_normal((360_000, 1)), 0.0, None)
    return (rng.random((360_000, 477), dtype=np.float32) < rate).view(np.uint8)


def extra_memory(call: Callable[[], object]) -> int:
    """Largest number of bytes allocated during the call, the result included."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def main() -> None:
    print_machine()
    X = binned(RECORDING, 0.020) if RECORDING.exists() else simulated()
    words = Words.from_array(X)
    source = "retina" if RECORDING.exists() else "simulated"
    print(f"{source}: {X.shape[0]:,} bins x {X.shape[1]} units, ", end="")
    print(f"{len(words):,} distinct, ", end="")
    print(f"{X.mean() * 100:.2f} % of the bits active")

    ours = least(time.process_time, lambda: Words.from_array(X))
    copy = least(time.process_time, X.copy)
    embedded = least(time.process_time, lambda: words.embed(2), 3)
    started = time.process_time()
    np.unique(X, axis=0, return_inverse=True, return_counts=True)
    theirs = time.process_time() - started
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
