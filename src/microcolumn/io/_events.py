"""Imaging: a cell is active in frames in which its deconvolved value stands out of its noise."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..epochs import Epochs
from ..errors import BadArgument, BadFile
from ..validation import Floats, real_number
from ._session import Session

#: Standard deviation of normal noise around 0 by the median of its sizes.
_PER_MEDIAN = 1.4826
_AT_LEAST_0 = "give a number of noise levels from 0 on"


def noise_level(values: Floats) -> float:
    """Noise of one cell: 1.4826 times the median of its values above 0, and 0 if there is none.

    Deconvolution leaves what it takes for noise at 0 or a little above. The median of such values
    is that of a normal distribution cut off at 0, and a few large events hardly move it.
    """
    positive = values[values > 0]
    return _PER_MEDIAN * float(np.median(positive)) if positive.size else 0.0


def event_session(
    traces: Iterable[ArrayLike],
    ids: Sequence[str],
    frame_s: float,
    threshold: float,
    notes: Sequence[str] = (),
) -> Session:
    """Session of deconvolved traces, one array of shape (n_frames,) per cell.

    A cell is active in a frame where its value exceeds ``threshold`` times its noise level. Frames
    in which a cell has no value (NaN) are left out of the epochs. ``frame_s`` is the width of a
    frame in seconds; events are in the middle of their frames.
    """
    level = real_number("threshold", threshold, _AT_LEAST_0)
    if not 0 <= level < np.inf:
        raise BadArgument("threshold", f"is {threshold}", _AT_LEAST_0)
    frames, missing, n_values = [], np.zeros(0, dtype=bool), 0
    for cell, trace in zip(ids, traces, strict=True):
        values = np.array(trace, dtype=np.float64)
        absent = ~np.isfinite(values)
        if absent.all():
            raise BadFile(f"cell {cell} has no value in any frame", "leave it out")
        values[absent] = 0.0
        for bad in np.flatnonzero(values < 0)[:1]:
            problem = f"cell {cell} has {values[bad]:.6g} in frame {bad}"
            remedy = "deconvolved values are never below 0: deconvolve the fluorescence first"
            raise BadFile(problem, remedy)
        frames.append(np.flatnonzero(values > level * noise_level(values)))
        missing = absent | missing if missing.size else absent
        n_values += values.size
    kept = [active[~missing[active]] for active in frames]
    share = sum(active.size for active in kept) / max(n_values, 1)
    about = [
        *notes,
        f"a cell is active in a frame where its deconvolved value exceeds {level:g} times its "
        f"noise, 1.4826 times the median of its values above 0: {share:.2%} of all frames; bins "
        f"are frames of {frame_s * 1e3:.6g} ms, or whole multiples of them",
        *[f"frames without a value of some cell left out: {missing.sum()}"] * bool(missing.any()),
    ]
    return Session(
        ids,
        [(active + 0.5) * frame_s for active in kept],
        epochs=_present(missing, frame_s),
        notes=tuple(about),
        resolution_s=frame_s,
    )


def _present(missing: NDArray[np.bool_], frame_s: float) -> Epochs | None:
    """Runs of frames in which no value is missing."""
    if not missing.size:
        return None
    edges = np.flatnonzero(np.diff(np.concatenate(([True], missing, [True]))))
    if not edges.size:
        raise BadFile("there is no frame with values of all cells", "leave out cells without them")
    return Epochs(edges.reshape(-1, 2) * frame_s)
