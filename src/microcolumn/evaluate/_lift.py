"""What a Dirichlet process adds to the model that it is centred on."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..models import Universal
from ..words import Words
from ._bootstrap import block_bins_of
from ._inputs import words_for
from ._score import Score, score_of


def lift(
    model: Universal,
    words: Words | ArrayLike,
    *,
    bin_width: float | None = None,
    block_bins: int | None = None,
) -> Score:
    """By how much a universal model is better on held-out words than its base, in bits/s.

    What it adds, the base has wrong: words come more or less often than the base says, again and
    again. A lift of nothing does not make the base right where words hardly ever repeat.

    Parameters
    ----------
    model : Universal
        A fitted model.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words, in time order.
    bin_width : float, optional
        Seconds per bin of a plain array; by default the model's, or 0.020 if it is not known.
    block_bins : int, optional
        Bins per block of the error bar; see :func:`excess_log_likelihood`.

    Returns
    -------
    Score
        With the base in the place of independent units.

    Examples
    --------
    >>> import numpy as np
    >>> from microcolumn.models import Independent
    >>> together = np.random.default_rng(0).random((2000, 1)) < 0.1
    >>> train, test = Words.from_array(np.repeat(together, 3, axis=1)).split(0.5, random_state=0)
    >>> gain = lift(Universal(Independent()).fit(train), test)
    >>> gain.bits_per_second > 5 * gain.stderr
    True
    """
    if not isinstance(model, Universal):
        raise TypeError(f"model is a {type(model).__name__}; pass a fitted Universal model")
    held = words_for(model, words, bin_width)
    log_p, log_p_base = model.score_samples(held), model.base_.score_samples(held)
    length = block_bins_of(held, block_bins)
    return score_of(log_p, log_p_base, model.log_partition(), held, length)
