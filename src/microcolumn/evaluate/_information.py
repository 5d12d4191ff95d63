"""Entropy of words and of models, and what their correlations amount to (docs/information.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlog1py, xlogy
from sklearn.utils.validation import check_is_fitted

from ..errors import BadArgument, Unsupported
from ..formatting import counted, text_table
from ..models import PopulationModel, WordModel
from ..notebook import AsText
from ..packing import unique_rows
from ..partition import can_sample_exactly, exact_expectations
from ..tables import AsTable
from ..validation import Floats, expect, random_generator, whole_number
from ..words import Words, as_words
from ._explainable import explainable
from ._model_words import (
    chain_stderr,
    drawn_words,
    is_normalised,
    listed_log_probability,
    log_probability,
)
from ._tune import TuneResult, named_models
from .inputs import words_for, words_for_all
from .significance import Estimate, with_error

#: Words that are drawn of a model whose entropy is no sum.
_N_SAMPLES = 40_000
_LOG_2 = math.log(2.0)


class _OfModel(NamedTuple):
    """Bits per word, and whether log Z is reliable."""

    entropy: Estimate
    multi_information: Estimate
    converged: bool


@dataclass(frozen=True, slots=True)
class WordInformation:
    """Entropy and multi-information of the data or of a model; all errors are standard errors.

    Parameters
    ----------
    name : str
        ``"data"``, or the model's.
    entropy, entropy_stderr : float
        Bits per word. A model's error includes that of log Z.
    bits_per_second : float
        The same entropy over the time that a word lasts.
    multi_information, multi_information_stderr : float
        Entropy of independent units at the same rates minus the entropy, bits per word.
    share, share_stderr : float
        Of the data's multi-information; NaN where that is not reliable, and of the data.
    share_at_least : float
        The same, of the upper estimate for the data.
    method : {"words", "exact", "samples", "gibbs"}
        Estimated from observed words, summed, or a mean over words drawn from the model:
        independent ones, or by chains.
    converged : bool
        Whether the model's log Z may be relied upon.
    """

    name: str
    entropy: float
    entropy_stderr: float
    bits_per_second: float
    multi_information: float
    multi_information_stderr: float
    share: float
    share_stderr: float
    share_at_least: float
    method: str
    converged: bool


@dataclass(frozen=True, slots=True, repr=False)
class Information(AsText, AsTable):
    """What :func:`information` says of data and models.

    Parameters
    ----------
    entries : tuple of WordInformation
        The data first.
    n_words : int
        Observed words.
    is_reliable : bool
        Whether the words are enough for the data's own numbers
        (:class:`microcolumn.evaluate.Explainable`).
    """

    _columns = "entries"

    entries: tuple[WordInformation, ...]
    n_words: int
    is_reliable: bool

    def __str__(self) -> str:
        header = ("", "entropy, bits/word", "bits/s", "multi-information", "share", "by")
        rows = []
        for each in self.entries:
            share = "" if each.name == "data" else f"> {100.0 * each.share_at_least:.0f} %"
            if math.isfinite(each.share):
                share = f"{Estimate(each.share, each.share_stderr, '%')}"
            cells = with_error(each.entropy, each.entropy_stderr), f"{each.bits_per_second:.1f}"
            correlations = with_error(each.multi_information, each.multi_information_stderr)
            doubt = "" if each.converged else ", log Z not converged"
            rows.append((each.name, *cells, correlations, share, each.method + doubt))
        note = (
            "Multi-information: how many bits per word less than independent units of the same "
            "rates; share: of the data's, by what the model has."
        )
        if not self.is_reliable:
            note += (
                f" {counted(self.n_words, 'word')} are too few for the data's entropy: it is "
                "uncertain beyond its error, and shares are lower limits."
            )
        return f"{text_table(header, rows, left=('', 'by'))}\n{note}"


def entropy(
    source: Words | ArrayLike | WordModel,
    *,
    n_samples: int | None = None,
    initial: Words | ArrayLike | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Estimate:
    """Entropy of a model or of observed words, bits per word.

    A model's is a sum if it has 20 bits at most, or only fields, couplings and a potential of the
    number of active units and not too many units. Else it is log Z minus the mean of log p~ over
    words drawn from it, that is the mean of -log p, with the errors of both. That of observed words
    is the mean of two estimates that correct the bias of counting (Grassberger's and a Pitman-Yor
    process); half their difference is part of the error.

    Parameters
    ----------
    source : Words, array_like of shape (n_words, n_units), or WordModel
        Observed words in time order, without weights, or a fitted model.
    n_samples : int, optional
        Models only: draw this many words, where the entropy is no sum; 40,000 by default.
    initial : Words or array_like, optional
        Models only: words that Gibbs chains start from, such as the training words.
    random_state : int, Generator or None
        Source of drawn words.

    Examples
    --------
    >>> from microcolumn.models import Independent
    >>> from microcolumn.parameters import Parameters
    >>> print(entropy(Independent.from_parameters(Parameters(b=[0.0, 0.0]))))
    2.00 ± 0.00 bits/word
    """
    if isinstance(source, WordModel):
        check_is_fitted(source)
        start = None if initial is None else words_for(source, initial, None)
        return _of_model(source, n_samples, start, random_state).entropy
    for name, value in (("n_samples", n_samples), ("initial", initial)):
        if value is not None:
            raise BadArgument(name, "is for models", "leave it out for observed words")
    return _of_words(as_words(source))


def information(
    models: TuneResult | Mapping[str, WordModel] | Sequence[WordModel] | WordModel,
    words: Words | ArrayLike,
    *,
    n_samples: int | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Information:
    """Entropy and multi-information of models beside those of words.

    Multi-information is what all correlations together take from the entropy of independent units.
    The share of the data's that the pairwise model of largest entropy has is the ratio of
    Schneidman et al. (2003): how much pairs explain. For that, fit ``Ising(l1=0)``, and read the
    share with care: a model that is fitted to few words has their noise, too. What models explain
    of held-out words is ``explainable(test).share_of(score(model, test))``.

    Parameters
    ----------
    models : TuneResult, WordModel, or mapping or sequence of them
        Fitted models.
    words : Words or array_like, shape (n_words, n_units)
        Observed words in time order, without weights, best those that the models were fitted to:
        the shares compare distributions with the same rates.
    n_samples, random_state
        As in :func:`entropy`.

    Examples
    --------
    >>> from microcolumn.models import Ising
    >>> words = np.repeat(np.random.default_rng(0).random((20_000, 1)) < 0.5, 2, axis=1)
    >>> ising = information(Ising(l1=1e-4).fit(words), words).entries[1]
    >>> round(ising.entropy, 1), round(ising.multi_information, 1), round(ising.share, 1)
    (1.0, 1.0, 1.0)
    """
    by_name, rng = named_models(models), random_generator(random_state)
    kind: Any = WordModel
    for name, model in by_name.items():
        check_is_fitted(expect(f"models[{name!r}]", model, kind, "fitted models of words"))
    held = words_for_all(by_name, words, None)
    seconds = held.bin_width * held.window
    explained, own = explainable(held), _of_words(held)
    correlations = explained.bits_per_second * seconds, explained.stderr * seconds
    none = math.nan, math.nan, math.nan
    in_time = own.value / seconds
    data = WordInformation(
        "data", own.value, own.stderr, in_time, *correlations, *none, "words", converged=True
    )
    entries = [data]
    for name, model in by_name.items():
        of_model = _of_model(model, n_samples, words_for(model, held, None), rng)
        whole, part = of_model.entropy, of_model.multi_information
        share = explained.share_of(part.value / seconds, part.stderr / seconds)
        entry = WordInformation(
            name,
            whole.value,
            whole.stderr,
            whole.value / seconds,
            part.value,
            part.stderr,
            *(share[:2] if explained.is_reliable else none[:2]),
            share[2],
            whole.method,
            of_model.converged,
        )
        entries.append(entry)
    return Information(tuple(entries), held.n_bins, explained.is_reliable)


def _of_words(words: Words) -> Estimate:
    # What the best model gains over fair coins is what the words lack of one bit per unit.
    gained = explainable(words, np.full(words.n_dims, 0.5))
    seconds = words.bin_width * words.window
    bits = words.n_dims - gained.bits_per_second * seconds
    return Estimate(bits, gained.stderr * seconds, "bits/word", words.n_bins, "words")


def _of_model(
    model: WordModel, n_samples: int | None, start: Words | None, random_state: Any
) -> _OfModel:
    n_words = _N_SAMPLES if n_samples is None else whole_number("n_samples", n_samples, least=2)
    exact = _exact(model)
    if exact is not None:
        entropy_nats, rates = exact
        below = float(_entropy_of_rates(rates).sum()) - entropy_nats
        values = (entropy_nats / _LOG_2, 0.0), (below / _LOG_2, 0.0)
        both = (Estimate(*each, "bits/word", 0, "exact") for each in values)
        return _OfModel(*both, converged=True)
    if not is_normalised(model):
        problem = f"words have no probability under this {type(model).__name__}"
        raise Unsupported(problem, "use fewer units or another model")
    X, n_chains = drawn_words(model, n_words, start, random_state)
    distinct, index = unique_rows(X)
    log_p, log_z = log_probability(model, distinct)[index], model.log_partition()
    rates = X.mean(axis=0, dtype=np.float64)
    log_q = (xlogy(distinct, rates) + xlog1py(1.0 - distinct, -rates)).sum(axis=1)[index]
    method = "gibbs" if n_chains else "samples"

    def estimate(nats: Floats) -> Estimate:
        stderr = math.hypot(chain_stderr(nats, n_chains), log_z.stderr)
        return Estimate(float(nats.mean()) / _LOG_2, stderr / _LOG_2, "bits/word", n_words, method)

    # Errors of the rates change the mean of log q in second order only.
    return _OfModel(estimate(-log_p), estimate(log_p - log_q), log_z.converged)


def _exact(model: WordModel) -> tuple[float, Floats] | None:
    """Entropy of a model, nats, and its rates (n_bits,), by sums; None where they take long."""
    if isinstance(model, PopulationModel):
        theta, _ = model.parameters_.drop_dead_units()
        if theta.W is None and can_sample_exactly(theta):
            log_z, means = exact_expectations(theta)
            pairs = ((theta.b, means.b), (theta.J, means.J), (theta.v, means.v))
            mean = sum(float(np.sum(a * m)) for a, m in pairs if a is not None and m is not None)
            return log_z - mean, means.b
    log_p = listed_log_probability(model)
    if log_p is None:
        return None
    p = np.exp(log_p)
    by_unit = (p.reshape(-1, 2, 1 << k)[:, 1] for k in range(model.n_features_in_))
    return -float(p @ log_p), np.array([each.sum() for each in by_unit])


def _entropy_of_rates(rates: Floats) -> Floats:
    """Entropy of each unit, nats."""
    return np.asarray(-xlogy(rates, rates) - xlog1py(1.0 - rates, -rates))
