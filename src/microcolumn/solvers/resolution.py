"""How much likelihood the data can tell from none, which is where a fit may end."""

from __future__ import annotations

import numpy as np

from ..energy import number_active
from ..validation import Floats
from ..words import Words

#: Share of the standard error of a score that a fit may leave to be gained.
_SHARE = 0.01
#: Blocks of time that the error is found by, and windows in each of them at least.
_MOST_BLOCKS, _WINDOWS_PER_BLOCK = 100, 10
#: Rates are kept this far from never and always.
_LEAST_RATE = 1e-6


def resolution(words: Words) -> float:
    """A hundredth of the standard error that the words allow for a score, nats per word.

    Before there is a model, the number K of active units stands for it: log P_data(K) -
    log P_independent(K) varies nearly as much over words as the log of a fitted model's gain (60 to
    70 % on simulated and retinal words). Its error comes from blocks of time.
    """
    values = _log_ratio_of_counts(words)[words.index]
    weights = np.ones(words.n_bins) if words.weights is None else words.weights
    n_blocks = min(_MOST_BLOCKS, words.n_bins // (_WINDOWS_PER_BLOCK * words.window))
    n_blocks = max(n_blocks, min(words.n_bins, 2))
    if n_blocks < 2:
        return 0.0
    first = np.arange(n_blocks) * words.n_bins // n_blocks
    influence = weights * (values - np.average(values, weights=weights))
    by_block = np.add.reduceat(influence, first) / weights.sum()
    return _SHARE * float(np.sqrt((by_block**2).sum() * n_blocks / (n_blocks - 1)))


def _log_ratio_of_counts(words: Words) -> Floats:
    """Log of the data's share of words with as many active units over the independent model's."""
    n_active = words.X.sum(axis=1, dtype=np.intp)
    shares = np.bincount(n_active, words.counts / words.counts.sum(), words.n_dims + 1)
    rates = np.clip(words.rates, _LEAST_RATE, 1.0 - _LEAST_RATE)[None]
    [independent] = number_active(rates, 1.0 - rates)
    return np.asarray(np.log(shares[n_active] / np.maximum(independent[n_active], 1e-300)))
