"""Correlograms of all pairs of units: ours against NumPy and Elephant, and against bare reads.

Run as ``python benchmarks/correlograms.py`` on one thread (``NUMBA_NUM_THREADS=1``) for ratios per
core. Recordings: the 477-unit retina where it lies beside the repository, and a simulated dense
population, at 6.7 ms up to ±0.2 s. NumPy and Elephant take a sample of the pairs of units one by
one, and their time is scaled up to all of them. Elephant has two methods, one whose cost grows with
the recording's length and one whose cost grows with its spikes; the faster of the two counts. It
correlates binned trains, so its lags are those of bins where ours are exact.
"""

from __future__ import annotations

import time
import warnings
from importlib.util import find_spec

import numpy as np
from machine import RECORDINGS, least, print_machine
from numba import njit

from microcolumn.recording import Recording
from microcolumn.survey import correlograms, suggest_bin_width, suspect_units
from microcolumn.survey.cross_correlation import merged

WIDTH, WINDOW = 1 / 150, 0.2
#: Pairs of units that the slower ways are timed on.
SAMPLE = 40


def retina() -> Recording:
    with np.load(RECORDINGS / "mouse_retina_p6_stafford477.npz", allow_pickle=False) as file:
        times, units = file["spike_times"], file["spike_units"]
        trains = [np.sort(times[units == n]) for n in range(file["unit_ids"].size)]
        return Recording(trains, epochs=[[0.0, float(file["duration_s"])]])


def dense() -> Recording:
    """A hundred independent units at 20 Hz for ten minutes."""
    rng = np.random.default_rng(0)
    trains = [np.sort(rng.uniform(0.0, 600.0, 12_000)) for _ in range(100)]
    return Recording(trains, epochs=[[0.0, 600.0]])


def by_numpy(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One correlogram: the lags within the window, found by searching, in a histogram."""
    n_side = int(WINDOW / WIDTH + 0.5)
    edges = (np.arange(2 * n_side + 2) - n_side - 0.5) * WIDTH
    low = np.searchsorted(second, first + edges[0])
    n_near = np.searchsorted(second, first + edges[-1]) - low
    starts = np.repeat(low - np.cumsum(n_near) + n_near, n_near)
    lags = second[starts + np.arange(n_near.sum())] - np.repeat(first, n_near)
    return np.histogram(lags, edges)[0]


def elephant_seconds(
    trains: list[np.ndarray], seconds: float, sample: np.ndarray
) -> dict[str, float]:
    """Time per pair of units of each of Elephant's methods; binning is left out."""
    import neo
    import quantities as pq
    from elephant.conversion import BinnedSpikeTrain
    from elephant.spike_train_correlation import cross_correlation_histogram

    n_side = int(WINDOW / WIDTH + 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        binned = {
            n: BinnedSpikeTrain(
                neo.SpikeTrain(trains[n] * pq.s, t_stop=seconds * pq.s),
                bin_size=WIDTH * pq.s,
                n_bins=int(seconds / WIDTH),
                tolerance=None,
            )
            for n in np.unique(sample)
        }

        def all_pairs(method: str) -> None:
            for i, j in sample:
                cross_correlation_histogram(
                    binned[i], binned[j], window=[-n_side, n_side], method=method
                )

        return {
            method: least(time.process_time, lambda m=method: all_pairs(m), 1) / len(sample)
            for method in ("speed", "memory")
        }


@njit
def _floor(times, units, stops, members, offsets, longest, out):
    """Read the same spikes in the same order and add one per pair; find no bin."""
    for i in range(out.shape[0]):
        for place in range(offsets[i], offsets[i + 1]):
            a = members[place]
            for b in range(a + 1, stops[a]):
                if times[b] - times[a] > longest:
                    break
                out[i, units[b]] += 1


def floor_seconds(recording: Recording) -> float:
    """Time of the merged list's reads and one increment per pair of spikes alone."""
    spikes = merged(recording)
    members = np.argsort(spikes.units, kind="stable")
    n_spikes = np.bincount(spikes.units, minlength=recording.n_units)
    offsets = np.concatenate(([0], np.cumsum(n_spikes)))
    out = np.zeros((recording.n_units, recording.n_units), dtype=np.int64)
    longest = WINDOW + WIDTH / 2
    return least(time.process_time, lambda: _floor(*spikes, members, offsets, longest, out))


def measure(name: str, recording: Recording) -> None:
    result = correlograms(recording, bin_width=WIDTH, max_lag_s=WINDOW)
    # Each pair of spikes is in the table of (i, j) and in that of (j, i).
    n_pairs = result.counts.sum() / 2
    print(f"\n{name}: {recording}, {n_pairs:.3g} pairs of spikes, ", end="")
    print(f"table of {result.counts.nbytes / 1e6:.0f} MB")
    clock = time.process_time
    ours = least(clock, lambda: correlograms(recording, bin_width=WIDTH, max_lag_s=WINDOW))
    kernel, floor = kernel_seconds(recording, result.lags_s.size // 2), floor_seconds(recording)
    print(f"correlograms       {ours:8.3f} s")
    print(f"  its kernel       {kernel:8.3f} s, {kernel / n_pairs * 1e9:.2f} ns per pair of spikes")
    print(f"  reads, one add   {floor:8.3f} s, {floor / kernel * 100:.0f} % of the kernel")
    print(f"suggest_bin_width  {least(clock, lambda: suggest_bin_width(recording)):8.3f} s")
    print(f"suspect_units      {least(clock, lambda: suspect_units(recording)):8.3f} s")
    compare(recording, result.counts, ours)


def kernel_seconds(recording: Recording, n_side: int) -> float:
    from microcolumn.kernels.loops.coincidences import coincidences

    spikes, n_units = merged(recording), recording.n_units
    members = np.argsort(spikes.units, kind="stable")
    offsets = np.concatenate(([0], np.cumsum(np.bincount(spikes.units, minlength=n_units))))
    out = np.empty((n_units, n_units, n_side + 2), dtype=np.int64)
    return least(time.process_time, lambda: coincidences(*spikes, members, offsets, WIDTH, out))


def compare(recording: Recording, counts: np.ndarray, ours: float) -> None:
    """Time of the others on a sample of pairs, scaled to all pairs with i < j."""
    n_units, trains = recording.n_units, list(recording.trains)
    rng = np.random.default_rng(0)
    sample = np.array([rng.choice(n_units, 2, replace=False) for _ in range(SAMPLE)])
    n_pairs = n_units * (n_units - 1) // 2
    for i, j in sample:
        # Lags on an edge count half on either side here and on one side there.
        off = np.abs(counts[i, j] - by_numpy(trains[i], trains[j]))
        assert off.max() <= 0.02 * counts[i, j].max() + 2, (i, j)
    theirs = least(
        time.process_time, lambda: [by_numpy(trains[i], trains[j]) for i, j in sample], 3
    )
    theirs *= n_pairs / SAMPLE
    print(f"NumPy              {theirs:8.3f} s, ratio {theirs / ours:.0f}")
    if find_spec("elephant"):
        by_method = elephant_seconds(trains, recording.duration_s, sample)
        method = min(by_method, key=by_method.__getitem__)
        theirs = n_pairs * by_method[method]
        print(f"Elephant           {theirs:8.3f} s, ratio {theirs / ours:.0f} (method {method!r})")


def main() -> None:
    print_machine()
    if RECORDINGS.exists():
        measure("retina", retina())
    measure("dense", dense())


if __name__ == "__main__":
    main()
