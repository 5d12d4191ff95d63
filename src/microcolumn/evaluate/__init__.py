"""Scores on held-out words: bits per second, predictions of cells, patterns and synchrony."""

from .coactivity import Synchrony, synchrony
from .conditional import conditional_gain
from .interactions import Explained, Interactions, effective_interactions
from .layers import CouplingContrast, HiddenUnitLayer, LayerStatistics, layer_statistics
from .past import probability_given_past
from .patterns import PatternStatistics, counting_bounds, pattern_statistics
from .prediction import Prediction, predict
from .prediction_scores import Calibration, Roc, Skill, calibration, roc, skill
from .score import Score, excess_log_likelihood
from .side_by_side import Comparison, ModelComparison, compare

__all__ = [
    "Calibration",
    "Comparison",
    "CouplingContrast",
    "Explained",
    "HiddenUnitLayer",
    "Interactions",
    "LayerStatistics",
    "ModelComparison",
    "PatternStatistics",
    "Prediction",
    "Roc",
    "Score",
    "Skill",
    "Synchrony",
    "calibration",
    "compare",
    "conditional_gain",
    "counting_bounds",
    "effective_interactions",
    "excess_log_likelihood",
    "layer_statistics",
    "pattern_statistics",
    "predict",
    "probability_given_past",
    "roc",
    "skill",
    "synchrony",
]
