"""Conditional gain: how well the other units or the past predict a unit.

It needs no partition function, so it is an independent check (docs/method.md, section 6).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..kernels import flip_changes
from ..models import PopulationModel, Rival, WordModel
from ..parameters import Parameters
from ..validation import Floats, check_positions, chunks
from ..words import Words
from ._inputs import Baseline, independent_baseline, words_for
from ._past import log_given_past


def conditional_gain(
    model: WordModel,
    words: Words | ArrayLike,
    units: Iterable[int] | None = None,
    baseline: Baseline = None,
    *,
    bin_width: float | None = None,
    given: Literal["rest", "past"] = "rest",
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
    if given not in ("rest", "past"):
        raise ValueError(
            f"given is {given!r}; condition on the 'rest' of the window or on the 'past'"
        )
    if given == "past":
        _check_newest(held, chosen)
    if not isinstance(model, PopulationModel):
        total = _total_of_rival(model, base.parameters_, held, chosen, given)
    elif given == "rest":
        total = _total_given_rest(model.parameters_, base.parameters_, held, chosen)
    else:
        total = _total_given_past(model.parameters_, base.parameters_, held, chosen)
    seconds = float(held.counts.sum()) * held.bin_width
    return np.asarray(total / (math.log(2.0) * seconds))


def _total_given_rest(
    model: Parameters, base: Parameters, words: Words, units: list[int]
) -> Floats:
    """Gain of each chosen unit given all other bits, summed over bins, nats."""
    total = np.zeros(len(units))
    theta, _ = model.only_live()
    for part in chunks(len(words), max(theta.n_visible, theta.n_hidden), 1 << 18):
        x = words.X[part]
        # log p(x_n | rest) is -softplus of the change by a flip, which neither overflows nor loses
        # digits when one of the two values is all but certain.
        gain = np.logaddexp(0.0, flip_changes(base.arrays, x, units))
        gain -= np.logaddexp(0.0, flip_changes(theta.arrays, x, units))
        total += words.counts[part] @ gain
    return total


def _total_of_rival(
    model: WordModel, base: Parameters, words: Words, units: list[int], given: str
) -> Floats:
    """Gain of each chosen unit under a model that gives log odds, summed over bins, nats."""
    if given == "rest":
        log_odds = model.log_odds(words.X, units)
    elif isinstance(model, Rival):
        by_past, past = model.log_odds_given_past(words)
        log_odds = by_past[past][:, np.array(units) - (words.n_dims - words.n_units)]
    else:
        raise TypeError(f"{type(model).__name__} does not predict from the past; use given='rest'")
    signs = 1.0 - 2.0 * words.X[:, units]
    gain = np.logaddexp(0.0, signs * base.b[units]) - np.logaddexp(0.0, signs * log_odds)
    return np.asarray(words.counts @ gain)


def _check_newest(words: Words, units: list[int]) -> None:
    """Refuse bits of earlier bins: given the past only the newest bin is predicted."""
    first = words.n_dims - words.n_units
    for unit in units:
        if unit < first:
            raise ValueError(
                f"units names bit {unit} of an earlier bin; given the past only the newest bin is "
                f"predicted: name bits {first} to {words.n_dims - 1} or use given='rest'"
            )


def _total_given_past(
    theta: Parameters, base: Parameters, words: Words, units: list[int]
) -> Floats:
    """Gain of each chosen unit given the earlier bins, summed over bins, nats."""
    first = words.n_dims - words.n_units
    log_p, past = log_given_past(theta, words)
    total = np.empty(len(units))
    for k, unit in enumerate(units):
        bit = words.X[:, unit].astype(np.intp)
        # The firing-rate model knows no past: its log odds are the bias.
        at_rate = -np.logaddexp(0.0, (1.0 - 2.0 * bit) * base.b[unit])
        total[k] = words.counts @ (log_p[past, unit - first, bit] - at_rate)
    return total
