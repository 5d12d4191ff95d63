"""Models that let scikit-learn's own numbers in, so that its checks can run on them."""

from __future__ import annotations

import numpy as np


class Thresholded:
    """Lets the checks' own numbers in: above one they count as spikes."""

    def _training_words(self, X, sample_weight):
        return super()._training_words(_spikes(X), sample_weight)

    def _checked(self, X):
        return super()._checked(_spikes(X))

    def _sequence(self, X):
        return super()._sequence(_spikes(X))


def _spikes(X):
    """Spikes of a finite matrix; anything else is left for the model to refuse."""
    if np.asarray(X).dtype.kind == "c":
        return X
    try:
        numbers = np.asarray(X).astype(float)
    except (TypeError, ValueError):
        return X
    if numbers.ndim != 2 or not np.isfinite(numbers).all():
        return X
    return (numbers > 1.0).astype(int)
