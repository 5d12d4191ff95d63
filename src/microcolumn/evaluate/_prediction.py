"""Spikes predicted bin by bin, as traces over time or as a gain (docs/method.md, section 6)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ..epochs import HALF_NANOSECOND
from ..errors import BadArgument, BadInput, Unsupported
from ..formatting import counted
from ..kernels import newest_log_odds
from ..models import AlternativeModel, HistoryGLM, PopulationModel, WordModel
from ..models.sequence import SequenceModel
from ..objectives.conditional import check_summable
from ..packing import distinct_pasts
from ..parameters import Parameters
from ..timeline import FROM_ZERO, Clock, Places, remaining_epochs
from ..units import Units
from ..validation import Bits, Floats, check_positions, one_of, real_number, whole_number
from ..words import Words
from .inputs import Baseline, independent_baseline, words_for

Given = Literal["rest", "past"]


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """Probability of a spike of each chosen unit in the newest bin of every window.

    Made by :func:`predict`. It is kept per distinct word, or per bin where the past is longer than
    a word; :attr:`probability` and :attr:`spikes` put it in time order when asked, so take a
    :meth:`stretch` of a long recording first.

    Attributes
    ----------
    log_odds : ndarray, shape (n_distinct, n_chosen)
        Predicted log odds of a spike for each distinct word, nats.
    bits : ndarray of uint8, shape (n_distinct, n_chosen)
        What the units did.
    index : ndarray of int32, shape (n_bins,)
        Row of ``log_odds`` and ``bits`` of each bin, in time order.
    bins : ndarray of int64, shape (n_bins,)
        Place of the newest bin of each window in the recording, increasing.
    epoch_starts : ndarray of int64, shape (n_epochs,)
        Places in ``bins`` where an epoch begins: a trace is drawn with a gap there.
    bin_width : float
        Seconds.
    positions : tuple of int, length n_chosen
        Which of the recorded units are predicted.
    units : Units
        Their names, depths and layers.
    given : {"rest", "past"}
        What the prediction knows.
    rate_log_odds : ndarray, shape (n_chosen,), or None
        Log odds of a spike at the training rates, nats; None where they are unknown.
    weights : ndarray, shape (n_bins,), or None
        Weight of each bin; None where all are 1.
    clock : Clock
        When the recording's bins start.
    """

    log_odds: Floats
    bits: Bits
    index: NDArray[np.int32]
    bins: Places
    epoch_starts: Places
    bin_width: float
    positions: tuple[int, ...]
    units: Units
    given: Given
    rate_log_odds: Floats | None = None
    weights: Floats | None = None
    clock: Clock = FROM_ZERO

    @property
    def n_bins(self) -> int:
        return int(self.index.shape[0])

    @property
    def probability(self) -> Floats:
        """Predicted probability of a spike in time order, shape (n_bins, n_chosen)."""
        by_word: Floats = expit(self.log_odds)
        return by_word[self.index]

    @property
    def spikes(self) -> Bits:
        """Zeros and ones that came, in time order, shape (n_bins, n_chosen)."""
        return self.bits[self.index]

    @property
    def times_s(self) -> Floats:
        """Start of each predicted bin on the recording's clock, seconds, shape (n_bins,).

        Words made from an array have no clock: their bins follow each other from 0 on.
        """
        return self.clock.times_s(self.bins, self.bin_width)

    def column(self, unit: int | str) -> int:
        """Column of the unit with this id, or at this position among the recorded ones."""
        known: tuple[Any, ...] = self.units.ids if isinstance(unit, str) else self.positions
        asked = unit if isinstance(unit, str) else whole_number("unit", unit)
        if asked not in known:
            listed = ", ".join(map(repr, known))
            ids = f"; ids are text: {str(asked)!r}" if str(asked) in self.units.ids else ""
            raise BadArgument("unit", f"{asked!r} was not predicted", f"pick one of {listed}{ids}")
        return known.index(asked)

    def stretch(self, start_s: float, stop_s: float) -> Prediction:
        """The bins that start at ``start_s`` or later and before ``stop_s``.

        Parameters
        ----------
        start_s, stop_s : float
            Seconds, on the scale of :attr:`times_s`; may be infinite.
        """
        start = real_number("start_s", start_s, "give seconds") - HALF_NANOSECOND
        stop = real_number("stop_s", stop_s, "give seconds") - HALF_NANOSECOND
        times = self.times_s
        kept = np.flatnonzero((times >= start) & (times < stop))
        if not kept.size:
            raise BadInput(
                f"no predicted bin starts between {start_s} and {stop_s} s",
                f"they start between {times[0]:g} and {times[-1]:g} s: ask for seconds among these",
            )
        rows, index = np.unique(self.index[kept], return_inverse=True)
        return replace(
            self,
            log_odds=self.log_odds[rows],
            bits=self.bits[rows],
            index=index.astype(np.int32),
            bins=self.bins[kept],
            epoch_starts=remaining_epochs(self.epoch_starts, kept),
            weights=None if self.weights is None else self.weights[kept],
        )

    def __repr__(self) -> str:
        units = counted(len(self.units), "unit")
        return (
            f"Prediction({units} given the {self.given}, {self.n_bins:,} bins of "
            f"{self.bin_width * 1e3:g} ms from {self.times_s[0]:g} s on)"
        )


def predict(
    model: WordModel | HistoryGLM,
    words: Words | ArrayLike,
    *,
    given: Given = "rest",
    positions: Iterable[int] | None = None,
    baseline: Baseline = None,
) -> Prediction:
    """Predict the spikes of the newest bin from the rest of the window or from the past alone.

    Parameters
    ----------
    model : WordModel or HistoryGLM
        A fitted model. A :class:`~microcolumn.models.HistoryGLM` takes words of single bins and
        finds their past itself, so that every bin is predicted.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words of the model's units, in any order; an array is taken in time order, as bins
        of the model's own width, or of 20 ms if it does not know it.
    given : {"rest", "past"}
        What is known of the window: all other bits, or the earlier bins alone, with the other
        units of the newest bin summed out exactly (at most 16 units). Where ``window`` is 1 the
        past is empty, and the prediction is the model's marginal; hidden Markov modes know all
        earlier bins of the epoch.
    positions : iterable of int, optional
        Positions of the units to predict, in the model's order; all of them by default.
    baseline : Independent or array_like, shape (n_dims,), optional
        Firing-rate model that :func:`prediction_gain` compares with; by default the rates
        that ``model`` was trained at, where it was trained.

    Examples
    --------
    >>> from microcolumn.models import Ising
    >>> words = Words.from_array([[0], [1], [0], [1], [0], [0], [1], [0]] * 50).embed(2)
    >>> prediction = predict(Ising(l1=1e-3).fit(words), words, given="past")
    >>> prediction
    Prediction(1 unit given the past, 399 bins of 20 ms from 0.02 s on)
    >>> prediction.stretch(0.08, 0.14).spikes[:, 0].tolist()
    [0, 0, 1]
    """
    held = words_for(model, words, None)
    asked = range(held.n_units) if positions is None else positions
    chosen = check_positions("positions", asked, held.n_units)
    newest = [held.n_dims - held.n_units + position for position in chosen]
    bits, index = held.X[:, newest], held.index
    if given == "past" and isinstance(model, SequenceModel):
        # Each bin has a past of its own, all earlier bins of its run.
        log_odds = model.log_odds_in_time(held, chosen)
        bits, index = bits[index], np.arange(held.n_bins, dtype=np.int32)
    else:
        # 700 nats are as good as certain. The more nats, the fewer decimals are right; past this
        # bound they would tell which bit came.
        log_odds = np.clip(log_odds_of_bits(model, held, newest, given), -700.0, 700.0)
    # The same prediction differs in its last digits with the bit that came, which must not leak
    # into it; no recording can tell log odds of 11 decimals apart.
    log_odds = np.round(log_odds, 11)
    # A model made from parameters predicts without rates; only its gain needs them.
    knows_rates = baseline is not None or hasattr(model, "rates_")
    rate = independent_baseline(model, baseline).parameters_.b[newest] if knows_rates else None
    return Prediction(
        log_odds=log_odds,
        bits=bits,
        index=index,
        bins=held.bins + (held.window - 1),
        epoch_starts=held.epoch_starts,
        bin_width=held.bin_width,
        positions=tuple(chosen),
        units=held.units.take(chosen),
        given=given,
        rate_log_odds=rate,
        weights=held.weights,
        clock=held.clock,
    )


def conditional_gain(
    model: WordModel,
    words: Words | ArrayLike,
    positions: Iterable[int] | None = None,
    baseline: Baseline = None,
    *,
    bin_width: float | None = None,
    given: Given = "rest",
) -> Floats:
    """Mean log2 p(x_n | rest or past) minus the same at the firing rate, per second.

    It needs no partition function, so it is an independent check (docs/method.md, section 6).

    Parameters
    ----------
    model : WordModel
        A fitted model.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words.
    positions : iterable of int, optional
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
    asked = range(held.n_dims - held.n_units, held.n_dims) if positions is None else positions
    chosen = check_positions("positions", asked, held.n_dims, of="bit")
    if given == "past" and min(chosen) < (first := held.n_dims - held.n_units):
        raise BadArgument(
            "positions",
            f"names bit {min(chosen)} of an earlier bin",
            f"given the past only the newest bin is predicted: name bits {first} to "
            f"{held.n_dims - 1} or use given='rest'",
        )
    # log p of a bit is -softplus of the log odds of its other value, which neither overflows nor
    # loses digits when one of the two values is all but certain.
    signs = 1.0 - 2.0 * held.X[:, chosen]
    gain = np.logaddexp(0.0, signs * base.parameters_.b[chosen])
    gain -= np.logaddexp(0.0, signs * log_odds_of_bits(model, held, chosen, given))
    total = held.counts @ gain
    seconds = float(held.counts.sum()) * held.bin_width
    return np.asarray(total / (math.log(2.0) * seconds))


