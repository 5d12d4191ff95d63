"""Conditional gain: how well each cell is predicted by the others (METHOD section 6).

It needs no partition function, so it checks one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ..models import PopulationModel
from ..parameters import Floats, Parameters
from ..words import Words
from .held_out import Baseline, independent_baseline, words_for

#: Words times units or hidden units handled at once, so that memory stays bounded.
_CHUNK_ELEMENTS = 1 << 21


def conditional_gain(
    model: PopulationModel,
    words: Words | ArrayLike,
    units: Iterable[int] | None = None,
    baseline: Baseline = None,
    *,
    bin_width: float | None = None,
) -> Floats:
    """Mean log2 p(x_n | rest of the word) minus the same at the firing rate, per second.

    Parameters
    ----------
    model : PopulationModel
        A fitted model.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words.
    units : iterable of int, optional
        Which bits of the word to predict. By default each recorded unit in the newest bin: all
        bits of instantaneous words, the last ``n_units`` bits of spatiotemporal ones, where the
        rest is the past and the other units of the same bin.
    baseline : Independent or array_like, shape (n_units,), optional
        Firing-rate model of the training words, or their rates per bin; by default the rates that
        ``model`` was trained at.
    bin_width : float, optional
        Seconds per bin, for a plain array only; 0.020 where left out.

    Returns
    -------
    ndarray, shape (n_chosen_units,)
        Bits/s of each unit. A unit is one bit of one bin, so nothing is divided by ``lags``.

    Examples
    --------
    >>> from microcolumn.models import Ising
    >>> words = np.array([[0, 0], [1, 1], [0, 0], [1, 1], [0, 1], [0, 0]] * 50)
    >>> bool(np.all(conditional_gain(Ising(l1=0.0).fit(words), words) > 0.0))
    True
    """
    held = words_for(model, words, bin_width)
    base = independent_baseline(model, baseline)
    chosen = _bits(units, held)
    total = np.zeros(len(chosen))
    theta, _ = model.parameters_.only_live()
    width = max(theta.n_units, theta.n_hidden)
    step = max(1, _CHUNK_ELEMENTS // width)
    for start in range(0, len(held), step):
        part = slice(start, start + step)
        x = held.X[part].astype(np.float64)
        gain = log_conditionals(theta, x, chosen) - log_conditionals(base.parameters_, x, chosen)
        total += held.counts[part] @ gain
    seconds = float(held.counts.sum()) * held.bin_width
    return np.asarray(total / (math.log(2.0) * seconds))


def log_conditionals(theta: Parameters, x: Floats, units: list[int]) -> Floats:
    """Logarithm of p(x_n | rest) of each word and chosen unit, nats, shape (n_words, n_chosen).

    With D = log p~(x with bit n flipped) - log p~(x) it is -softplus(D), which neither overflows
    nor loses digits when one of the two is all but certain. The inputs of the hidden units are
    found once per word; a flip adds the flipped bit's own weights.
    """
    flips = 1.0 - 2.0 * x[:, units]
    fields = np.broadcast_to(theta.b[units], flips.shape)
    if theta.J is not None:
        fields = fields + 2.0 * x @ theta.J[:, units]
    change = flips * fields
    if theta.W is not None and theta.c is not None:
        inputs = theta.c + x @ theta.W
        present = np.logaddexp(0.0, inputs)
        for k, unit in enumerate(units):
            flipped = inputs + flips[:, k, None] * theta.W[unit]
            change[:, k] += (np.logaddexp(0.0, flipped) - present).sum(axis=1)
    log_p: Floats = -np.logaddexp(0.0, change)
    return log_p


def _bits(units: Iterable[int] | None, words: Words) -> list[int]:
    if units is None:
        return list(range(words.n_dims - words.n_units, words.n_dims))
    chosen = list(units)
    for unit in chosen:
        if isinstance(unit, bool | np.bool_) or not hasattr(unit, "__index__"):
            raise TypeError(f"units holds {unit!r}; pass positions of bits as whole numbers")
        if not 0 <= unit < words.n_dims:
            raise ValueError(
                f"units names bit {unit}; the bits of these words run from 0 to {words.n_dims - 1}"
            )
    if not chosen:
        raise ValueError("units is empty; name at least one bit or leave it out")
    return [int(unit) for unit in chosen]
