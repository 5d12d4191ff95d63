"""What every score starts from: words that fit the model, and the firing-rate baseline."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..errors import BadArgument, BadInput, BadType
from ..incomplete import AnyWords, IncompleteWords
from ..models import Independent, PopulationModel, WordsEstimator
from ..parameters import Floats, Parameters
from ..validation import check_entries, expect, kind_of, real_vector
from ..words import UnnamedWords, Words
from ..words_info import SomeWords, ordered

Baseline = Independent | ArrayLike | None


def parameters_of(model: PopulationModel | Parameters, name: str) -> Parameters:
    """Parameters as given, or those of a fitted model."""
    if isinstance(model, Parameters):
        return model
    check_is_fitted(expect(name, model, PopulationModel, "a fitted model or Parameters"))
    return model.parameters_


def words_for(model: WordsEstimator, words: Words | ArrayLike, bin_width: float | None) -> Words:
    """Words of the model's own units, bin width and window, in the model's order of units.

    An array is taken in time order, its columns in the model's order, its bins by default of the
    model's width, or of 20 ms if the model does not know it. ``Words`` carry their own.
    """
    check_is_fitted(model)
    if isinstance(words, Words):
        if bin_width is not None:
            raise BadInput("Words carry their own bin width", "leave out bin_width")
        held = words
    else:
        known = model.bin_width_
        # 20 ms are the paper's choice (docs/method.md, section 7).
        width = known or 0.020 if bin_width is None else bin_width
        held = UnnamedWords.from_array(words, bin_width=width)
        if known is not None and held.bin_width != known:
            raise BadArgument(
                "bin_width",
                f"is {width:g} s, but the model was fitted on bins of {known:g} s",
                "leave bin_width out",
            )
    return _fitting(model, held)


def words_to_score(
    model: WordsEstimator, words: AnyWords | ArrayLike, bin_width: float | None
) -> AnyWords:
    """Words as :func:`words_for` gives them, or such with missing cells."""
    if not isinstance(words, IncompleteWords):
        return words_for(model, words, bin_width)
    check_is_fitted(model)
    return _fitting(model, words)


def _fitting(model: WordsEstimator, words: SomeWords) -> SomeWords:
    """Words in the model's order of units, if they are of the same."""
    held = ordered(words, model.words_info_)
    if held.n_dims != model.n_features_in_:
        raise BadArgument(
            "words",
            f"have {held.n_dims} bits but {type(model).__name__} was fitted on "
            f"{model.n_features_in_}",
            "pass the same units and window",
        )
    return held


def words_for_all(
    models: Mapping[str, WordsEstimator], words: AnyWords | ArrayLike, bin_width: float | None
) -> AnyWords:
    """Words that all models can score, in the order of units that they have.

    Models put the units into their own order when they score, each for itself. The columns of a
    plain array have no names, so that models in different orders cannot share one.
    """
    if not models:
        raise BadArgument("models", "is empty", "name at least one fitted model")
    known = [(name, model.words_info_) for name, model in models.items() if model.words_info_]
    for (first, expected), (name, info) in pairwise(known):
        order = expected.order_in(info, f"model {name!r}", f"model {first!r}")
        if order is not None and not isinstance(words, AnyWords):
            raise BadInput(
                f"models {first!r} and {name!r} have their units in different orders, and an "
                "array does not name its columns",
                "pass Words",
            )
    for model in models.values():
        held = words_to_score(model, words, bin_width)
    return words if isinstance(words, AnyWords) else held


def independent_baseline(model: WordsEstimator, baseline: Baseline) -> Independent:
    """The independent model that scores are measured from, in the model's order of units.

    By default it is that of the rates that ``model`` was trained at.
    """
    if baseline is None:
        if not hasattr(model, "rates_"):
            raise BadInput(
                f"this {type(model).__name__} was never fitted, so it knows no training rates",
                "pass baseline=, an Independent model fitted on the training words or their rates",
            )
        biases = _biases(model.rates_, model.n_features_in_)
    elif isinstance(baseline, Independent):
        check_is_fitted(baseline)
        biases = in_order_of(model, baseline, baseline.parameters_.b, name="the baseline")
        if biases.size != model.n_features_in_:
            raise BadArgument(
                "baseline",
                f"has {biases.size} units but the model has {model.n_features_in_}",
                "fit it on the same words",
            )
    elif isinstance(baseline, WordsEstimator):
        raise BadType("baseline", f"is {kind_of(baseline)}", "pass an Independent model or rates")
    else:
        biases = _biases(baseline, model.n_features_in_)
    base = Independent.from_parameters(Parameters(b=biases))
    base.words_info_ = model.words_info_ or getattr(baseline, "words_info_", None)
    return base


def common_baseline(models: Mapping[str, WordsEstimator], baseline: Baseline) -> Independent:
    """One baseline for all: the given one, or the rates that all trained models share."""
    trained = [name for name, model in models.items() if hasattr(model, "rates_")]
    if baseline is not None or not trained:
        return independent_baseline(next(iter(models.values())), baseline)
    first = models[trained[0]]
    for name in trained[1:]:
        rates = in_order_of(first, models[name], models[name].rates_, name="the other model")
        if not np.array_equal(rates, first.rates_):
            raise BadInput(
                f"models {trained[0]!r} and {name!r} were trained at different rates",
                "fit them on the same words or pass one baseline= for all",
            )
    return independent_baseline(first, None)


def in_order_of(
    model: WordsEstimator, other: WordsEstimator, values: Floats, **names: str
) -> Floats:
    """Values of the bits of ``other`` in the order of ``model``; both are of the same words."""
    if model.words_info_ is None or other.words_info_ is None:
        return values
    columns = model.words_info_.columns_in(other.words_info_, **names)
    return values if columns is None else values[columns]


def _biases(baseline: ArrayLike, n_units: int) -> Floats:
    rates = real_vector("baseline", baseline, n_units, "unit")
    remedy = "use rates between 0 and 1, such as those of Independent().fit(train), with a floor"
    check_entries("baseline", rates, (rates > 0.0) & (rates < 1.0), remedy)
    # The same expression as in Independent.fit, so that its own excess is zero to the last bit.
    return np.asarray(np.log(rates) - np.log1p(-rates))