def log_odds_of_bits(
    model: WordModel | HistoryGLM, words: Words, bits: Sequence[int], given: Given
) -> Floats:
    """Log odds of a spike of some bits of each distinct word, nats, shape (n_distinct, n_chosen).

    Words are in the model's order of units. ``given`` the past, ``bits`` are of the newest bin, of
    which all 2^n_units states are summed: that takes no partition function of the window. A
    HistoryGLM is refused, since it has no conditionals within a word.
    """
    one_of("given", given, ("rest", "past"))
    if not isinstance(model, WordModel):
        raise Unsupported(f"{type(model).__name__} predicts from the past", "use given='past'")
    if given == "rest":
        return model.log_odds(words.X, bits)
    if isinstance(model, PopulationModel):
        by_past, past = log_odds_given_past(model.parameters_, words)
    elif isinstance(model, AlternativeModel):
        by_past, past = model.log_odds_given_past(words)
    else:
        raise Unsupported(
            f"{type(model).__name__} does not predict from the past", "use given='rest'"
        )
    return by_past[past][:, np.asarray(bits, dtype=np.intp) - (words.n_dims - words.n_units)]


def log_odds_given_past(theta: Parameters, words: Words) -> tuple[Floats, NDArray[np.int32]]:
    """Log odds (n_pasts, n_units) of a spike of each unit, nats, and the past of each word."""
    check_summable(words.n_units)
    if theta.is_gaussian:
        theta, _ = theta.as_pairs()
    pasts, past = distinct_pasts(words.X, words.n_units)
    return newest_log_odds(theta.arrays, words.n_units, pasts), past
