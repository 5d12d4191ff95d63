"""Entropy of words and of models, and what correlations take from it (docs/information.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlog1py, xlogy
from sklearn.utils.validation import check_is_fitted

from ..errors import Unsupported
from ..formatting import number, text_table
from ..models import PopulationModel, WordModel
from ..notebook import AsText
from ..packing import unique_rows
from ..partition import can_sample_exactly, exact_expectations
from ..tables import AsTable
from ..validation import Floats, expect, random_generator, whole_number
from ..words import Words
from ._explainable import LEAST_COVERAGE, explainable
from ._model_words import chain_stderr, drawn_words, is_normalised, listed_log_probability
from ._tune import TuneResult, named_models
from .inputs import words_for, words_for_all
from .significance import Estimate, with_error


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Information(AsText, AsTable):
    """Entropy and multi-information of words and of models, by :func:`information`.

    All arrays have one entry for each of ``names``: ``"data"``, if there are words, and the models.

    Parameters
    ----------
    names : tuple of str
        Whose they are.
    entropy, entropy_stderr : ndarray
        Bits per word, with the standard error; a model's includes that of log Z.
    multi_information, multi_information_stderr : ndarray
        Entropy of independent units of the same rates minus the entropy, bits per word.
    share, share_stderr : ndarray
        Of the data's multi-information. Where the words are too few to know that, a lower limit,
        whose error is NaN.
    method : tuple of str
        ``"words"``; ``"exact"``, a sum; or ``"samples"``, of independent words, or ``"gibbs"``. And
        what there is to doubt: ``", too few"`` words, ``", log Z not converged"``.
    word_s : float
        How long a word lasts, seconds; NaN where it is not known.
    """

    _columns = (
        *(("name", "names"), "entropy", "entropy_stderr", "bits_per_second", "multi_information"),
        *("multi_information_stderr", "share", "share_stderr", "method"),
    )

    names: tuple[str, ...]
    entropy: Floats
    entropy_stderr: Floats
    multi_information: Floats
    multi_information_stderr: Floats
    share: Floats
    share_stderr: Floats
    method: tuple[str, ...]
    word_s: float

    @property
    def bits_per_second(self) -> Floats:
        """Entropy over the time that a word lasts."""
        return self.entropy / self.word_s

    def __str__(self) -> str:
        header = ("", "entropy, bits/word", "bits/s", "multi-information", "share", "by")
        bits = list(map(with_error, self.entropy, self.entropy_stderr))
        rates = [number(each, 1) for each in self.bits_per_second]
        below = list(map(with_error, self.multi_information, self.multi_information_stderr))
        shares = [
            "" if math.isnan(share) else f"{'>= ' * math.isnan(error)}{Estimate(share, error, '%')}"
            for share, error in zip(self.share, self.share_stderr, strict=True)
        ]
        rows = zip(self.names, bits, rates, below, shares, self.method, strict=True)
        return (
            f"{text_table(header, rows, left=('', 'by'))}\n"
            "Multi-information: bits per word below independent units of the same rates; share: "
            "of the data's. A share with >= is a lower limit, where the words do not tell more."
        )


def information(
    models: TuneResult | Mapping[str, WordModel] | Sequence[WordModel] | WordModel,
    words: Words | ArrayLike | None = None,
    *,
    n_samples: int = 40_000,
    random_state: int | np.random.Generator | None = 0,
) -> Information:
    """Entropy of models, and beside it that of words, and what correlations take from both.

    A model's entropy is a sum where it has 20 bits at most, or no hidden units and not too many
    units; else the mean of -log p over words drawn from it. That of words is the mean of two
    estimates that correct the bias of counting (Grassberger's, and a Pitman-Yor process); half
    their difference is part of its error. The share of the data's multi-information that
    ``Ising(l1=0)`` has is how much pairs explain (Schneidman et al. 2003).

    Parameters
    ----------
    models : TuneResult, WordModel, or mapping or sequence of them
        Fitted models.
    words : Words or array_like, shape (n_words, n_units), optional
        Observed words in time order, without weights: those that the models were fitted to, so that
        all have the same rates. A fit to few words has their noise, too.
    n_samples : int
        Words to draw where the entropy is no sum.
    random_state : int, Generator or None
        Source of drawn words.

    Examples
    --------
    >>> from microcolumn.models import Ising
    >>> words = np.repeat(np.random.default_rng(0).random((20_000, 1)) < 0.5, 2, axis=1)
    >>> result = information(Ising(l1=1e-4).fit(words), words)
    >>> result.names, result.entropy.round(1), result.share.round(1)
    (('data', 'Ising'), array([1., 1.]), array([nan,  1.]))
    """
    by_name, rng = named_models(models), random_generator(random_state)
    kind: Any = WordModel
    for name, model in by_name.items():
        check_is_fitted(expect(f"models[{name!r}]", model, kind, "fitted models of words"))
    whole_number("n_samples", n_samples, least=2)
    held, bits, methods = None, list[list[float]](), []
    if words is not None:
        held = expect("words", words_for_all(by_name, words, None), Words, "complete Words")
    one = next(iter(by_name.values()))
    word_s = (one.bin_width_ or math.nan) * getattr(one, "window_", 1)
    if held is not None:
        # What the best model gains over fair coins is what words lack of one bit per unit.
        gained, explained = explainable(held, np.full(held.n_dims, 0.5)), explainable(held)
        word_s = held.bin_width * held.window
        own = held.n_dims - word_s * gained.bits_per_second
        per_second = gained.stderr, explained.bits_per_second, explained.stderr
        bits.append([own, *(word_s * each for each in per_second)])
        methods.append("words" + ", too few" * (explained.coverage < LEAST_COVERAGE))
    for model in by_name.values():
        start = None if held is None else words_for(model, held, None)
        nats, method = _exact(model) or _sampled(model, n_samples, start, rng)
        bits.append([each / math.log(2.0) for each in nats])
        methods.append(method)
    entropy, stderr, below, below_stderr = np.array(bits).T
    share, share_stderr = np.full((2, len(bits)), np.nan)
    knows = held is not None and held.n_dims > 1 and explained.upper > 0.0
    for k in range(1, len(bits)) if knows else ():
        value, error, least = explained.share_of(below[k] / word_s, below_stderr[k] / word_s)
        share[k], share_stderr[k] = (value, error) if explained.is_reliable else (least, math.nan)
    names = (*["data"] * (held is not None), *by_name)
    about = entropy, stderr, below, below_stderr, share, share_stderr
    return Information(names, *about, tuple(methods), word_s)


def _exact(model: WordModel) -> tuple[list[float], str] | None:
    """Entropy, multi-information (nats) and errors by sums; None where they take long."""
    theta = None
    if isinstance(model, PopulationModel):
        model._check_joint()
        theta, _ = model.parameters_.drop_dead_units()
    if theta is not None and theta.W is None and can_sample_exactly(theta):
        log_z, means = exact_expectations(theta)
        pairs = ((theta.b, means.b), (theta.J, means.J), (theta.v, means.v))
        mean = sum(float(np.sum(a * m)) for a, m in pairs if a is not None and m is not None)
        value, rates = log_z - mean, means.b
    elif (log_p := listed_log_probability(model)) is not None:
        p = np.exp(log_p)
        by_unit = (p.reshape(-1, 2, 1 << k)[:, 1] for k in range(model.n_features_in_))
        value, rates = -float(p @ log_p), np.array([each.sum() for each in by_unit])
    else:
        return None
    independent = -float(np.sum(xlogy(rates, rates) + xlog1py(1.0 - rates, -rates)))
    return [value, 0.0, independent - value, 0.0], "exact"


def _sampled(
    model: WordModel, n_samples: int, start: Words | None, rng: np.random.Generator
) -> tuple[list[float], str]:
    """The same from words that the model draws."""
    if not is_normalised(model):
        problem = f"words have no probability under this {type(model).__name__}"
        raise Unsupported(problem, "use fewer units or another model")
    X, n_chains = drawn_words(model, n_samples, start, rng)
    distinct, index = unique_rows(X)
    log_p, log_z = model.score_samples(distinct)[index], model.log_partition()
    # Errors of the rates change the mean of log q in second order only.
    rates = X.mean(axis=0, dtype=np.float64)
    log_q = (xlogy(distinct, rates) + xlog1py(1.0 - distinct, -rates)).sum(axis=1)[index]
    values = []
    for nats in (-log_p, log_p - log_q):
        values += [float(nats.mean()), math.hypot(chain_stderr(nats, n_chains), log_z.stderr)]
    doubt = "" if log_z.converged else ", log Z not converged"
    return values, ("gibbs" if n_chains else "samples") + doubt
