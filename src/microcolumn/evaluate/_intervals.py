"""Intervals for couplings and biases of models of pairs, with false-discovery control over pairs.

Estimates are unpenalised logistic regressions of each bit on the others, with Firth's penalty
(1993); errors come from the slowest waves over time (docs/method.md, section 6).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from ..errors import BadInput
from ..formatting import counted
from ..kernels.loops.node_regressions import node_block_scores, node_scores
from ..models import PopulationModel
from ..objectives import pair_counts
from ..packing import packed
from ..validation import Floats, chunks, proper_share
from ..words import Words
from ..words_info import bit_names
from .estimates import Estimates, Intervals, corrected
from .inputs import words_for
from .time_errors import cell_table, cells_of, moderated, slow_waves

#: Coincidences, in independent words, that an interval for a coupling takes: so many to be expected
#: of independent units, or so many seen. The second is larger, since a choice by what was seen
#: favours pairs that met more often than they would again.
FEWEST_EXPECTED, FEWEST_SEEN = 3.0, 10.0
#: Pairs with this many coincidences say how alike neighbouring words are.
_TELLING = 20.0
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
    model: PopulationModel, words: Words | ArrayLike, *, level: float = 0.95
) -> Intervals:
    """Intervals for couplings and biases of a model of pairs, and which differ from zero.

    Estimates are unpenalised, so they differ from the model's own, shrunken values: they come from
    logistic regressions of each unit on all others with Firth's penalty, at any size. Errors come
    from the slowest waves over time and hold for slow activity. Coverage was measured on words of
    Ising models (docs/method.md, section 6), not where the model is wrong. Hidden units are judged
    by :func:`assemblies` instead.

    Parameters
    ----------
    model : PopulationModel
        A fitted Ising model, or a semi-restricted one without a live hidden unit.
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
    level, start = proper_share("level", level), _start(model)
    held = words_for(model, words, None)
    cells = cells_of(np.arange(held.n_bins), held.n_bins)
    by_cell = cell_table(held.index, cells, len(held), held.weights)
    constant = (held.rates <= 0.0) | (held.rates >= 1.0)
    copy_of = _copies(held)
    is_first = copy_of == np.arange(held.n_dims)
    copied = np.isin(copy_of, copy_of[~is_first]) & ~constant
    # Of equal bits the first stands for all in the estimates of the others.
    regressions = _coefficients(held, ~constant & is_first, start, by_cell)
    known, upper = ~(constant | copied), np.triu_indices(held.n_dims, 1)
    estimate, stderr = (
        np.where(known[:, None] & known, each, np.nan)
        for each in (regressions.estimate, regressions.stderr)
    )
    # A pair contributes 2 J to log p~.
    couplings = Estimates.of(0.5 * estimate[upper], 0.5 * stderr[upper], level, regressions.df)
    couplings, few = _with_limits(couplings, held, regressions.alike, upper)
    names = bit_names(held.units, held.window)
    notes = _notes(names, constant, copied)
    if by_cell.shape[0] < 2:
        notes.append("a single word: no errors")
    return Intervals(
        model=type(model).__name__,
        level=level,
        names=names,
        biases=Estimates.of(np.diagonal(estimate), np.diagonal(stderr), level, regressions.df),
        pairs=np.column_stack(upper).astype(np.int64),
        couplings=couplings,
        n_words=held.n_bins,
        alike=regressions.alike,
        notes=(*notes, *few),
    )


def _start(model: PopulationModel) -> Floats:
    """Coefficients (n_bits, n_bits) of a model of pairs, biases on the diagonal; others refused."""
    theta, remedy = model.parameters_, "take those of an Ising model"
    if theta.live.any():
        if not theta.is_gaussian:  # these stand for no group
            remedy = f"judge hidden units by assemblies; for couplings {remedy}"
        raise BadInput("weights of hidden units have no intervals", remedy)
    if theta.J is None or theta.v is not None:
        raise BadInput("intervals are those of a model of pairs alone", remedy)
    return 2.0 * theta.J + np.diag(theta.b)


