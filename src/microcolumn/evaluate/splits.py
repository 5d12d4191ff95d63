"""Scores of models on the same held-out words, put together over one split or many."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import BadInput
from ..formatting import enumeration
from ..models import ModelSpec, PopulationModel, WordModel
from ..models.spec import ALTERNATIVES, INDEPENDENT, OBJECTIVES
from ..words import Words, as_words
from ._model_score import ModelScore, SplitScore
from ._score import ScoredWords, mean_rate, score_of
from ._tune import TuneResult, named_models, tune
from .bootstrap import block_bins_of
from .comparison import Comparison
from .inputs import Baseline, common_baseline, words_for_all
from .paired import EQUAL_MARGIN, PairedDifference, judged_together, paired_difference, rms
from .significance import split_stderr

#: First minus second in bits/s, and its block error, by pair of names and by split.
Differences = Mapping[tuple[str, str], Mapping[int, tuple[float, float]]]


def compare(
    models: TuneResult | Mapping[str, WordModel | str] | Sequence[WordModel | str],
    words: Words | ArrayLike,
    baseline: Baseline = None,
    *,
    train: Words | ArrayLike | None = None,
    bin_width: float | None = None,
    block_bins: int | None = None,
    random_state: int = 0,
) -> Comparison:
    """Score models on the same held-out words, over one baseline and the same blocks.

    Models that are not fitted are tuned first (:func:`tune`), on ``train`` or, without, on half of
    the words in blocks of time; then all are scored on the other half.

    Parameters
    ----------
    models : TuneResult, or mapping or sequence of WordModel or str
        What :func:`tune` found, fitted models, models to fit, or names such as ``"RBM 25"``.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words, in time order, of the units and bins that all models were fitted on; all
        words where no model is fitted and ``train`` is not given.
    baseline : Independent or array_like, shape (n_units,), optional
        Firing-rate model of the training words, or their rates per bin; by default the rates that
        the models were trained at, which must be the same for all.
    train : Words or array_like, shape (n_words, n_units), optional
        Words to tune the models on that are not fitted.
    bin_width : float, optional
        Seconds per bin of a plain array; by default the model's, or 0.020 if it is not known.
    block_bins : int, optional
        Bins per block of the error bars; see :func:`score`.
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
    >>> compare(["Independent", "Ising", "Tree"], words).best.name
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
        if train is None:
            train, words = as_words(words).split(0.5, by="blocks", random_state=random_state)
        by_name |= tune(missing, train, random_state=random_state).models
    held = words_for_all(by_name, words, bin_width)
    scores, differences = score_split(by_name, held, baseline, block_bins=block_bins)
    specs = {name: spec_of(model) for name, model in by_name.items()}
    found = [_summary(name, specs[name], [score], held.n_units) for name, score in scores.items()]
    ranked, unranked = _ranked(found)
    by_split = {pair: {0: values} for pair, values in differences.items()}
    n_test_blocks = held.n_bins / block_bins_of(held, block_bins)
    pairs = _pairs(ranked, by_split, test_to_train=math.nan, n_test_blocks=n_test_blocks)
    return Comparison(ranked, pairs, held.n_units, window=held.window, unranked=unranked)


def score_split(
    models: Mapping[str, WordModel],
    held: Words,
    baseline: Baseline = None,
    *,
    split: int = 0,
    block_bins: int | None = None,
) -> tuple[dict[str, SplitScore], dict[tuple[str, str], tuple[float, float]]]:
    """Scores by name, and differences with their errors by pair of names, on one test part."""
    base = common_baseline(models, baseline)
    length = block_bins_of(held, block_bins)
    log_p = {name: model._score_distinct(held) for name, model in models.items()}
    log_p_base = base._score_distinct(held)
    scores = {}
    for name, model in models.items():
        score = score_of(log_p[name], log_p_base, model.log_partition(), held, length)
        certificate = getattr(model, "certificate_", None)
        scores[name] = SplitScore(
            split=split,
            bits_per_second=score.bits_per_second,
            block_stderr=score.stderr,
            l1=getattr(model, "l1", math.nan),
            n_nonzero=model.n_nonzero_,
            n_couplings=model.n_couplings_,
            n_live_hidden=model.n_live_hidden_,
            # Models in closed form have no certificate and need none.
            fit_converged=certificate is None or certificate.converged,
            normaliser_converged=score.converged,
            optimality=getattr(model, "optimality_", math.nan),
            n_parameters=model.n_parameters_,
            size=model.size_,
            **{each.name: getattr(score, each.name) for each in fields(ScoredWords)},
        )
    differences = {}
    for first, second in combinations(models, 2):
        difference, stderr = mean_rate(log_p[first] - log_p[second], held, length)
        errors = (scores[name].normaliser_stderr for name in (first, second))
        differences[first, second] = difference, math.hypot(stderr, *errors)
    return scores, differences


