"""Scores on held-out words: bits per second, conditional gains, patterns and synchrony."""

from .coactivity import Synchrony, synchrony
from .conditional import conditional_gain
from .past import probability_given_past
from .patterns import PatternStatistics, counting_bounds, pattern_statistics
from .score import Score, excess_log_likelihood
from .side_by_side import Comparison, ModelComparison, compare

__all__ = [
    "Comparison",
    "ModelComparison",
    "PatternStatistics",
    "Score",
    "Synchrony",
    "compare",
    "conditional_gain",
    "counting_bounds",
    "excess_log_likelihood",
    "pattern_statistics",
    "probability_given_past",
    "synchrony",
]
