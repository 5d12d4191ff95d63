"""Plots of models, words and scores, each on one pair of axes: ``mc.plot.couplings(model)``.

All take ``ax=``, draw there or into a new figure, and return the axes. In a figure of your own,
``plt.subplots(..., layout="constrained")`` leaves room for legends and colour bars. Whole figures
of a study, with captions, are in :mod:`microcolumn.figures`.
"""

from .annealing import annealing, annealing_error
from .couplings import couplings
from .hidden import hidden_units
from .patterns import patterns, synchrony
from .predictions import calibration, gain, prediction, roc
from .raster import raster
from .recorded import correlations, correlogram, probe, rates
from .scores import differences, lags, scores
from .windows import hidden_map

__all__ = [
    "annealing",
    "annealing_error",
    "calibration",
    "correlations",
    "correlogram",
    "couplings",
    "differences",
    "gain",
    "hidden_map",
    "hidden_units",
    "lags",
    "patterns",
    "prediction",
    "probe",
    "raster",
    "rates",
    "roc",
    "scores",
    "synchrony",
]
