"""What every score starts from: words that fit the model, and the firing-rate baseline."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..models import Independent, PopulationModel
from ..parameters import Parameters
from ..words import Words

#: Seconds per bin of a plain array, the paper's choice (METHOD section 7).
_BIN_WIDTH = 0.020

Baseline = Independent | ArrayLike | None


def words_for(model: PopulationModel, words: Words | ArrayLike, bin_width: float | None) -> Words:
    """Words with as many bits as the model has units; an array is taken in time order.

    Parameters
    ----------
    model : PopulationModel
        A fitted model.
    words : Words or array_like, shape (n_words, n_units)
        Held-out words.
    bin_width : float, optional
        Seconds per bin of an array, 0.020 where left out; ``Words`` carry their own.
    """
    check_is_fitted(model)
    if isinstance(words, Words):
        if bin_width is not None:
            raise ValueError("Words carry their own bin width; leave out bin_width")
        held = words
    else:
        held = Words.from_array(words, bin_width=_BIN_WIDTH if bin_width is None else bin_width)
    if held.n_dims != model.n_features_in_:
        raise ValueError(
            f"words have {held.n_dims} bits but {type(model).__name__} was fitted on "
            f"{model.n_features_in_}; pass the same units and window"
        )
    return held


def independent_baseline(model: PopulationModel, baseline: Baseline) -> Independent:
    """Make the independent model that scores are measured from.

    Parameters
    ----------
    model : PopulationModel
        A fitted model.
    baseline : Independent or array_like, shape (n_units,), optional
        A model fitted on the training words, or their rates per bin. Where left out, the rates
        that ``model`` was trained at.
    """
    if baseline is None:
        if not hasattr(model, "rates_"):
            raise ValueError(
                f"this {type(model).__name__} was never fitted, so it knows no training rates; "
                "pass baseline=, an Independent model fitted on the training words or their rates"
            )
        return _at_rates(model.rates_, model.n_features_in_)
    if isinstance(baseline, Independent):
        check_is_fitted(baseline)
        if baseline.n_features_in_ != model.n_features_in_:
            raise ValueError(
                f"baseline has {baseline.n_features_in_} units but the model has "
                f"{model.n_features_in_}; fit it on the same words"
            )
        return baseline
    if isinstance(baseline, PopulationModel):
        raise TypeError(
            f"baseline is of type {type(baseline).__name__}; pass an Independent model or rates"
        )
    return _at_rates(baseline, model.n_features_in_)


def _at_rates(baseline: ArrayLike, n_units: int) -> Independent:
    rates = np.asarray(baseline, dtype=np.float64)
    if rates.shape != (n_units,):
        raise ValueError(
            f"baseline has shape {rates.shape} for {n_units} units; it needs one rate per unit"
        )
    wrong = np.flatnonzero(~((rates > 0.0) & (rates < 1.0)))
    if wrong.size:
        raise ValueError(
            f"baseline[{wrong[0]}] is {rates[wrong[0]]}; rates must lie between 0 and 1 and not "
            "on them: use those of Independent().fit(train), which have a floor"
        )
    # The same expression as in Independent.fit, so that its own excess is zero to the last bit.
    return Independent.from_parameters(Parameters(b=np.log(rates) - np.log1p(-rates)))
