"""Intervals of couplings that a fit might have had."""

from __future__ import annotations

import numpy as np

import microcolumn as mc


def _estimates(values, stderr):
    found = np.asarray(values, dtype=float)
    return mc.evaluate.Estimates.of(found, np.broadcast_to(stderr, found.shape), 0.95, 99)


def planted_intervals(model, names, pairs, nats, stderr):
    """Of pairs with couplings ``nats``."""
    return mc.evaluate.Intervals(
        model=model,
        level=0.95,
        names=tuple(names),
        biases=_estimates(np.full(len(names), -3.0), 0.1),
        pairs=np.array(pairs),
        couplings=_estimates(nats, stderr),
        n_words=1000,
        alike=1.5,
        notes=(),
    )
