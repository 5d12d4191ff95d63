"""How wide a bin should be: as wide as the central peak of the cross-correlograms.

Two spikes at a lag d fall into the same bin of width w with probability 1 - |d| / w, a triangle
that ends at ±w and is w wide at half its height. A central peak that is w wide at half height
therefore suits bins of width w: the paper's peak, "about 20 ms wide" with its ends at ±20 ms, suits
its 20 ms bins (docs/method.md, section 1). The height is measured from the level of the far lags,
so that slow common changes of rate are not part of the peak.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..epochs import HALF_NANOSECOND
from ..formatting import milliseconds
from ..kernels.loops.coincidences import pooled_coincidences
from ..kernels.loops.threads import threads_for
from ..notebook import AsText
from ..recording import Recording
from ..validation import Floats, positive_number
from .cross_correlation import (
    PAIRS_PER_THREAD,
    bin_centres,
    checked_bins,
    exposure,
    merged,
    mirrored,
)

#: Seconds; suggested if no peak stands out (docs/method.md, section 1).
DEFAULT_WIDTH = 0.020
#: Bins of the pooled correlogram: narrowest width in seconds, and most bins on either side.
_FINE, _MOST_BINS = 0.001, 200
#: Seconds. At shorter lags spike sorting misses or repeats spikes: units of one electrode hide each
#: other's spikes, and a neuron sorted twice fires with itself. The peak is extrapolated there.
DEAD_TIME = 0.0015
#: Blocks of time for the jackknife.
_BLOCKS = 20
#: A peak stands out if its height is this many times its uncertainty.
_STANDS_OUT = 5.0
#: Lengths in bins of the running means that are tried until the peak stands out, and the shortest
#: and longest as parts of the largest lag, 3 and 15 ms by default: a mean over a time much shorter
#: than the peak does not change its width.
_SMOOTHING, _SMOOTHING_PARTS = (1, 3, 5, 9, 15), (0.015, 0.075)
#: Part of the peak's height by which the far lags may still fall.
_SETTLED = 0.1
#: Least number of bins on either side.
_FEWEST_BINS = 10
#: Seconds between frames at least, since finer ones suit any width, and at most.
_SHORTEST_FRAME, _LONGEST_FRAME = 0.0015, 1.0
#: Part of a frame by which times may lie off, and from how many steps and spikes of a unit frames
#: are told.
_JITTER, _FEWEST_STEPS, _FIRST_SPIKES = 0.05, 20, 1000
#: Pairs of spikes that are counted at most, about a second's work: a few hundred units have many
#: times more, and the width is known to a tenth of a millisecond from these.
_MOST_PAIRS = 3e8


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BinWidth(AsText):
    """A suggested bin width and the correlogram behind it, by :func:`suggest_bin_width`.

    Attributes
    ----------
    width_s : float
        Suggested bin width, seconds: the peak's width rounded to a multiple of 1 ms below 10 ms
        and of 5 ms above, or to a multiple of the recording's own resolution or of the frames that
        its times lie on. Two halves of a recording often differ by one such step.
    peak_width_s, peak_stderr_s : float
        Full width of the central peak at half its height, seconds, and its standard error by a
        jackknife over 20 blocks of time; NaN if no peak stands out.
    n_pairs : int
        Pairs of units with spikes.
    lags_s : ndarray of float64, shape (n_lags,)
        Bin centres of the pooled cross-correlogram, seconds.
    counts : ndarray of float64, shape (n_lags,)
        Pairs of spikes of any two different units, in both directions, so that the pooled
        correlogram is symmetric. Where there are more than 3e8 pairs, they are estimated from
        those that every k-th spike begins.
    smoothed : ndarray of float64, shape (n_lags,)
        The running mean of ``counts`` that the width was read from.
    chance : ndarray of float64, shape (n_lags,)
        ``counts`` of independent trains of the same rates.
    baseline, height : float
        Mean of ``counts`` over the outer half of the lags, and how far ``smoothed`` rises above it
        at lag 0.
    reason : str
        Why this width, in one sentence.
    """

    width_s: float
    peak_width_s: float
    peak_stderr_s: float
    n_pairs: int
    lags_s: Floats
    counts: Floats
    smoothed: Floats
    chance: Floats
    baseline: float
    height: float
    reason: str

    def __str__(self) -> str:
        return f"{milliseconds(self.width_s)} bins: {self.reason}"


def suggest_bin_width(recording: Recording, *, max_lag_s: float = 0.2) -> BinWidth:
    """Suggest the bin width that spans the central peak of the cross-correlograms.

    All pairs of units are pooled. If no peak stands out, or it is too wide for the lags, the
    suggestion is 20 ms and the reason says so.

    Parameters
    ----------
    recording : Recording
        Spikes outside its epochs are left out.
    max_lag_s : float
        Largest lag, seconds. The outer half of the lags is the baseline, so a peak may reach to
        about half of it on either side.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> volleys = np.sort(rng.uniform(0.0, 600.0, 2000))
    >>> trains = [np.sort(volleys + rng.normal(1.0, 0.006, 2000)) for _ in range(3)]
    >>> print(suggest_bin_width(Recording(trains)))
    20 ms bins: the central peak of the cross-correlograms of 3 pairs of units is 21.0 ± 0.7 ms
    wide at half its height
    """
    resolution = recording.resolution_s or _frame_s(recording)
    width, n_side = _fine_bins(max_lag_s, resolution)
    blocks = _pooled(recording, width, n_side)
    counts, rates = blocks.sum(axis=0), recording.rates_hz
    n_spiking = int(np.count_nonzero(rates))
    n_pairs = n_spiking * (n_spiking - 1) // 2
    peak, smoothing, problem = _central_peak(blocks, width, n_side)
    suggested = DEFAULT_WIDTH if problem else _round(peak["peak_width_s"])
    if resolution > 0:
        suggested = resolution * max(1, round(suggested / resolution))
    return BinWidth(
        width_s=suggested,
        n_pairs=n_pairs,
        lags_s=bin_centres(width, n_side),
        counts=mirrored(counts),
        smoothed=mirrored(_smoothed(counts, smoothing, width)),
        chance=(rates.sum() ** 2 - (rates**2).sum()) * exposure(recording.epochs, width, n_side),
        reason=_reason(problem, peak, n_pairs, resolution, n_side * width),
        **peak,
    )


def _frame_s(recording: Recording) -> float:
    """Seconds between frames, if all spikes lie on such times; 0 if not, or if they are fine."""
    times = np.concatenate([train[:_FIRST_SPIKES] for train in recording.trains])
    # Times of one frame may differ by rounding.
    _, distinct = np.unique(times.round(5), return_index=True)
    steps = np.diff(times[distinct])
    shortest = float(steps.min(initial=np.inf))
    if steps.size < _FEWEST_STEPS or not _SHORTEST_FRAME <= shortest <= _LONGEST_FRAME:
        return 0.0
    frame = np.median(steps[steps < 1.5 * shortest])
    steps = steps[steps < 20.5 * frame]  # over longer pauses, errors add up to half a frame
    n_frames = np.rint(steps / frame)
    frame = steps.sum() / n_frames.sum()
    return float(frame) if (abs(steps - n_frames * frame) < _JITTER * frame).all() else 0.0


def _fine_bins(max_lag_s: float, resolution: float) -> tuple[float, int]:
    """Width of the correlogram's bins, a multiple of the resolution, and how many on a side."""
    reach = positive_number("max_lag_s", max_lag_s, "it must be a positive number of seconds")
    width = max(_FINE, reach / _MOST_BINS)
    if resolution > 0:
        width = resolution * max(1, round(width / resolution))
    return checked_bins(width, max(reach, _FEWEST_BINS * width))