def _notes(
    names: tuple[str, ...], constant: NDArray[np.bool_], copied: NDArray[np.bool_]
) -> list[str]:
    left_out = {
        "always silent or always active": constant,
        "equal to another or its opposite": copied,
    }
    return [
        f"{counted(int(which.sum()), 'unit')} {what}, without intervals: "
        + ", ".join(np.array(names)[which][:5])
        for what, which in left_out.items()
        if which.any()
    ]


class _Coefficients(NamedTuple):
    """Of both regressions of each pair together, (n_bits, n_bits), biases on the diagonal."""

    estimate: Floats
    stderr: Floats
    alike: float  # neighbouring words that tell as much as one
    df: float  # degrees of freedom of the errors


def _coefficients(
    words: Words, usable: NDArray[np.bool_], start: Floats, by_cell: csr_array
) -> _Coefficients:
    both, alike = pair_counts(words), 1.0
    for _ in range(2):
        regressions = node_regressions(words, usable, start, by_cell, alike)
        influence = 0.5 * (regressions.influence + regressions.influence.transpose(2, 1, 0))
        # The two estimates of a pair are all but equal: the mean error bounds that of the mean.
        by_model = (0.5 * (regressions.model_stderr + regressions.model_stderr.T)) ** 2
        telling = np.triu(both >= _TELLING, 1) & np.isfinite(by_model)
        slow = influence.transpose(1, 0, 2).astype(np.float64)
        variance, ratio, df = _moderated_variance(slow, by_model, telling)
        if alike > 1.0 or ratio == 1.0:
            break
        # Neighbouring words are alike: as many independent words would be fewer, and Firth's
        # half counts, which are of independent words, weigh more.
        alike = ratio
        start = np.where(np.isfinite(regressions.coefficients), regressions.coefficients, 0.0)
    estimate = 0.5 * (regressions.coefficients + regressions.coefficients.T)
    estimate[~regressions.converged], estimate[:, ~regressions.converged] = np.nan, np.nan
    return _Coefficients(estimate, np.sqrt(variance), alike, df)


def _moderated_variance(
    influence: Floats, by_model: Floats, telling: NDArray[np.bool_]
) -> tuple[Floats, float, float]:
    """Squared errors by slow waves, at least those of independent words.

    ``influence`` (n_waves, n, n) is what each wave adds to the estimates, ``by_model`` the squared
    errors if words were independent; ratios of ``telling`` parameters support each other. Also
    their median, 1 at least, and degrees of freedom, 0 where there is no wave.
    """
    if not len(influence):
        return by_model, 1.0, 0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.mean(influence**2, axis=0) / by_model
    ratios = np.where(np.isfinite(ratios), ratios, 0.0)
    ratios, df = moderated(ratios, telling, len(influence))
    alike = max(1.0, float(np.median(ratios[telling]))) if telling.any() else 1.0
    return by_model * np.maximum(ratios, 1.0), alike, df


