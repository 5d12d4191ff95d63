"""The correlogram that a bin width rests on (the paper's figure 1e)."""

from __future__ import annotations

import numpy as np

from ..plot import _recorded as recorded
from ..recording import Recording
from ..survey import BinWidth
from ._captioned import COLUMN, CaptionedFigure, captioned

#: What a correlogram counts, for captions.
COUNTED = (
    "Cross-correlogram of all pairs of units pooled, relative to independent units of the same "
    "rates (chance)"
)


def correlogram(result: BinWidth | Recording) -> CaptionedFigure:
    """Pooled cross-correlogram with the width of its central peak and the suggestion as title.

    See :func:`microcolumn.plot.correlogram`.

    Parameters
    ----------
    result : BinWidth or Recording
        From :func:`microcolumn.suggest_bin_width`, or the recording for which to find it.
    """
    result = recorded.bin_width_of(result)
    with captioned("", "Cross-correlogram and bin width", (COLUMN, 2.6)) as figure:
        axes = recorded.correlogram(result, ax=figure.subplots())
        without_peak = " (no central peak)" if np.isnan(result.peak_width_s) else ""
        axes.set_title(f"Suggested bins: {result.width_s * 1e3:g} ms{without_peak}")
        dashed = "" if without_peak else " Dashed lines are at its ends."
        figure.caption = f"{COUNTED}. {about_peak(result)}{dashed}"
    return figure


def about_peak(result: BinWidth) -> str:
    """The width of the central peak and what its error is, or why there is none, for captions."""
    if np.isnan(result.peak_width_s):
        return f"Its width was not measured: {result.reason}."
    return (
        "The bar is the width of the central peak at half its height above the far lags, "
        f"{result.peak_width_s * 1e3:.1f} ± {result.peak_stderr_s * 1e3:.1f} ms (standard error "
        "from leaving out each of 20 blocks of time)."
    )
