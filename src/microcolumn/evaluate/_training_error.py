"""How far the error of its training words moves a fitted model (docs/method.md, section 6)."""

from __future__ import annotations

import numpy as np

from ..models import WordModel
from ..validation import Bits, Floats
from ._goodness import WordSample

#: Words that the information is summed over at most, drawn among those of the model.
_MOST_WORDS = 20_000
#: With more free parameters a fit counts as free to follow all features of its training words.
MOST_PARAMETERS = 2_000


def training_error(
    model: WordModel,
    X: Bits,
    sample: WordSample,
    rng: np.random.Generator,
    most_parameters: int = MOST_PARAMETERS,
) -> Floats:
    """Directions that fits scatter in, shape (n_directions, n_columns).

    Standard normal numbers (n_directions,) times them, over the root of the number of independent
    training words, are to first order the errors of the model's means of the columns after a fit
    by likelihood. ``X`` (n_distinct, n_dims) are the words of ``sample``, the model's own. A model
    whose slopes are not known, or with too many parameters, counts as free to follow all features
    of its training words: no fit by likelihood scatters more.
    """
    table, share = sample.table, sample.share / sample.share.sum()
    known = 0 < model._n_slopes <= most_parameters
    most = _MOST_WORDS if known else MOST_PARAMETERS
    if share.size > most:
        counts = rng.multinomial(most, share)
        kept = np.flatnonzero(counts)
        X, table, share = X[kept], table[kept], counts[kept] / most
    root = share[:, None] ** 0.5
    if not known:
        return np.asarray(root * (table.toarray() - share @ table))
    score = model._slopes(X)
    score = (score - share @ score) * root
    size, direction = np.linalg.eigh(score.T @ score)
    kept = np.flatnonzero(size > 1e-10 * size[-1])
    covariance = np.asarray((score * root).T @ table)
    return np.asarray((direction[:, kept] / size[kept] ** 0.5).T @ covariance)
