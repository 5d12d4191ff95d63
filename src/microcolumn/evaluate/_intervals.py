"""Intervals for couplings, biases and weights, with false-discovery control over pairs.

An L1 penalty shrinks what it does not set to zero, so no interval around a penalised value holds
what it promises. The estimates here are without it: logistic regressions of each unit on the
others for an Ising model (:mod:`._node_regressions`), the maximum of the likelihood next to the
fit for models with hidden units (:mod:`.likelihood_intervals`). Their errors come from blocks of
time, because neighbouring words are alike, and for hidden units from fits to halves of the words
too (docs/method.md, section 6).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from ..errors import BadInput
from ..formatting import counted
from ..models import PopulationModel
from ..objectives import pair_counts
from ..packing import packed
from ..parameters import Parameters
from ..validation import Floats, proper_share
from ..words import Words
from ..words_info import bit_names
from ._node_regressions import node_regressions
from .bootstrap import block_bins_of, time_blocks
from .estimates import Estimates, Intervals, corrected
from .inputs import words_for
from .likelihood_intervals import likelihood_estimates, too_large

#: Coincidences, in independent words, that an interval for a coupling takes: so many to be expected
#: of independent units, or so many seen. The second is larger, since a choice by what was seen
#: favours pairs that met more often than they would again.
FEWEST_EXPECTED, FEWEST_SEEN = 3.0, 10.0
#: Pairs with this many coincidences say how alike neighbouring words are.
_TELLING = 20.0


def intervals(
    model: PopulationModel,
    words: Words | ArrayLike,
    *,
    level: float = 0.95,
    block_bins: int | None = None,
) -> Intervals:
    """Intervals for couplings, biases and weights of a model, and which differ from zero.

    Estimates are unpenalised, so they differ from the model's own, shrunken values. Errors come
    from blocks of time and hold for words that resemble their neighbours. Coverage was measured on
    words of models of the same kind (docs/method.md, section 6), not where the model is wrong.
    ``J`` of an Ising model comes from logistic regressions of each unit on all others with Firth's
    penalty, at any size. In models with hidden units, weights and couplings that the fit set to
    zero stay zero and have no interval; all else goes to the maximum of the likelihood next to the
    fit, for up to 800 parameters and where sums over all states are quick. A fitted model is fitted
    anew to two halves of the words: hidden units that do not come back have no intervals, and the
    errors of the others are at least what the halves differ by.

    Parameters
    ----------
    model : PopulationModel
        A fitted model.
    words : Words or array_like, shape (n_words, n_units)
        The words it was fitted to, in time order.
    level : float
        Probability that an interval holds the parameter.
    block_bins : int, optional
        Length of a block in bins; by default a hundredth of the words.

    Examples
    --------
    >>> from microcolumn.models import Ising
    >>> rng = np.random.default_rng(0)
    >>> X = (rng.random((2000, 3)) < 0.2).astype(int)
    >>> X[:, 1] |= X[:, 0] & (rng.random(2000) < 0.5)
    >>> found = intervals(Ising(l1=1e-3).fit(X), X)
    >>> print(found.statement())  # doctest: +NORMALIZE_WHITESPACE
    1 of 3 pairs have a coupling that differs from 0 at a false discovery rate of 5 %
    (1 positive, 0 negative)
    """
    level = proper_share("level", level)
    if model.parameters_.v is not None:
        raise BadInput(
            "intervals are not known for a model with a potential of the number of active units",
            "take those of an Ising model",
        )
    if model.parameters_.is_gaussian:
        raise BadInput(
            "weights of Gaussian hidden units can be rotated into each other, so that none of "
            "them has an interval",
            "take those of an Ising model",
        )
    held = words_for(model, words, None)
    length = block_bins_of(held, block_bins)
    parts = _Parts(model, held, time_blocks(held.n_bins, length), level)
    theta = model.parameters_
    # A semi-restricted model without a live hidden unit is an Ising model.
    ising = theta.J is not None and not theta.live.any()
    estimated = _of_couplings if ising else _of_likelihood
    return Intervals(
        model=type(model).__name__,
        level=level,
        names=bit_names(held.units, held.window),
        n_words=held.n_bins,
        block_bins=length,
        n_blocks=parts.n_blocks,
        **estimated(parts),
    )


class _Parts:
    """What both ways of estimation start from."""

    def __init__(
        self, model: PopulationModel, words: Words, blocks: NDArray[np.int64], level: float
    ) -> None:
        self.model, self.theta = model, model.parameters_
        self.words, self.blocks, self.level = words, blocks, level
        self.n_blocks = int(blocks[-1]) + 1
        rates = words.rates
        self.constant = (rates <= 0.0) | (rates >= 1.0)
        self.always = rates >= 1.0
        copy_of = _copies(words)
        self.copied = np.isin(copy_of, copy_of[copy_of != np.arange(rates.size)]) & ~self.constant
        #: Of equal bits the first stands for all in the estimates of the others.
        self.usable = ~self.constant & (copy_of == np.arange(rates.size))
        self.determined = ~self.constant & ~self.copied

    def estimates(self, estimate: Floats, stderr: Floats) -> Estimates:
        return Estimates.of(estimate, stderr, self.level, self.n_blocks - 1)

    def notes(self) -> list[str]:
        names = np.array(bit_names(self.words.units, self.words.window))
        left_out = {
            "always silent or always active": self.constant,
            "equal to another or its opposite": self.copied,
        }
        notes = [
            f"{counted(int(which.sum()), 'unit')} {what}, without intervals: "
            + ", ".join(names[which][:5])
            for what, which in left_out.items()
            if which.any()
        ]
        if self.n_blocks < 2:
            notes.append("too few words for blocks of time: no errors")
        return notes


def _of_couplings(parts: _Parts) -> dict[str, Any]:
    """Couplings and biases of an Ising model."""
    words, theta = parts.words, parts.theta
    assert theta.J is not None
    n = words.n_dims
    upper = np.triu_indices(n, 1)
    both = pair_counts(words)
    alone = np.diagonal(both)
    start = 2.0 * theta.J + np.diag(theta.b)
    total, alike = words.counts.sum(), 1.0
    for _ in range(2):
        found = node_regressions(words, parts.usable, start, parts.blocks, alike)
        influence = 0.5 * (found.influence + found.influence.transpose(2, 1, 0))
        in_blocks = np.einsum("nbm,nbm->nm", influence, influence, dtype=np.float64)
        in_blocks *= parts.n_blocks / max(parts.n_blocks - 1, 1)
        # The two estimates of a pair are all but equal: the mean error bounds that of the mean.
        by_model = (0.5 * (found.model_stderr + found.model_stderr.T)) ** 2
        telling = (both >= _TELLING) & ~np.eye(n, dtype=bool) & np.isfinite(by_model)
        if alike > 1.0 or parts.n_blocks < 2 or not telling.any():
            break
        # Neighbouring words are alike: as many independent words would be fewer, and Firth's
        # half counts, which are of independent words, weigh more.
        alike = max(1.0, float(np.median(alike * in_blocks[telling] / by_model[telling])))
        if alike == 1.0:
            break
        start = np.where(np.isfinite(found.coefficients), found.coefficients, 0.0)
    estimate = 0.5 * (found.coefficients + found.coefficients.T)
    stderr = np.sqrt(np.maximum(in_blocks, by_model))
    known = parts.determined & found.converged
    estimate[~known], estimate[:, ~known] = np.nan, np.nan
    # A pair contributes 2 J to log p~.
    pairs = parts.estimates(0.5 * estimate[upper], 0.5 * stderr[upper])
    pairs, notes = _with_limits(pairs, both[upper], alone, total, alike, upper)
    return {
        "biases": parts.estimates(np.diagonal(estimate).copy(), np.diagonal(stderr).copy()),
        "pairs": np.column_stack(upper).astype(np.int64),
        "couplings": pairs,
        "coincidences": both[upper],
        "hidden": np.zeros(0, dtype=np.int64),
        "weights": parts.estimates(np.zeros((n, 0)), np.zeros((n, 0))),
        "hidden_biases": parts.estimates(np.zeros(0), np.zeros(0)),
        "alike": alike,
        "notes": (*parts.notes(), *notes),
    }


def _with_limits(
    found: Estimates, both: Floats, alone: Floats, total: float, alike: float, upper: Any
) -> tuple[Estimates, list[str]]:
    """Open the intervals that have no limit, and drop those of pairs that hardly meet.

    Where one of the four cells of a pair's table is empty, the likelihood grows without end.
    """
    first, second = alone[upper[0]], alone[upper[1]]
    chance = first * second / total
    few = (chance / alike < FEWEST_EXPECTED) & (both / alike < FEWEST_SEEN)
    few &= np.isfinite(found.estimate)
    never = (both <= 0.0) | (total - first - second + both <= 0.0)
    always = (first - both <= 0.0) | (second - both <= 0.0)
    p = np.where(few, np.nan, found.p_value)
    estimate, stderr = (np.where(few, np.nan, each) for each in (found.estimate, found.stderr))
    low = np.where(few, np.nan, np.where(never & np.isfinite(found.low), -np.inf, found.low))
    high = np.where(few, np.nan, np.where(always & np.isfinite(found.high), np.inf, found.high))
    notes = []
    if few.any():
        notes.append(
            f"{counted(int(few.sum()), 'pair')} with fewer than {FEWEST_EXPECTED:g} coincidences "
            f"by chance and {FEWEST_SEEN:g} seen, in independent words: no interval"
        )
    return Estimates(estimate, stderr, low, high, p, corrected(p)), notes


def _of_likelihood(parts: _Parts) -> dict[str, Any]:
    """Everything of a model with hidden units, or of independent units."""
    theta, n = parts.theta.drop_dead_units()[0], parts.words.n_dims
    halves = _halves(parts) if theta.n_hidden else []
    found = likelihood_estimates(
        theta, parts.words, parts.usable, parts.always, parts.blocks, halves
    )
    estimate, stderr, notes = found.estimate, found.stderr, list(found.notes)
    if theta.n_hidden and not halves:
        notes.append(
            "not fitted anew to halves of the words: intervals hold given the hidden units"
        )
    unknown = ~parts.determined
    for each in (estimate, stderr):
        for part in (each.b, each.W, each.J):
            if part is not None:
                part[unknown] = np.nan
                if part is each.J:
                    part[:, unknown] = np.nan
    upper = np.triu_indices(n, 1)
    coupled = estimate.J is not None and stderr.J is not None
    empty = np.zeros(0)
    both = pair_counts(parts.words)[upper] if coupled else empty
    W = (np.zeros((n, 0)),) * 2 if estimate.W is None else (estimate.W, stderr.W)
    c = (empty, empty) if estimate.c is None else (estimate.c, stderr.c)
    J = (estimate.J[upper], stderr.J[upper]) if coupled else (empty, empty)  # type: ignore[index]
    return {
        "biases": parts.estimates(estimate.b, stderr.b),
        "pairs": np.column_stack(upper).astype(np.int64)[: None if coupled else 0],
        "couplings": parts.estimates(*J),
        "coincidences": both,
        "hidden": np.flatnonzero(parts.theta.live),
        "weights": parts.estimates(*W),  # type: ignore[arg-type]
        "hidden_biases": parts.estimates(*c),  # type: ignore[arg-type]
        "alike": found.alike,
        "notes": (*parts.notes(), *notes),
    }


def _halves(parts: _Parts) -> list[tuple[Parameters, Words]]:
    """Two halves of the words by blocks of time, each with a fit of its own from another start.

    None for a model that was made from parameters: it has no settings to fit with.
    """
    if not hasattr(parts.model, "rates_") or parts.n_blocks < 4 or too_large(parts.theta):
        return []
    anew = clone(parts.model)
    # The penalty that serves best falls with the root of the number of words; errors of a fit
    # that show in the fifth digit do not matter here.
    stronger = {name: np.sqrt(2.0) * getattr(anew, name) for name in ("l1", "group_l1")}
    anew.set_params(random_state=1, tol=max(anew.tol or 0.0, 1e-4), **stronger)
    halves = parts.words.split(0.5, by="blocks", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a half without live hidden units leaves no interval
        return [(clone(anew).fit(half).parameters_, half) for half in halves]


def _copies(words: Words) -> NDArray[np.intp]:
    """The first bit that equals each bit, or is its opposite, in all words, shape (n,)."""
    columns = np.ascontiguousarray((words.X ^ words.X[:1]).T)
    _, first, place = np.unique(packed(columns), axis=1, return_index=True, return_inverse=True)
    return np.asarray(first[place.ravel()])