def _pooled(recording: Recording, width: float, n_side: int) -> Floats:
    """Pairs of spikes of different units by |lag|, both directions: (n_blocks, n_side + 1)."""
    spikes = merged(recording)
    if spikes.times.size == 0:
        return np.zeros((_BLOCKS, n_side + 1))
    seconds = recording.epochs.duration_s
    # Blocks of equal recorded time, without the gaps between epochs.
    lengths = recording.epochs.stops - recording.epochs.starts
    behind = np.cumsum(lengths)
    ends = np.arange(1, _BLOCKS) / _BLOCKS * seconds
    epoch = np.minimum(np.searchsorted(behind, ends), len(lengths) - 1)
    borders = recording.epochs.stops[epoch] - (behind[epoch] - ends)
    inner = np.searchsorted(spikes.times, borders)
    blocks = np.concatenate(([0], inner, [spikes.times.size])).astype(np.int64)
    table = np.empty((_BLOCKS, n_side + 2), dtype=np.int64)
    expected_pairs = spikes.times.size**2 * n_side * width / max(seconds, width)
    every = math.ceil(expected_pairs / _MOST_PAIRS)
    with threads_for(expected_pairs, PAIRS_PER_THREAD):
        pooled_coincidences(*spikes, blocks, every, width, table)
    counts = table[:, :-1] / 2.0
    counts *= every
    counts[:, 0] *= 2.0  # The central bin holds a pair in both directions.
    return counts


