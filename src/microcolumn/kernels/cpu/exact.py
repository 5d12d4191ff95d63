"""Exact sums over all words of a model: log Z, expectations and independent samples."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from ...validation import Bits
from ..arrays import ModelArrays
from ..loops.threads import one_blas_thread
from .chunk_sums import Watch
from .hidden_sums import HiddenSums
from .listed_sums import ListedSums
from .pair_sums import PairSums

#: States that are listed, of models without hidden units, and times hidden units of those with.
_MOST_LISTED, _MOST_INPUTS = 1 << 11, 1 << 15

Sums = PairSums | ListedSums | HiddenSums


class ExactSums:
    """What the exact sums over many models of one size have in common, kept between them.

    A fit makes one and passes it on at each evaluation, so that planning is done once.
    """

    def __init__(self) -> None:
        self._sums: Sums | None = None

    def of(self, model: ModelArrays) -> Sums:
        """The sums for this model, the same as before where they still fit."""
        kind = _kind(model)
        if not (isinstance(self._sums, kind) and self._sums.fits(model)):
            self._sums = kind(model)
        return self._sums


def _kind(model: ModelArrays) -> type[PairSums] | type[ListedSums] | type[HiddenSums]:
    n_states = 2.0**model.n_units
    if not model.n_hidden:
        return ListedSums if n_states <= _MOST_LISTED else PairSums
    if model.v is not None or n_states * model.n_hidden <= _MOST_INPUTS:
        return ListedSums
    return HiddenSums


def exact_log_z(
    model: ModelArrays, watch: Watch | None = None, sums: ExactSums | None = None
) -> float:
    """Log Z of a model whose hidden units all have weights, nats.

    ``watch`` is called with the share of the sum that each of its steps was; ``sums`` are kept
    between many of them, within ``one_blas_thread``.
    """
    if sums is not None:
        return float(np.logaddexp.reduce(sums.of(model).log_weights(model, watch)))
    with one_blas_thread():
        return float(logsumexp(_kind(model)(model).log_weights(model, watch)))


def exact_moments(model: ModelArrays, sums: ExactSums | None = None) -> tuple[float, ModelArrays]:
    """Log Z (nats) and expectations under a model whose hidden units all have weights.

    These are of what each of its arrays multiplies in log p~: x, xx' without its diagonal,
    x sigmoid(z)', sigmoid(z), and whether so many units are active. ``sums`` are kept between the
    evaluations of a fit, which sees to ``one_blas_thread`` itself.
    """
    if sums is not None:
        return sums.of(model).moments(model)
    with one_blas_thread():
        return _kind(model)(model).moments(model)


def exact_samples(model: ModelArrays, n: int, rng: np.random.Generator) -> Bits:
    """Draw ``n`` independent words of a model whose hidden units all have weights."""
    with one_blas_thread():
        return _kind(model)(model).samples(model, n, rng)
