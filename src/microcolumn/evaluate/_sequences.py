"""Gain of a model of spike trains, bin by bin given the past, in bits/s."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..models import WordsEstimator
from ..validation import Floats
from ..words import Words
from ._bootstrap import block_bins_of, block_stderr
from ._inputs import Baseline, independent_baseline, words_for
from ._score import Score, bits_per_second_per_nat


def sequence_gain(
    model: WordsEstimator,
    words: Words | ArrayLike,
    baseline: Baseline = None,
    *,
    bin_width: float | None = None,
    block_bins: int | None = None,
) -> Score:
    """Mean of log2 p(bin | earlier bins) - log2 p_independent(bin) over held-out bins, per second.

    By the chain rule it is the log probability of the spike trains over that at the training rates.
    A model that knows the past gains from correlations in time as well, so this is no score of
    single words. Where units are independent given the past it is the sum of the units' gains
    (:func:`~microcolumn.skill`).

    Parameters
    ----------
    model : WordsEstimator
        A fitted model with ``score_sequence``: :class:`~microcolumn.HiddenMarkovModes` or
        :class:`~microcolumn.HistoryGLM`.
    words : Words or array_like, shape (n_bins, n_units)
        Held-out words of single bins, in time order. The past of a bin begins at the last gap.
    baseline : Independent or array_like, shape (n_units,), optional
        Firing-rate model of the training words, or their rates per bin; by default the rates that
        ``model`` was trained at.
    bin_width : float, optional
        Seconds per bin of a plain array; by default the model's, or 0.020 if it is not known.
    block_bins : int, optional
        Bins per block of the error bar; see :func:`~microcolumn.excess_log_likelihood`.

    Examples
    --------
    >>> from microcolumn.models import HistoryGLM
    >>> import numpy as np
    >>> spikes = np.random.default_rng(0).random(4000) < 0.1
    >>> words = Words.from_array(np.column_stack([spikes, np.roll(spikes, 1)]))
    >>> train, test = words.split(0.5, by="blocks", random_state=0)
    >>> score = sequence_gain(HistoryGLM(l1=1e-3, n_lags=5, basis=3).fit(train), test)
    >>> score.bits_per_second > 5 * score.stderr
    True
    """
    if not hasattr(model, "score_sequence"):
        raise TypeError(
            f"{type(model).__name__} has no probability of a bin given the past; "
            "use excess_log_likelihood"
        )
    held = words_for(model, words, bin_width)
    length = block_bins_of(held, block_bins)
    log_p: Floats = model.score_sequence(held)
    gain = log_p - independent_baseline(model, baseline).score_samples(held)[held.index]
    scale = bits_per_second_per_nat(held)
    return Score(
        bits_per_second=float(gain.mean()) * scale,
        stderr=block_stderr(gain, None, length) * scale,
        normaliser_stderr=0.0,
        normaliser="exact",
        converged=True,
        nats_per_word=float(log_p.mean()),
        n_words=held.n_bins,
        n_units=held.n_units,
        block_bins=length,
        spikes_per_second=float(held.rates.sum()) / held.bin_width,
    )
