"""Conditional gain: how well the other units or the past predict a unit.

It needs no partition function, so it is an independent check (docs/method.md, section 6).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ..models import WordModel
from ..validation import Floats, check_positions
from ..words import Words
from ._inputs import Baseline, independent_baseline, words_for
from ._past import Given, log_odds_of_bits


def conditional_gain(
    model: WordModel,
    words: Words | ArrayLike,
    units: Iterable[int] | None = None,
    baseline: Baseline = None,
    *,
    bin_width: float | None = None,
    given: Given = "rest",
) -> Floats:
    """Mean log2 p(x_n | rest or past) minus the same at the firing rate, per second.

    Parameters
    ----------
    model : WordModel
        A fitted model.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words.
    units : iterable of int, optional
        Which bits of the word to predict, in the model's order; by default those of the newest
        bin, where the rest is the past and the other units of the same bin.
    baseline : Independent or array_like, shape (n_units,), optional
        Firing-rate model of the training words, or their rates per bin; by default the rates that
        ``model`` was trained at.
    bin_width : float, optional
        Seconds per bin of a plain array; by default the model's, or 0.020 if it is not known.
    given : {"rest", "past"}
        What is known of the window: all other bits, or the earlier bins alone, with the other
        units of the newest bin summed out exactly. ``"past"`` predicts bits of the newest bin, of
        at most 16 units. Where ``window`` is 1, and in a plain array, the past is empty, and the
        model's marginal is scored.

    Returns
    -------
    ndarray, shape (n_chosen_units,)
        Bits/s of each unit. A unit is one bit of one bin, so nothing is divided by ``window``.

    Examples
    --------
    >>> from microcolumn.models import Ising
    >>> words = np.array([[0, 0], [1, 1], [0, 0], [1, 1], [0, 1], [0, 0]] * 50)
    >>> bool(np.all(conditional_gain(Ising(l1=1e-3).fit(words), words) > 0.0))
    True
    """
    held = words_for(model, words, bin_width)
    base = independent_baseline(model, baseline)
    if units is None:
        chosen = list(range(held.n_dims - held.n_units, held.n_dims))
    else:
        chosen = check_positions("units", units, held.n_dims, of="bit")
    if given == "past":
        _check_newest(held, chosen)
    # log p of a bit is -softplus of the log odds of its other value, which neither overflows nor
    # loses digits when one of the two values is all but certain.
    signs = 1.0 - 2.0 * held.X[:, chosen]
    gain = np.logaddexp(0.0, signs * base.parameters_.b[chosen])
    gain -= np.logaddexp(0.0, signs * log_odds_of_bits(model, held, chosen, given))
    total = held.counts @ gain
    seconds = float(held.counts.sum()) * held.bin_width
    return np.asarray(total / (math.log(2.0) * seconds))


def _check_newest(words: Words, units: list[int]) -> None:
    """Refuse bits of earlier bins: given the past only the newest bin is predicted."""
    first = words.n_dims - words.n_units
    for unit in units:
        if unit < first:
            raise ValueError(
                f"units names bit {unit} of an earlier bin; given the past only the newest bin is "
                f"predicted: name bits {first} to {words.n_dims - 1} or use given='rest'"
            )
