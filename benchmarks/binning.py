"""Two hours of 477 units into 20 ms words: time, bytes, and what NumPy's histogram takes.

The retina of Stafford et al. (2009) where it lies beside the repository, and a dense population of
477 Poisson units at 5 Hz. A spike must at least be read (8 bytes) and its bit set; the floor is the
time to copy the spike times once.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np
from machine import RECORDINGS, least, print_machine

import microcolumn as mc

WIDTH = 0.020


def recordings() -> dict[str, mc.Recording]:
    rng = np.random.default_rng(0)
    dense = [np.sort(rng.uniform(0, 7200, rng.poisson(5 * 7200))) for _ in range(477)]
    found = {"dense, 5 Hz": mc.Recording(dense, epochs=[[0, 7200]])}
    retina = RECORDINGS / "mouse_retina_p6_stafford477.npz"
    if retina.exists():
        found["retina, 0.25 Hz"] = mc.read(retina)
    return found


def histograms(recording: mc.Recording) -> np.ndarray:
    """The usual way: one histogram per unit, then the distinct rows of the dense matrix."""
    n_bins = int(recording.duration_s / WIDTH)
    edges = np.arange(n_bins + 1) * WIDTH
    counts = np.stack([np.histogram(train, edges)[0] > 0 for train in recording.trains], axis=1)
    return np.unique(np.packbits(counts, axis=1), axis=0)


def main() -> None:
    print_machine()
    for name, recording in recordings().items():
        seconds = least(time.perf_counter, lambda r=recording: r.binning(WIDTH), 3)
        floor = least(time.perf_counter, lambda r=recording: r.spike_times.copy(), 3)
        start = time.perf_counter()
        histograms(recording)
        usual = time.perf_counter() - start
        tracemalloc.start()
        binning = recording.binning(WIDTH)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(
            f"{name}: {recording.n_spikes:,} spikes, {binning.words.n_bins:,} bins, "
            f"{len(binning.words):,} distinct words in {seconds:.2f} s "
            f"({seconds / recording.n_spikes * 1e9:.0f} ns per spike), "
            f"{usual / seconds:.0f}x faster than histograms, {seconds / floor:.0f}x the time to "
            f"copy the spikes; {peak / 1e6:.0f} MB at most beside them"
        )


if __name__ == "__main__":
    main()
