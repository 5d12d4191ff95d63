"""Figures: each takes results and returns a matplotlib figure; none fits anything."""

from .comparison import comparison
from .correlograms import correlogram
from .csd import csd

__all__ = ["comparison", "correlogram", "csd"]
