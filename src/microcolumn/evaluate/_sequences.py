"""Gain of a model of spike trains, bin by bin given the past, in bits/s."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..models import HiddenMarkovModes
from ..words import Words
from ._bootstrap import block_bins_of, block_stderr
from ._inputs import Baseline, independent_baseline, words_for
from ._score import Score, bits_per_second_per_nat


def sequence_gain(
    model: HiddenMarkovModes,
    words: Words | ArrayLike,
    baseline: Baseline = None,
    *,
    bin_width: float | None = None,
    block_bins: int | None = None,
) -> Score:
    """Mean of log2 p(bin | earlier bins) - log2 p_independent(bin) over held-out bins, per second.

    A model that knows the past gains from correlations in time as well, so this is no score of
    single words: :func:`excess_log_likelihood` gives that of the same model.

    Parameters
    ----------
    model : HiddenMarkovModes
        A fitted model of spike trains.
    words : Words or array_like, shape (n_bins, n_units)
        Held-out words of single bins, in time order. The model starts anew after each gap.
    baseline : Independent or array_like, shape (n_units,), optional
        Firing-rate model of the training words, or their rates per bin; by default the rates that
        ``model`` was trained at.
    bin_width : float, optional
        Seconds per bin of a plain array; by default the model's, or 0.020 if it is not known.
    block_bins : int, optional
        Bins per block of the error bar; see :func:`excess_log_likelihood`.

    Examples
    --------
    >>> trains, _ = HiddenMarkovModes.from_parameters(
    ...     [[0.02, 0.02, 0.02], [0.3, 0.3, 0.3]], [[0.98, 0.02], [0.1, 0.9]]
    ... ).sample_sequence(8000, random_state=0)
    >>> train, test = Words.from_array(trains).split(0.5, by="blocks", random_state=0)
    >>> model = HiddenMarkovModes(n_modes=2).fit(train)
    >>> from microcolumn.evaluate import excess_log_likelihood
    >>> float(sequence_gain(model, test)) > 1.3 * float(excess_log_likelihood(model, test))
    True
    """
    if not isinstance(model, HiddenMarkovModes):
        raise TypeError(
            f"{type(model).__name__} does not model spike trains; pass HiddenMarkovModes, or use "
            "excess_log_likelihood"
        )
    held = words_for(model, words, bin_width)
    base = independent_baseline(model, baseline)
    log_p, length = model.score_sequence(held), block_bins_of(held, block_bins)
    scale, gain = bits_per_second_per_nat(held), log_p - base.score_samples(held)[held.index]
    return Score(
        bits_per_second=float(gain.mean()) * scale,
        stderr=block_stderr(gain, None, length) * scale,
        normaliser_stderr=0.0,
        normaliser=model.log_partition().method,
        converged=True,
        nats_per_word=float(log_p.mean()),
        n_words=held.n_bins,
        n_units=held.n_units,
        block_bins=length,
        spikes_per_second=float(held.rates.sum()) / held.bin_width,
    )
