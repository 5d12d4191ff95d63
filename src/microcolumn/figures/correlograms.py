"""The correlogram that a bin width rests on (the paper's figure 1e)."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from ..plot import recorded
from ..plot.style import RC
from ..survey.bin_width import BinWidth


def correlogram(result: BinWidth) -> Figure:
    """Pooled cross-correlogram with the width of its central peak and the suggestion as title.

    Parameters
    ----------
    result : BinWidth
        From :func:`microcolumn.suggest_bin_width`.

    Returns
    -------
    matplotlib.figure.Figure
        Ready to be saved; what it shows is told by :func:`microcolumn.plot.correlogram`.
    """
    with mpl.rc_context(RC):
        figure = Figure(figsize=(3.4, 2.6), layout="constrained")
        axes = recorded.correlogram(result, ax=figure.subplots())
        axes.set_title(_title(result))
    return figure


def _title(result: BinWidth) -> str:
    suggestion = f"Suggested bins: {result.width_s * 1e3:g} ms"
    return suggestion + (" (no central peak)" if np.isnan(result.peak_width_s) else "")
