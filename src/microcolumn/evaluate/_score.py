"""Gains on held-out words over independent units, or over another model, in bits/s."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..errors import Unsupported
from ..incomplete import AnyWords, IncompleteWords
from ..models import Independent, PopulationModel, WordModel, WordsEstimator
from ..notebook import AsText
from ..parameters import Floats
from ..partition import LogPartition
from ..partition.result import is_spurious, spurious_mode_text
from ..renamed import Renamed
from ..words import Words
from .inputs import Baseline, independent_baseline, words_for, words_to_score
from .time_errors import mean_stderr


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredWords(Renamed):
    """What scores know of the words that they are of, and of the model's normaliser.

    Parameters
    ----------
    normaliser, side : str
        How log Z was found, and which states an exact one was summed over; see
        :class:`~microcolumn.partition.LogPartition`.
    normaliser_stderr : float
        The normaliser's part of the error, bits/s; common to all words, zero for exact sums.
    nats_per_word : float
        Mean log probability of a word, without baseline.
    n_words : int
        Words scored.
    spurious_mass : float, optional
        Share of the model's mass in modes where no training word lies; None where not known. From
        1 % on the model is not one of these data.
    spikes_per_second : float
        Of all units together in the words scored; several spikes in a bin count as one.
    """

    normaliser: str = ""
    side: str | None = None
    normaliser_stderr: float = 0.0
    nats_per_word: float = math.nan
    n_words: int = 0
    spurious_mass: float | None = None
    spikes_per_second: float = math.nan

    @property
    def has_spurious_mode(self) -> bool:
        """Whether 1 % of the mass or more lies where no training word does."""
        return is_spurious(self.spurious_mass)


@dataclass(frozen=True, slots=True, repr=False)
class Score(AsText, ScoredWords):
    """Log-likelihood gain over the independent baseline (docs/method.md, section 6).

    It has the fields of :class:`ScoredWords`, too. Of a model with a spurious mode it says so in
    print instead of the score.

    Parameters
    ----------
    bits_per_second : float
        For the whole population.
    stderr : float
        Standard error in bits/s, with ten degrees of freedom: the finite number of words
        (docs/method.md, section 6) and the normaliser's error, in quadrature. NaN for one word.
    converged : bool
        Whether log Z may be relied upon.
    n_units : int
        Recorded units.

    Examples
    --------
    >>> print(Score(12.34, 0.21, n_words=90_000))
    12.34 ± 0.21 bits/s
    """

    bits_per_second: float
    stderr: float
    converged: bool = True
    n_units: int = 1

    @property
    def per_neuron(self) -> float:
        """Bits per second and recorded unit."""
        return self.bits_per_second / self.n_units

    def __float__(self) -> float:
        return self.bits_per_second

    def __str__(self) -> str:
        if self.has_spurious_mode:
            return spurious_mode_text(self.spurious_mass)
        doubt = "" if self.converged else " (log Z not converged)"
        return f"{self.bits_per_second:.2f} ± {self.stderr:.2f} bits/s{doubt}"


def score(
    model: WordModel,
    words: AnyWords | ArrayLike,
    baseline: Baseline | WordModel = None,
    *,
    bin_width: float | None = None,
) -> Score:
    """Mean of log2 p_model(x) - log2 p_baseline(x) over held-out words, per second.

    Parameters
    ----------
    model : WordModel
        A fitted model.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words, in time order; of ``IncompleteWords`` what was observed. Spatiotemporal
        words count ``window`` bins of time each; of a model by conditional likelihood it is the
        newest bin that is scored (`sequence_gain`).
    baseline : WordModel or array_like, shape (n_units,), optional
        Another fitted model, or rates per bin of independent units; by default the rates that
        ``model`` was trained at, which keep half a count away from 0 and 1.
    bin_width : float, optional
        Seconds per bin of a plain array; by default the model's, or 0.020 if it is not known.

    Examples
    --------
    >>> from microcolumn.models import Ising
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((2000, 1)) < 0.1
    >>> words = Words.from_array(rng.random((2000, 4)) < np.where(together, 0.7, 0.05))
    >>> train, test = words.split(0.5, random_state=0)
    >>> held_out = score(Ising().fit(train), test)
    >>> held_out.bits_per_second > 5 * held_out.stderr
    True
    """
    of_newest = isinstance(model, PopulationModel) and model.is_conditional
    if of_newest and not isinstance(words, IncompleteWords):
        return sequence_gain(model, words, baseline, bin_width=bin_width)
    held = words_to_score(model, words, bin_width)
    log_p, log_z = model._score_distinct(held), model.log_partition()
    if isinstance(baseline, WordModel) and not isinstance(baseline, Independent):
        # A model that is built on the baseline shares its normaliser, whose error counts once.
        if getattr(model, "base_", None) is not baseline:
            stderr = math.hypot(log_z.stderr, baseline.log_partition().stderr)
            log_z = replace(log_z, stderr=stderr)
    else:
        baseline = independent_baseline(model, baseline)
    return score_of(log_p, baseline._score_distinct(held), log_z, held)


def score_of(log_p: Floats, log_p_base: Floats, log_z: LogPartition, words: AnyWords) -> Score:
    """Score from log probabilities (n_distinct,), nats; ``log_p`` shares the error of ``log_z``."""
    mean, stderr = mean_rate(log_p - log_p_base, words)
    normaliser_stderr = log_z.stderr * bits_per_second_per_nat(words)
    return Score(
        bits_per_second=mean,
        stderr=math.hypot(stderr, normaliser_stderr),
        normaliser_stderr=normaliser_stderr,
        normaliser=log_z.method,
        side=log_z.side,
        converged=log_z.converged,
        nats_per_word=float(np.average(log_p, weights=words.counts)),
        n_words=words.n_bins,
        n_units=words.n_units,
        spurious_mass=log_z.spurious_mass,
        spikes_per_second=float(words.rates.sum()) / (words.window * words.bin_width),
    )


def mean_rate(nats: Floats, words: AnyWords) -> tuple[float, float]:
    """Mean over all words of a log-likelihood (n_distinct,), and its error, in bits/s."""
    scale = bits_per_second_per_nat(words)
    mean = float(np.average(nats, weights=words.counts)) * scale
    return mean, mean_stderr(nats[words.index], words.weights) * scale


def bits_per_second_per_nat(words: AnyWords) -> float:
    """What one nat per word amounts to, in bits/s; a word spans ``window`` bins."""
    return 1.0 / (math.log(2.0) * words.window * words.bin_width)


def sequence_gain(
    model: WordsEstimator,
    words: Words | ArrayLike,
    baseline: Baseline | WordModel = None,
    *,
    bin_width: float | None = None,
) -> Score:
    """Mean of log2 p(bin | earlier bins) - log2 p_independent(bin) over held-out bins, per second.

    By the chain rule it is the log probability of the spike trains over that at the training rates,
    for a model of windows as far back as these reach.
    A model that knows the past gains from correlations in time as well, so this is no score of
    single words. Where units are independent given the past it is the sum of the units' gains
    (:func:`~microcolumn.evaluate.prediction_gain`).

    Parameters
    ----------
    model : WordsEstimator
        A fitted model with ``score_sequence``, :class:`~microcolumn.models.HiddenMarkovModes` or
        :class:`~microcolumn.models.HistoryGLM`, or one of the paper's family, best by conditional
        likelihood.
    words : Words or array_like, shape (n_bins, n_units)
        Held-out words of single bins, in time order. The past of a bin begins at the last gap. Or
        windows, for a model of windows.
    baseline : WordModel or array_like, shape (n_units,), optional
        Firing-rate model of the training words, their rates per bin, or another model of the
        paper's family; by default the rates that ``model`` was trained at.
    bin_width : float, optional
        Seconds per bin of a plain array; by default the model's, or 0.020 if it is not known.

    Examples
    --------
    >>> from microcolumn.models import HistoryGLM
    >>> spikes = np.random.default_rng(0).random(4000) < 0.1
    >>> words = Words.from_array(np.column_stack([spikes, np.roll(spikes, 1)]))
    >>> train, test = words.split(0.5, by="blocks", random_state=0)
    >>> score = sequence_gain(HistoryGLM(l1=1e-3, n_lags=5, basis=3).fit(train), test)
    >>> score.bits_per_second > 5 * score.stderr
    True
    """
    held = words_for(model, words, bin_width)
    newest, scale = slice(-held.n_units, None), 1.0 / (math.log(2.0) * held.bin_width)
    log_p = _log_p_of_newest(model, held)
    if isinstance(baseline, WordModel) and not isinstance(baseline, Independent):
        gain = log_p - _log_p_of_newest(baseline, held)
    else:
        base = independent_baseline(model, baseline).b_[newest]
        by_word = held.X[:, newest] @ base - np.logaddexp(0.0, base).sum()
        gain = log_p - by_word[held.index]
    return Score(
        bits_per_second=float(np.average(gain, weights=held.weights)) * scale,
        stderr=mean_stderr(gain, held.weights) * scale,
        normaliser="exact",
        nats_per_word=float(np.average(log_p, weights=held.weights)),
        n_words=held.n_bins,
        n_units=held.n_units,
        spikes_per_second=float(held.rates[newest].sum()) / held.bin_width,
    )


def _log_p_of_newest(model: WordsEstimator, words: Words) -> Floats:
    """Log probability of each bin, or of the newest of each window, given those before it."""
    if isinstance(model, PopulationModel):
        return model.score_newest(words)
    if not hasattr(model, "score_sequence"):
        raise Unsupported(f"{type(model).__name__} does not predict from the past", "use score")
    return np.asarray(model.score_sequence(words))