def spec_of(model: WordModel) -> ModelSpec:
    """Class, hidden units and objective of a fitted model."""
    name = type(model).__name__
    if name in ALTERNATIVES or not isinstance(model, PopulationModel):
        return ModelSpec(name)
    return ModelSpec(name, model.parameters_.n_hidden, getattr(model, "objective", OBJECTIVES[0]))


def compare_splits(
    scores: Mapping[ModelSpec, Sequence[SplitScore]],
    differences: Differences,
    n_units: int,
    test_to_train: float,
    *,
    n_blocks: int | None = None,
    n_test_blocks: float = math.nan,
    **about: Any,
) -> Comparison:
    """Models best first, and every pair of them with the better one first.

    Independent cells may be among the scores. Differences have each pair in either order; those
    with independent units may be missing, since they are the scores. ``n_blocks`` and
    ``n_test_blocks`` are those of :func:`~.paired.paired_difference`. ``about`` are further
    fields of the comparison.
    """
    found = [model_score(*each, n_units) for each in scores.items() if each[0].name != INDEPENDENT]
    models = sorted(filter(None, found), key=lambda model: (-model.bits_per_second, model.name))
    ranked, unranked = _ranked(models)
    blocks = {"n_blocks": n_blocks, "n_test_blocks": n_test_blocks}
    return Comparison(
        ranked,
        _pairs(ranked, differences, test_to_train, **blocks),
        n_units,
        n_splits=max((model.n_splits for model in models), default=0),
        unranked=unranked,
        test_to_train=test_to_train,
        **about,
    )


def _ranked(found: list[ModelScore]) -> tuple[tuple[ModelScore, ...], tuple[ModelScore, ...]]:
    """Models that may be ranked, and those with a spurious mode, in the same order."""
    ranked = tuple(model for model in found if not model.has_spurious_mode)
    return ranked, tuple(model for model in found if model.has_spurious_mode)


def model_score(spec: ModelSpec, scores: Sequence[SplitScore], n_units: int) -> ModelScore | None:
    """Summarise one model over its splits; None where no split has a finite score."""
    finite = sorted((s for s in scores if math.isfinite(s.bits_per_second)), key=lambda s: s.split)
    return _summary(spec.name, spec, finite, n_units) if finite else None


def _summary(name: str, spec: ModelSpec, scores: Sequence[SplitScore], n_units: int) -> ModelScore:
    values = np.array([score.bits_per_second for score in scores])
    mean = float(values.mean())
    return ModelScore(
        name=name,
        spec=spec,
        n_units=n_units,
        bits_per_second=mean,
        per_neuron=mean / n_units,
        split_stderr=split_stderr(values),
        block_stderr=rms([score.block_stderr for score in scores]),
        n_nonzero=float(np.mean([score.n_nonzero for score in scores])),
        n_couplings=float(np.mean([score.n_couplings for score in scores])),
        n_live_hidden=float(np.mean([score.n_live_hidden for score in scores])),
        converged=all(score.converged for score in scores),
        splits=tuple(scores),
    )


def _pairs(
    models: Sequence[ModelScore],
    differences: Differences,
    test_to_train: float,
    **blocks: Any,
) -> tuple[PairedDifference, ...]:
    """Every two models in order, then each against independent units."""
    by_pair = _both_ways(models, differences)
    names = [*(model.name for model in models if model.name != INDEPENDENT), INDEPENDENT]
    found = []
    for pair in combinations(names, 2):
        values, errors = np.reshape([*by_pair.get(pair, {}).values()], (-1, 2)).T.tolist()
        found.append(paired_difference(*pair, values, errors, test_to_train, **blocks))
    best = max((model.bits_per_second for model in models), default=0.0)
    # Two questions, each with its own share of errors: what holds within the paper's family, and
    # how it stands beside alternatives. More of them must not make the first one harder to answer.
    alternatives = {model.name for model in models if model.spec.is_alternative}
    has_alternative = [
        each is not None and bool(alternatives & {each.first, each.second}) for each in found
    ]
    for question in (False, True):
        places = [k for k, is_its in enumerate(has_alternative) if is_its == question]
        judged = judged_together([found[k] for k in places], EQUAL_MARGIN * max(best, 0.0))
        for k, each in zip(places, judged, strict=True):
            found[k] = each
    return tuple(filter(None, found))


def _both_ways(models: Sequence[ModelScore], differences: Differences) -> Differences:
    """Differences of each pair in either order; those with independent units are the scores."""
    by_pair = dict(differences)
    for (first, second), by_split in differences.items():
        by_pair[second, first] = {split: (-d, error) for split, (d, error) in by_split.items()}
    for model in models:
        scored = {s.split: (s.bits_per_second, s.block_stderr) for s in model.splits}
        by_pair.setdefault((model.name, INDEPENDENT), scored)
    return by_pair