def _central_peak(
    blocks: Floats, width: float, n_side: int
) -> tuple[dict[str, float], int, Literal["", "noise", "slow"]]:
    """Find the central peak with as little smoothing as makes it stand out, then measure it.

    Returns the fields of `BinWidth`, the smoothing, and why the width cannot be used.
    """
    everything = blocks.sum(axis=0)
    curves = np.vstack((everything, everything - blocks))  # Then with each block left out.
    far = np.arange(n_side + 1) > n_side / 2
    baselines = curves[:, far].mean(axis=1, keepdims=True)
    peak = {"peak_width_s": np.nan, "peak_stderr_s": np.nan, "baseline": float(baselines[0, 0])}
    shortest, longest = (part * n_side for part in _SMOOTHING_PARTS)
    lengths = [m for m in _SMOOTHING if shortest <= m <= longest] or [1]
    for smoothing in lengths:
        excess = _smoothed(curves, smoothing, width) - baselines
        peak["height"] = height = float(excess[0, 0])
        noise = max(_jackknife_error(excess[1:, 0]), float(excess[0, far].std()))
        if height > 0 and height >= _STANDS_OUT * noise:
            break
    else:
        return peak, smoothing, "noise"
    nearer, farther = np.array_split(excess[0, far], 2)
    still_falling = nearer.mean() - farther.mean()
    widths = _widths(excess)
    # Noise makes a curve cross half its height early; a mean over a quarter of the peak does not.
    smoothing = max([smoothing, *(m for m in lengths if 4 * m <= widths[0])])
    excess = _smoothed(curves, smoothing, width) - baselines
    widths = width * _widths(excess)
    peak["height"] = float(excess[0, 0])
    if still_falling > _SETTLED * peak["height"] or np.isnan(widths).any():
        return peak, smoothing, "slow"
    measured = {"peak_width_s": float(widths[0]), "peak_stderr_s": _jackknife_error(widths[1:])}
    return peak | measured, smoothing, ""


def _smoothed(curves: Floats, smoothing: int, width: float) -> Floats:
    """Running mean over lags of curves (..., n_side + 1) that go on symmetrically below zero."""
    filled = _continued_to_zero(curves, smoothing, width)
    reach = smoothing // 2
    inner = np.concatenate((filled[..., reach:0:-1], filled), axis=-1)
    padded = np.concatenate((inner, np.repeat(filled[..., -1:], reach, axis=-1)), axis=-1)
    views = np.lib.stride_tricks.sliding_window_view(padded, smoothing, axis=-1)
    means: Floats = views.mean(axis=-1)
    return means


def _continued_to_zero(curves: Floats, smoothing: int, width: float) -> Floats:
    """Curves (..., n_side + 1) with their bins within the dead time replaced by a parabola.

    The parabola a + b·lag² is fitted to the bins next to them, as many as the running mean spans.
    Bins much wider than the dead time stay, since they hold other pairs too.
    """
    filled = curves.copy()
    n_dead = math.floor(DEAD_TIME / width + 0.5 + HALF_NANOSECOND / width)
    if n_dead > 1:
        n_fitted = n_dead + smoothing + 1
        squares = np.arange(n_fitted, dtype=np.float64) ** 2
        parabola = np.column_stack((np.ones_like(squares), squares))
        fit = parabola[:n_dead] @ np.linalg.pinv(parabola[n_dead:])
        filled[..., :n_dead] = curves[..., n_dead:n_fitted] @ fit.T
    return filled


def _widths(excess: Floats) -> Floats:
    """Full width in bins, at half height, of symmetric curves (n_curves, n_side + 1).

    Interpolated linearly between bin centres; NaN if a curve does not fall to half of its height
    in the inner half of the lags.
    """
    inner = excess[:, : (excess.shape[1] - 1) // 2 + 2]
    half = inner[:, :1] / 2
    below = inner <= half
    behind = np.maximum(below.argmax(axis=1), 1)[:, None]
    after = np.take_along_axis(inner, behind, axis=1)
    before = np.take_along_axis(inner, behind - 1, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        place = (behind - 1 + (before - half) / (before - after))[:, 0]
    crosses = below.any(axis=1) & (half[:, 0] > 0)
    return 2.0 * np.where(crosses, place, np.nan)


def _jackknife_error(estimates: Floats) -> float:
    """Standard error of an estimate from its values with one block left out."""
    return float(np.sqrt((estimates.size - 1) * estimates.var()))


def _round(width_s: float) -> float:
    width_ms = width_s * 1e3
    step = 1 if width_ms < 9.5 else 5
    return max(1, step * round(width_ms / step)) / 1e3


def _reason(
    problem: str, peak: dict[str, float], n_pairs: int, resolution: float, window: float
) -> str:
    reasons = {
        "noise": "no central peak of the cross-correlograms stands out above their noise",
        "slow": f"the cross-correlograms still fall at lags of ±{window * 1e3:.0f} ms, so they "
        "have no central peak of their own within them",
        "": f"the central peak of the cross-correlograms of {n_pairs:,} pairs of units is "
        f"{peak['peak_width_s'] * 1e3:.1f} ± {peak['peak_stderr_s'] * 1e3:.1f} ms wide at half its "
        "height",
    }[problem]
    if n_pairs == 0:
        reasons = "fewer than two units fire, so there is no cross-correlogram"
    used = f"; {DEFAULT_WIDTH * 1e3:g} ms is the usual width" if problem else ""
    grid = f", in multiples of the {milliseconds(resolution)} of the recording" * (resolution > 0)
    return f"{reasons}{used}{grid}"
