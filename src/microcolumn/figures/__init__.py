"""Figures: each takes results and returns a matplotlib figure; none fits anything."""

from .comparison import comparison

__all__ = ["comparison"]
