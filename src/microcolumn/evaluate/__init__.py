"""Scores on held-out words: bits per second, predictions of units, patterns and synchrony."""

from ..renamed import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    {
        "lift": "microcolumn.score(model, words, baseline=model.base_)",
        "skill": "microcolumn.evaluate.prediction_gain",
    },
)
