"""Intervals for couplings, biases and weights, with false-discovery control over pairs.

An L1 penalty shrinks what it does not set to zero, so no interval around a penalised value holds
what it promises. The estimates here are without it: logistic regressions of each unit on the
others for an Ising model, the maximum of the likelihood next to the fit for models with hidden
units (:mod:`.likelihood_intervals`). Their errors come from the slowest waves over time, because
words resemble those before, and for hidden units from fits to halves of the words too
(docs/method.md, section 6).

The conditional distribution of one bit of an Ising model given the others is a logistic
regression, bit n on bit m with coefficient 2 J_nm and constant b_n (docs/method.md, section 2).
Firth's penalty (1993), half the log determinant of the information, removes the first-order bias
and keeps estimates finite where a pair never fires together; for two bits it adds half a count to
each cell of their table.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from ..errors import BadInput
from ..formatting import counted
from ..kernels.loops.node_regressions import node_block_scores, node_scores
from ..models import PopulationModel
from ..objectives import pair_counts
from ..packing import packed
from ..parameters import Parameters
from ..validation import Floats, chunks, proper_share
from ..words import Words
from ..words_info import bit_names
from .estimates import Estimates, Intervals, corrected
from .inputs import words_for
from .likelihood_intervals import (
    LikelihoodEstimates,
    likelihood_estimates,
    moderated_variance,
    too_large,
)
from .time_errors import cell_table, cells_of, slow_waves

#: Coincidences, in independent words, that an interval for a coupling takes: so many to be expected
#: of independent units, or so many seen. The second is larger, since a choice by what was seen
#: favours pairs that met more often than they would again.
FEWEST_EXPECTED, FEWEST_SEEN = 3.0, 10.0
#: Pairs with this many coincidences say how alike neighbouring words are.
_TELLING = 20.0
#: Why some models have none.
_COUNTED = "intervals are not known for a model with a potential of the number of active units"
_ROTATED = "no weight has an interval where Gaussian hidden units can be rotated into each other"
#: Entries of the information matrices that are held at once.
_BATCH_ENTRIES = 1 << 22
#: Newton's steps end at this change of the coefficients (nats), or after so many steps.
_TOLERANCE, _MOST_STEPS = 1e-6, 100
#: Longest step of one coefficient, nats: from a poor start a full step overshoots.
_LONGEST_STEP = 3.0
#: After so many full steps the others are halved: Firth's term lags by one step, which would let
#: coefficients of pairs that never fire together swing to and fro.
_FULL_STEPS = 8


def intervals(
    model: PopulationModel,
    words: Words | ArrayLike,
    *,
    level: float = 0.95,
) -> Intervals:
    """Intervals for couplings, biases and weights of a model, and which differ from zero.

    Estimates are unpenalised, so they differ from the model's own, shrunken values. Errors come
    from the slowest waves over time and hold for slow activity. Coverage was measured on
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
    theta = model.parameters_
    if theta.v is not None or theta.is_gaussian:
        raise BadInput(_ROTATED if theta.v is None else _COUNTED, "take those of an Ising model")
    held = words_for(model, words, None)
    parts = _Parts(model, held)
    # A semi-restricted model without a live hidden unit is an Ising model.
    ising = theta.J is not None and not theta.live.any()
    estimate, stderr, alike, df, notes = (_of_couplings if ising else _of_likelihood)(parts)
    n, known = held.n_dims, parts.determined
    upper = np.triu_indices(n if theta.J is not None else 0, 1)
    missing = {"J": np.zeros((n, n)), "W": np.zeros((n, 0)), "c": np.zeros(0)}

    def found(name: str, where: Any = ..., known: Any = True) -> Estimates:
        values, errors = (getattr(each, name) for each in (estimate, stderr))
        values, errors = (missing[name],) * 2 if values is None else (values, errors)
        values = np.where(known, values[where], np.nan)
        return Estimates.of(values, errors[where], level, df)

    couplings, both = found("J", upper, known[upper[0]] & known[upper[1]]), pair_counts(held)
    if ising:
        couplings, further = _with_limits(couplings, both, held.counts.sum(), alike, upper)
        notes = *notes, *further
    return Intervals(
        model=type(model).__name__,
        level=level,
        names=bit_names(held.units, held.window),
        biases=found("b", known=known),
        pairs=np.column_stack(upper).astype(np.int64),
        couplings=couplings,
        coincidences=both[upper],
        hidden=np.flatnonzero(theta.live),
        weights=found("W", known=known[:, None]),
        hidden_biases=found("c"),
        n_words=held.n_bins,
        alike=alike,
        notes=(*parts.notes(), *notes),
    )