def _with_limits(
    estimates: Estimates, words: Words, alike: float, upper: Any
) -> tuple[Estimates, list[str]]:
    """Open the intervals that have no limit, and drop those of pairs that hardly meet.

    Where one of the four cells of a pair's table is empty, the likelihood grows without end.
    """
    both, total = pair_counts(words), words.counts.sum()
    (first, second), both = np.diagonal(both)[np.array(upper)], both[upper]
    chance = first * second / total
    few = (chance / alike < FEWEST_EXPECTED) & (both / alike < FEWEST_SEEN)
    few &= np.isfinite(estimates.estimate)
    never = (both <= 0.0) | (total - first - second + both <= 0.0)
    always = (first - both <= 0.0) | (second - both <= 0.0)
    low = np.where(never & np.isfinite(estimates.low), -np.inf, estimates.low)
    high = np.where(always & np.isfinite(estimates.high), np.inf, estimates.high)
    columns = estimates.estimate, estimates.stderr, low, high, estimates.p_value
    estimate, stderr, low, high, p = (np.where(few, np.nan, each) for each in columns)
    notes = []
    if few.any():
        notes.append(
            f"{counted(int(few.sum()), 'pair')} with fewer than {FEWEST_EXPECTED:g} coincidences "
            f"by chance and {FEWEST_SEEN:g} seen, in independent words: no interval"
        )
    return Estimates(estimate, stderr, low, high, p, corrected(p)), notes


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
    waves: Floats | None = None,
) -> NodeRegressions:
    """Regress each of the ``usable`` (n,) bits on the others; rows and columns of the rest are NaN.

    Coefficients ``start`` (n, n) are those to start from, and ``by_cell`` (n_cells, n_words) is how
    often each word occurs in each cell of time. ``alike`` words tell as much as one independent
    word: all counts are divided by it. ``waves`` (n_waves, n_cells) take the place of the slowest.
    """
    n = words.n_dims
    X: Any = csr_array(words.X * usable, dtype=np.float64)
    counts = words.counts / alike
    counted_cells = csr_array(by_cell / alike)
    waves = slow_waves(by_cell.shape[0]) if waves is None else waves
    coefficients, stderr = np.full((n, n), np.nan), np.full((n, n), np.nan)
    influence = np.zeros((n, len(waves), n), dtype=np.float32)
    converged = np.zeros(n, dtype=bool)
    nodes = np.flatnonzero(usable)
    # Threads of BLAS would change the last digits.
    with threadpool_limits(limits=1, user_api="blas"):
        for part in chunks(nodes.size, n * n, _BATCH_ENTRIES):
            batch = nodes[part]
            solutions, inverses, residuals, done = _solve(X, counts, batch, start[batch], usable)
            slow = waves @ node_block_scores(X, counted_cells, batch, residuals)
            influence[batch] = slow @ inverses
            coefficients[batch], converged[batch] = solutions, done
            stderr[batch] = np.sqrt(np.diagonal(inverses, axis1=1, axis2=2))
    for each in (coefficients, stderr):
        each[:, ~usable] = np.nan
    return NodeRegressions(coefficients, stderr, influence, converged)


def _solve(
    X: csr_array, counts: Floats, nodes: NDArray[np.intp], start: Floats, usable: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Coefficients, inverse informations, residuals, and whether the steps came to an end."""
    n = start.shape[1]
    solutions, inverses = np.clip(start * usable, -10.0, 10.0), np.zeros((nodes.size, n, n))
    scores, informations = np.empty((nodes.size, n)), np.empty((nodes.size, n, n))
    residuals = np.empty((nodes.size, counts.size))
    left_out = np.diag(np.where(usable, 0.0, 1.0))
    moved = np.full(nodes.size, np.inf)
    for k in range(_MOST_STEPS):
        node_scores(X, counts, nodes, solutions, inverses, scores, informations, residuals)
        inverses = _inverses(informations, left_out)
        if moved.max() < _TOLERANCE:
            break
        steps = np.einsum("inm,im->in", inverses, scores)
        moved = np.abs(steps).max(axis=1)
        share = np.minimum(1.0, _LONGEST_STEP / np.maximum(moved, 1e-300))
        solutions += steps * (share if k < _FULL_STEPS else 0.5 * share)[:, None]
    return solutions, inverses, residuals, moved < _TOLERANCE


def _inverses(lower: Floats, left_out: Floats) -> Floats:
    n = lower.shape[1]
    full = np.tril(lower) + np.tril(lower, -1).transpose(0, 2, 1) + left_out
    # Bits that determine each other leave the information singular: a ridge too small to matter
    # elsewhere makes their errors huge instead.
    full += 1e-9 * np.eye(n) * np.trace(full, axis1=1, axis2=2)[:, None, None] / n
    return np.asarray(np.linalg.inv(full), dtype=np.float64)
