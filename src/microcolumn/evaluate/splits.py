"""Scores of models on the same held-out words, put together over one split or many."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadInput
from ..formatting import enumeration
from ..incomplete import AnyWords, IncompleteWords
from ..models import ModelSpec, PopulationModel, WordModel
from ..models.spec import ALTERNATIVES, INDEPENDENT, OBJECTIVES
from ..words import Words, as_words
from ._model_score import ModelScore, SplitScore
from ._score import ScoredWords, bits_per_second_per_nat, score_of
from ._tune import TuneResult, named_models, tune
from .comparison import Comparison
from .inputs import Baseline, common_baseline, words_for_all
from .paired import Cells
from .time_errors import N_CELLS, cells_of


def compare(
    models: TuneResult | Mapping[str, WordModel | str] | Sequence[WordModel | str],
    words: AnyWords | ArrayLike,
    baseline: Baseline = None,
    *,
    train: Words | ArrayLike | None = None,
    bin_width: float | None = None,
    random_state: int = 0,
) -> Comparison:
    """Score models on the same held-out words, over one baseline.

    Models that are not fitted are tuned first (:func:`tune`), on ``train`` or, without, on half of
    the words in blocks of time; then all are scored on the other half.

    Parameters
    ----------
    models : TuneResult, or mapping or sequence of WordModel or str
        What :func:`tune` found, fitted models, models to fit, or names such as ``"RBM"``, whose
        number of hidden units is chosen, or ``"RBM 25"``.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words, in time order, of the units and bins that all models were fitted on, or
        ``IncompleteWords`` for fitted models; all words where no model is fitted and ``train`` is
        not given.
    baseline : Independent or array_like, shape (n_units,), optional
        Firing-rate model of the training words, or their rates per bin; by default the rates that
        the models were trained at, which must be the same for all.
    train : Words or array_like, shape (n_words, n_units), optional
        Words to tune the models on that are not fitted.
    bin_width : float, optional
        Seconds per bin of a plain array; by default the model's, or 0.020 if it is not known.
    random_state : int
        Seed of the deal of blocks to training, validation and test parts.

    Examples
    --------
    >>> from microcolumn.models import Independent, Ising
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((2000, 1)) < 0.1
    >>> words = Words.from_array(rng.random((2000, 4)) < np.where(together, 0.7, 0.05))
    >>> train, test = words.split(0.5, random_state=0)
    >>> models = {"rates": Independent().fit(train), "Ising": Ising().fit(train)}
    >>> comparison = compare(models, test)
    >>> comparison.best.name, comparison.scores["rates"].bits_per_second
    ('Ising', 0.0)
    >>> compare(["Independent", "Ising"], words).best.name
    'Ising'
    """
    by_name = named_models(models)
    missing = {k: each for k, each in by_name.items() if not hasattr(each, "n_features_in_")}
    if missing:
        if train is None and len(missing) < len(by_name):
            raise BadInput(
                f"some models are fitted, but not {enumeration(list(missing))}",
                "pass the words that the others were fitted on as train",
            )
        if isinstance(words, IncompleteWords):
            raise BadInput("models are tuned on complete words alone", "pass fitted models")
        if train is None:
            train, words = as_words(words).split(0.5, by="blocks", random_state=random_state)
        by_name |= tune(missing, train, random_state=random_state).models
    held = words_for_all(by_name, words, bin_width)
    scores = score_split(by_name, held, baseline)
    summaries = [
        _summary(name, spec_of(model), [scores[name]], held.n_units, train_share=math.nan)
        for name, model in by_name.items()
    ]
    return Comparison(*_ranked(summaries), n_units=held.n_units, window=held.window)


def score_split(
    models: Mapping[str, WordModel],
    words: AnyWords,
    baseline: Baseline = None,
    *,
    split: int = 0,
    n_places: int | None = None,
) -> dict[str, SplitScore]:
    """Scores by name on one test part.

    Splits of a recording of ``n_places`` bins have the same cells of time; by default cells are
    those of the test part alone.
    """
    base = common_baseline(models, baseline)
    log_p_base = base._score_distinct(words)
    if n_places is None:
        cell = cells_of(np.arange(words.n_bins), words.n_bins)
    else:
        cell = cells_of(words.bins, n_places)
    weights = np.ones(words.n_bins) if words.weights is None else words.weights
    shares = np.bincount(cell, weights / weights.sum(), minlength=min(N_CELLS, n_places or 0))
    n_active = words.X.sum(axis=1, dtype=np.int64)[words.index]
    scores = {}
    for name, model in models.items():
        log_p = model._score_distinct(words)
        score = score_of(log_p, log_p_base, model.log_partition(), words)
        gain = (log_p - log_p_base)[words.index] * weights / weights.sum()
        gain *= bits_per_second_per_nat(words)
        certificate = getattr(model, "certificate_", None)
        scores[name] = SplitScore(
            split=split,
            bits_per_second=score.bits_per_second,
            stderr=score.stderr,
            gain_by_cell=tuple(np.bincount(cell, gain, minlength=shares.size).tolist()),
            share_by_cell=tuple(shares.tolist()),
            gain_by_active=tuple(np.bincount(n_active, gain).tolist()),
            l1=getattr(model, "l1", math.nan),
            n_nonzero=model.n_nonzero_,
            n_couplings=model.n_couplings_,
            n_live_hidden=model.n_live_hidden_,
            n_hidden=getattr(model, "n_hidden", 0),
            # Models in closed form have no certificate and need none.
            fit_converged=certificate is None or certificate.converged,
            normaliser_converged=score.converged,
            optimality=getattr(model, "optimality_", math.nan),
            n_parameters=model.n_parameters_,
            size=model.size_,
            **{each.name: getattr(score, each.name) for each in fields(ScoredWords)},
        )
    return scores


def spec_of(model: WordModel) -> ModelSpec:
    """Class, hidden units and objective of a fitted model."""
    name = type(model).__name__
    if name in ALTERNATIVES or not isinstance(model, PopulationModel):
        return ModelSpec(name)
    return ModelSpec(name, model.parameters_.n_hidden, getattr(model, "objective", OBJECTIVES[0]))


def compare_splits(
    scores: Mapping[ModelSpec, Sequence[SplitScore]], n_units: int, train_share: float, **about: Any
) -> Comparison:
    """Models best first. Independent units may be among the scores; they are the zero.

    ``train_share`` is the share of all words that fit and choice of l1 have seen; ``about`` are
    further fields of the comparison.
    """
    summaries = [
        model_score(spec, each, n_units, train_share)
        for spec, each in scores.items()
        if spec.name != INDEPENDENT
    ]
    models = sorted(filter(None, summaries), key=lambda model: (-model.bits_per_second, model.name))
    ranked, unranked = _ranked(models)
    n_splits = max((model.n_splits for model in models), default=0)
    return Comparison(
        ranked, unranked, n_units, n_splits=n_splits, train_share=train_share, **about
    )


def _ranked(models: list[ModelScore]) -> tuple[tuple[ModelScore, ...], tuple[ModelScore, ...]]:
    """Models that may be ranked, and those with a spurious mode, in the same order."""
    ranked = tuple(model for model in models if not model.has_spurious_mode)
    return ranked, tuple(model for model in models if model.has_spurious_mode)


def model_score(
    spec: ModelSpec, scores: Sequence[SplitScore], n_units: int, train_share: float
) -> ModelScore | None:
    """Summarise one model over its splits; None where no split has a finite score."""
    finite = sorted((s for s in scores if math.isfinite(s.bits_per_second)), key=lambda s: s.split)
    return _summary(spec.name, spec, finite, n_units, train_share) if finite else None


def _summary(
    name: str, spec: ModelSpec, scores: Sequence[SplitScore], n_units: int, train_share: float
) -> ModelScore:
    averaged = ("bits_per_second", "n_nonzero", "n_couplings", "n_live_hidden", "n_hidden")
    means = {each: float(np.mean([getattr(score, each) for score in scores])) for each in averaged}
    return ModelScore(
        name=name,
        spec=spec,
        n_units=n_units,
        per_neuron=means["bits_per_second"] / n_units,
        stderr=Cells.of(scores).mean(train_share).stderr,
        **means,
        converged=all(score.converged for score in scores),
        splits=tuple(scores),
    )