class _Parts:
    """What both ways of estimation start from."""

    def __init__(self, model: PopulationModel, words: Words) -> None:
        self.model, self.theta, self.words = model, model.parameters_, words
        cells = cells_of(np.arange(words.n_bins), words.n_bins)
        self.by_cell = cell_table(words.index, cells, len(words), words.weights)
        self.n_cells = self.by_cell.shape[0]
        rates = words.rates
        self.constant = (rates <= 0.0) | (rates >= 1.0)
        self.always = rates >= 1.0
        copy_of = _copies(words)
        self.copied = np.isin(copy_of, copy_of[copy_of != np.arange(rates.size)]) & ~self.constant
        #: Of equal bits the first stands for all in the estimates of the others.
        self.usable = ~self.constant & (copy_of == np.arange(rates.size))
        self.determined = ~self.constant & ~self.copied

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
        if self.n_cells < 2:
            notes.append("a single word: no errors")
        return notes


def _of_couplings(parts: _Parts) -> LikelihoodEstimates:
    """Couplings and biases of an Ising model."""
    words, theta = parts.words, parts.theta
    assert theta.J is not None
    both, start, alike = pair_counts(words), 2.0 * theta.J + np.diag(theta.b), 1.0
    for _ in range(2):
        found = node_regressions(words, parts.usable, start, parts.by_cell, alike)
        influence = 0.5 * (found.influence + found.influence.transpose(2, 1, 0))
        # The two estimates of a pair are all but equal: the mean error bounds that of the mean.
        by_model = (0.5 * (found.model_stderr + found.model_stderr.T)) ** 2
        telling = np.triu(both >= _TELLING, 1) & np.isfinite(by_model)
        slow = influence.transpose(1, 0, 2).astype(np.float64)
        variance, ratio, df = moderated_variance(slow, by_model, telling)
        if alike > 1.0 or ratio == 1.0:
            break
        # Neighbouring words are alike: as many independent words would be fewer, and Firth's
        # half counts, which are of independent words, weigh more.
        alike = ratio
        start = np.where(np.isfinite(found.coefficients), found.coefficients, 0.0)
    estimate = 0.5 * (found.coefficients + found.coefficients.T)
    stderr = np.sqrt(variance)
    estimate[~found.converged], estimate[:, ~found.converged] = np.nan, np.nan
    # A pair contributes 2 J to log p~.
    values, errors = (
        Parameters.trusted(np.diagonal(each), 0.5 * each, None, None) for each in (estimate, stderr)
    )
    return LikelihoodEstimates(values, errors, alike, df, ())


def _with_limits(
    found: Estimates, both: Floats, total: float, alike: float, upper: Any
) -> tuple[Estimates, list[str]]:
    """Open the intervals that have no limit, and drop those of pairs that hardly meet.

    Where one of the four cells of a pair's table is empty, the likelihood grows without end.
    """
    (first, second), both = np.diagonal(both)[np.array(upper)], both[upper]
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


def _of_likelihood(parts: _Parts) -> LikelihoodEstimates:
    """Parameters of a model with hidden units, or of independent units."""
    theta = parts.theta.drop_dead_units()[0]
    halves = _halves(parts) if theta.n_hidden else []
    found = likelihood_estimates(
        theta, parts.words, parts.usable, parts.always, parts.by_cell, halves
    )
    if theta.n_hidden and not halves:
        doubt = "not fitted anew to halves of the words: intervals hold given the hidden units"
        found = found._replace(notes=(*found.notes, doubt))
    return found


