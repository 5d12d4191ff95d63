"""Bins in time order: epochs, blocks of a split, windows, and stretches of bins to draw."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import BadArgument
from .validation import Floats, check_increasing, check_unmasked

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Clock:
    """Start times of the bins of a recording, which may have gaps between its epochs."""

    #: Place of each epoch's first bin in the recording, increasing, the first of them 0.
    first_bins: Places
    #: When that bin starts, seconds.
    starts_s: Floats

    def times_s(self, bins: Places, bin_width: float) -> Floats:
        """Start of the bins at these places of the recording, seconds."""
        epoch = np.searchsorted(self.first_bins, bins, side="right") - 1
        return self.starts_s[epoch] + (bins - self.first_bins[epoch]) * bin_width


#: Clock of bins without stated times: they follow each other from time 0 on.
FROM_ZERO = Clock(np.zeros(1, dtype=np.int64), np.zeros(1))


def checked_epoch_starts(epoch_starts: ArrayLike, n_bins: int) -> Places:
    """First bin of each epoch, shape (n_epochs,), or an error that says what is wrong."""
    check_unmasked("epoch_starts", epoch_starts)
    try:
        starts = np.array(epoch_starts)
    except ValueError:  # Lists of unequal length have no shape.
        starts = np.empty(0)
    if starts.ndim != 1 or starts.size == 0 or starts.dtype.kind not in "iu":
        raise BadArgument("epoch_starts", "must be a list of bin numbers that begins with 0")
    if starts[0] != 0:
        raise BadArgument("epoch_starts", f"begins with {starts[0]}", "epochs start at bin 0")
    check_increasing("epoch_starts", starts.astype(np.int64), "it must increase")
    if starts[-1] >= n_bins:
        problem = f"ends with {starts[-1]} but X has {n_bins} bins"
        raise BadArgument("epoch_starts", problem, "leave out empty epochs")
    return starts.astype(np.int64)


def remaining_epochs(epoch_starts: Places, bins: NDArray[np.intp]) -> Places:
    """First of each run of adjacent bins when only those at ``bins`` (increasing) remain."""
    epoch = np.searchsorted(epoch_starts, bins, side="right")
    is_start = (np.diff(bins) != 1) | (np.diff(epoch) != 0)
    return np.concatenate(([0], np.flatnonzero(is_start) + 1))


def windows(epoch_starts: Places, n_bins: int, window: int) -> tuple[Places, Places]:
    """First bin of each window inside an epoch; first window of each epoch that holds one."""
    lengths = np.diff(np.append(epoch_starts, n_bins))
    n_windows = lengths - window + 1
    n_windows = n_windows[n_windows > 0]
    if n_windows.size == 0:
        problem = f"is {window} but the longest epoch is {lengths.max()}"
        raise BadArgument("window", problem, "use a shorter one")
    remaining = np.repeat(epoch_starts + lengths, lengths) - np.arange(n_bins)
    return np.flatnonzero(remaining >= window), np.cumsum(n_windows) - n_windows


def default_blocks(n_bins: int, window: int) -> int:
    """Blocks to deal unless asked: enough to average over drifts, few words lost at the edges."""
    return min(20, max(2, n_bins // (10 * window)))


def deal_blocks(
    n_bins: int, n_first: int, n_blocks: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Mask of the bins that go to the first part, in blocks of random order.

    The sizes of a part's blocks differ by at most one bin and add up to its exact share.
    """
    if not 2 <= n_blocks <= n_bins:
        raise BadArgument("n_blocks", f"is {n_blocks}", f"it must be from 2 to {n_bins} bins")
    n_second = n_bins - n_first
    k = min(max(round(n_blocks * n_first / n_bins), 1), n_blocks - 1)
    to_first = rng.permutation(np.arange(n_blocks) < k)
    sizes = np.empty(n_blocks, dtype=np.int64)
    sizes[to_first] = np.diff(np.arange(k + 1) * n_first // k)
    sizes[~to_first] = np.diff(np.arange(n_blocks - k + 1) * n_second // (n_blocks - k))
    return np.repeat(to_first, sizes)


def windows_apart(in_first: NDArray[np.bool_], bins: Places, window: int) -> NDArray[np.bool_]:
    """Mask of windows, by their oldest bin, that end before the other part's next begins."""
    changes = np.flatnonzero(in_first[1:] != in_first[:-1]) + 1
    limits = np.append(bins[changes], bins[-1] + window)
    next_limit = limits[np.searchsorted(changes, np.arange(bins.size), side="right")]
    return bins + window <= next_limit


def run_starts(bins: Places, epoch_starts: Places) -> Places:
    """First of each run of bins of one epoch that are adjacent by their place in the recording."""
    begins = np.append(True, np.diff(bins) != 1)
    begins[epoch_starts] = True
    return np.flatnonzero(begins)


def busiest_bins(
    amounts: NDArray[Any], epoch_starts: Places, n_bins: int, *, shorter: bool = True
) -> tuple[int, int]:
    """First bin and bin after the last of the ``n_bins`` of one epoch with the largest sum.

    ``amounts`` has shape (n_bins of the recording,). Epochs that are ``shorter`` count as a whole;
    without them, stretches are as long as the longest epoch allows. The first of equal ones is
    taken.
    """
    starts, lengths = _stretches(epoch_starts, amounts.size, n_bins, shorter=shorter)
    total = np.append(0, np.cumsum(amounts))
    best = int(np.argmax(total[starts + lengths] - total[starts]))
    return int(starts[best]), int(starts[best] + lengths[best])


def typical_bins(
    amounts: NDArray[Any], epoch_starts: Places, n_bins: int, *, occurring: bool = False
) -> tuple[int, int]:
    """First bin and bin after the last of ``n_bins`` of one epoch with a typical activity.

    Their sum is the median of all such stretches. Where all epochs are shorter, the longest stand
    for it. ``amounts`` has shape (n_bins of the recording,) or (n_bins of the recording,
    n_columns), at least 0. With ``occurring``, only stretches count in which as many columns as
    possible are above 0 at some time, not at the very ends.
    """
    starts, [length, *_] = _stretches(epoch_starts, len(amounts), n_bins, shorter=False)
    columns = amounts.reshape(len(amounts), -1)
    total = np.zeros((len(columns) + 1, columns.shape[1]))
    np.cumsum(columns, axis=0, out=total[1:])
    margin = length // 10 if occurring else 0
    sums = total[starts + length - margin] - total[starts + margin]
    if occurring:
        n_seen = (sums > 0).sum(axis=1)
        starts, sums = starts[n_seen == n_seen.max()], sums[n_seen == n_seen.max()]
    in_order = np.argsort(sums.sum(axis=1), kind="stable")
    first = int(starts[in_order[(in_order.size - 1) // 2]])
    return first, first + int(length)


def _stretches(
    epoch_starts: Places, n_total: int, n_bins: int, *, shorter: bool
) -> tuple[Places, Places]:
    """First bin and length of all stretches within an epoch; see :func:`busiest_bins`."""
    ends = np.append(epoch_starts[1:], n_total)
    lengths = np.minimum(n_bins, ends - epoch_starts)
    if not shorter:
        lengths[:] = lengths.max()
    n_stretches = np.maximum(ends - epoch_starts - lengths + 1, 0)
    before = np.repeat(np.cumsum(n_stretches) - n_stretches, n_stretches)
    starts = np.repeat(epoch_starts, n_stretches) + np.arange(n_stretches.sum()) - before
    return starts, np.repeat(lengths, n_stretches)


def window_codes(index: NDArray[np.int32], oldest: Places, window: int, n_distinct: int) -> Places:
    """One integer per window, equal for equal windows and in the order of their bits.

    Since patterns are numbered in lexicographic order, a window's code is the number whose digits
    are its patterns; codes are renumbered whenever the next digit might not fit.
    """
    codes = index[oldest].astype(np.int64)
    n_codes = n_distinct
    for lag in range(1, window):
        if n_codes * n_distinct > 2**62:
            used, codes = np.unique(codes, return_inverse=True)
            n_codes = used.size
        codes = codes * n_distinct + index[oldest + lag]
        n_codes *= n_distinct
    return codes