def _halves(parts: _Parts) -> list[tuple[Parameters, Words]]:
    """Two halves of the words in blocks of time, each with a fit of its own from another start.

    None for a model that was made from parameters: it has no settings to fit with.
    """
    if not hasattr(parts.model, "rates_") or parts.n_cells < 4 or too_large(parts.theta):
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


class NodeRegressions(NamedTuple):
    """Coefficients of all regressions; row n is the regression of bit n, its diagonal the bias.

    ``model_stderr`` (n, n) follows from the information; ``influence`` (n, n_waves, n) is what
    each slow wave adds to the coefficients, in single precision; ``converged`` (n,).
    """

    coefficients: Floats
    model_stderr: Floats
    influence: NDArray[np.float32]
    converged: NDArray[np.bool_]


def node_regressions(
    words: Words,
    usable: NDArray[np.bool_],
    start: Floats,
    by_cell: csr_array,
    alike: float = 1.0,
) -> NodeRegressions:
    """Regress each of the ``usable`` (n,) bits on the others; rows and columns of the rest are NaN.

    Coefficients ``start`` (n, n) are those to start from, and ``by_cell`` (n_cells, n_words) is how
    often each word occurs in each cell of time. ``alike`` words tell as much as one independent
    word: all counts are divided by it.
    """
    n = words.n_dims
    X: Any = csr_array(words.X * usable, dtype=np.float64)
    counts = words.counts / alike
    counted_cells, waves = csr_array(by_cell / alike), slow_waves(by_cell.shape[0])
    coefficients, stderr = np.full((n, n), np.nan), np.full((n, n), np.nan)
    influence = np.zeros((n, len(waves), n), dtype=np.float32)
    converged = np.zeros(n, dtype=bool)
    nodes = np.flatnonzero(usable)
    # Threads of BLAS would change the last digits.
    with threadpool_limits(limits=1, user_api="blas"):
        for part in chunks(nodes.size, n * n, _BATCH_ENTRIES):
            batch = nodes[part]
            found, inverses, residuals, done = _solve(X, counts, batch, start[batch], usable)
            slow = waves @ node_block_scores(X, counted_cells, batch, residuals)
            influence[batch] = slow @ inverses
            coefficients[batch], converged[batch] = found, done
            stderr[batch] = np.sqrt(np.diagonal(inverses, axis1=1, axis2=2))
    for each in (coefficients, stderr):
        each[:, ~usable] = np.nan
    return NodeRegressions(coefficients, stderr, influence, converged)


def _solve(
    X: csr_array,
    counts: Floats,
    nodes: NDArray[np.intp],
    start: Floats,
    usable: NDArray[np.bool_],
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Coefficients, inverse informations, residuals, and whether the steps came to an end."""
    n = start.shape[1]
    found, inverses = np.clip(start * usable, -10.0, 10.0), np.zeros((nodes.size, n, n))
    scores, informations = np.empty((nodes.size, n)), np.empty((nodes.size, n, n))
    residuals = np.empty((nodes.size, counts.size))
    left_out = np.diag(np.where(usable, 0.0, 1.0))
    moved = np.full(nodes.size, np.inf)
    for k in range(_MOST_STEPS):
        node_scores(X, counts, nodes, found, inverses, scores, informations, residuals)
        inverses = _inverses(informations, left_out)
        if moved.max() < _TOLERANCE:
            break
        steps = np.einsum("inm,im->in", inverses, scores)
        moved = np.abs(steps).max(axis=1)
        share = np.minimum(1.0, _LONGEST_STEP / np.maximum(moved, 1e-300))
        found += steps * (share if k < _FULL_STEPS else 0.5 * share)[:, None]
    return found, inverses, residuals, moved < _TOLERANCE


def _inverses(lower: Floats, left_out: Floats) -> Floats:
    """Inverses of information matrices of which the lower half is given."""
    n = lower.shape[1]
    full = np.tril(lower) + np.tril(lower, -1).transpose(0, 2, 1) + left_out
    # Bits that determine each other leave the information singular: a ridge too small to matter
    # elsewhere makes their errors huge instead.
    full += 1e-9 * np.eye(n) * np.trace(full, axis1=1, axis2=2)[:, None, None] / n
    return np.asarray(np.linalg.inv(full), dtype=np.float64)
