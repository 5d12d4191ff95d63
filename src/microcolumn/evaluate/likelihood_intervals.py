"""Estimates without penalty for what a penalised fit keeps, with their errors.

Weights and couplings that the fit set to zero stay zero. The others, and all biases, go to the
maximum of the likelihood next to the fit (:mod:`._likelihood_maximum`). Errors that follow from its
curvature are too small: which hidden units a fit has, and which weights it keeps, is chance too,
and the likelihood is far from quadratic where hidden units resemble each other. So the model is
fitted anew to two halves of the words, and errors grow to what the halves' estimates differ by.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from threadpoolctl import threadpool_limits

from ..errors import BadInput
from ..layout import Layout
from ..parameters import Parameters
from ..partition.cost import EXACT_INTERVALS, operations
from ..validation import Floats, chunks
from ..words import Words
from ._likelihood_maximum import Estimated, Likelihood, Maximum
from .recurrence import SAME

#: More parameters would take minutes.
MOST_PARAMETERS = 800
#: A hidden unit without penalty is still the fitted one if its weights correlate so much.
_STILL = 0.8


class LikelihoodEstimates(NamedTuple):
    """Estimates and standard errors in the form of the model's live parameters."""

    estimate: Parameters
    stderr: Parameters
    alike: float
    notes: tuple[str, ...]


def too_large(theta: Parameters) -> str:
    """Why there are no intervals for a model of this size; empty if there are."""
    if theta.is_gaussian:
        return "weights of Gaussian hidden units can be rotated into each other"
    live = theta.drop_dead_units()[0]
    n, zeros = live.n_visible, (0 if live.W is None else int(np.sum(live.W == 0.0)))
    size = n + live.n_hidden * (n + 1) - zeros
    size += 0 if live.J is None else int(np.count_nonzero(live.J)) // 2
    if size > MOST_PARAMETERS:
        return f"the model has {size:,} parameters and intervals take at most {MOST_PARAMETERS:,}"
    if operations(live) > EXACT_INTERVALS:
        return "the model has too many states for an exact sum, which intervals take"
    return ""


def likelihood_estimates(
    theta: Parameters,
    words: Words,
    usable: NDArray[np.bool_],
    always: NDArray[np.bool_],
    blocks: NDArray[np.int64],
    halves: Sequence[tuple[Parameters, Words]] = (),
) -> LikelihoodEstimates:
    """Go to the maximum of the likelihood next to ``theta``, whose hidden units are all live.

    ``usable`` bits take part; those ``always`` active are added to the biases. ``blocks``
    (n_bins,) is the number of the block of time of each bin. ``halves`` are two halves of the
    words, each with a fit of its own.
    """
    if reason := too_large(theta):
        raise BadInput(reason, "fit fewer hidden units or select units")
    # Threads of BLAS would change the last digits.
    with threadpool_limits(limits=1, user_api="blas"):
        estimated, start, found = _estimate(theta, words, usable, always)
        layout = estimated.layout
        variance, alike = _variance(estimated, found, words, blocks)
        again = [_matched(layout, start, *half, usable, always) for half in halves]
    if again:
        variance *= _excess(estimated, found.x, np.array([x for x, _ in again]), variance)
    variance[~estimated.free] = np.nan
    changed = _cosines(layout, start, found.x) < _STILL
    lost = np.zeros(layout.n_hidden, dtype=bool)
    for _, similarity in again:
        lost |= similarity < SAME
    for i in np.flatnonzero(changed | lost).tolist():
        variance[layout.of_hidden(i)] = np.nan
    if lost.any():
        # Biases make up for hidden units that are there by chance.
        variance[layout.fields] = np.nan
    if not found.arrived:
        variance[:] = np.nan
    notes = _notes(estimated, found.arrived, changed & ~lost, lost)
    stderr = estimated.unpack(np.sqrt(variance))
    return LikelihoodEstimates(estimated.unpack(found.x), stderr, alike, notes)


def _estimate(
    theta: Parameters, words: Words, usable: NDArray[np.bool_], always: NDArray[np.bool_]
) -> tuple[Estimated, Floats, Maximum]:
    """Which parameters there are, the fit as a vector, and the maximum next to it."""
    small = _without_constants(theta, usable, always)
    estimated = Estimated.of(small, usable)
    start = estimated.layout.pack(small)
    likelihood = Likelihood(estimated, words.X[:, usable], words.counts)
    return estimated, start, likelihood.maximum(start)


def _variance(
    estimated: Estimated, found: Maximum, words: Words, blocks: NDArray[np.int64]
) -> tuple[Floats, float]:
    """Squared errors by blocks of time, at least those of independent words, and their ratio."""
    influence = _block_influence(found, estimated, words, blocks)
    n_blocks, free = influence.shape[0], estimated.free
    in_blocks = (influence**2).sum(axis=0) * n_blocks / max(n_blocks - 1, 1)
    by_model = np.diagonal(found.inverse) / words.counts.sum()
    alike = 1.0
    if n_blocks > 1 and free.any():
        alike = max(1.0, float(np.median(in_blocks[free] / by_model[free])))
    return np.maximum(in_blocks, by_model * alike), alike


def _notes(
    estimated: Estimated, arrived: bool, changed: NDArray[np.bool_], lost: NDArray[np.bool_]
) -> tuple[str, ...]:
    if not arrived:
        return ("no maximum of the likelihood was found near the fit: no intervals",)
    notes = []
    kept = int((~estimated.free).sum())
    if kept:
        noun = "weights and couplings" if estimated.layout.coupled else "weights"
        notes.append(
            f"set to 0 by the penalty, without intervals: {kept:,} {noun}; "
            "the others hold given that"
        )
    for units, what in (
        (lost, "not found again in both halves of the words"),
        (changed, "turning into another without penalty"),
    ):
        if units.any():
            names = ", ".join(str(i + 1) for i in np.flatnonzero(units))
            notes.append(f"live hidden units {what}, without intervals: {names}")
    if lost.any():
        notes.append("visible biases make up for these hidden units: no intervals")
    return tuple(notes)


def _matched(
    layout: Layout,
    start: Floats,
    theta: Parameters,
    words: Words,
    usable: NDArray[np.bool_],
    always: NDArray[np.bool_],
) -> tuple[Floats, Floats]:
    """Estimates next to another fit, what it lacks 0, and how similar its hidden units are.

    Hidden units are paired by the weights of the two fits, so that the cosines add up to the most.
    """
    again, similarity = np.zeros(layout.size), np.zeros(layout.n_hidden)
    theta = theta.drop_dead_units()[0]
    if too_large(theta):
        return again, similarity
    estimated, other_start, found = _estimate(theta, words, usable, always)
    other = estimated.layout
    again[layout.fields] = found.x[other.fields]
    if layout.coupled and other.coupled:
        again[layout.couplings] = found.x[other.couplings]
    if layout.n_hidden and other.n_hidden:
        first, second = layout.weights_of(start), other.weights_of(other_start)
        norms = np.outer(np.linalg.norm(first, axis=0), np.linalg.norm(second, axis=0))
        cosines = first.T @ second / np.maximum(norms, 1e-300)
        mine, partners = linear_sum_assignment(-cosines)
        similarity[mine] = cosines[mine, partners]
        for i, j in zip(mine.tolist(), partners.tolist(), strict=True):
            again[layout.of_hidden(i)] = found.x[other.of_hidden(j)]
    return again, similarity


def _excess(estimated: Estimated, x: Floats, again: Floats, variance: Floats) -> Floats:
    """Squared difference to the estimates of halves over ``variance``, 1 at least, shape (size,).

    One number for each hidden unit, one for the visible biases, one for the couplings. If halves
    differ by chance alone, each differs from the estimate of all words by the error of the latter.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = ((again - x) ** 2).mean(axis=0) / variance
    layout = estimated.layout
    every, excess = np.arange(layout.size), np.ones(layout.size)
    groups = [every[layout.fields], every[layout.couplings]]
    groups += [layout.of_hidden(i) for i in range(layout.n_hidden)]
    for group in groups:
        mine = ratio[group][estimated.free[group]]
        if mine.size:
            excess[group] = max(1.0, float(mine.mean()))
    return excess


def _cosines(layout: Layout, start: Floats, x: Floats) -> Floats:
    """Between the weights of each hidden unit at the start and at ``x``, shape (n_hidden,)."""
    before, after = layout.weights_of(start), layout.weights_of(x)
    norms = np.linalg.norm(before, axis=0) * np.linalg.norm(after, axis=0)
    cosines: Floats = (before * after).sum(axis=0) / np.maximum(norms, 1e-300)
    return cosines


def _block_influence(
    found: Maximum, estimated: Estimated, words: Words, blocks: NDArray[np.int64]
) -> Floats:
    """What each block of time adds to the estimates, shape (n_blocks, size)."""
    layout, X = estimated.layout, words.X[:, estimated.usable]
    theta = layout.unpack(found.x)
    keys, place = np.unique(blocks * len(words) + words.index, return_inverse=True)
    weights = np.bincount(place, weights=words.weights, minlength=keys.size)
    block, word = np.divmod(keys, len(words))
    sums = np.zeros((int(blocks[-1]) + 1, layout.size))
    for part in chunks(keys.size, layout.size, 1 << 21):
        f = layout.design(theta, X[word[part]]) - found.mean
        np.add.at(sums, block[part], f * weights[part, None])
    influence: Floats = sums @ found.inverse / words.counts.sum()
    return influence


def _without_constants(
    theta: Parameters, usable: NDArray[np.bool_], always: NDArray[np.bool_]
) -> Parameters:
    """The model of the usable bits, given that others are constant."""
    b = theta.b[usable]
    J, W, c = theta.J, theta.W, theta.c
    if J is not None:
        b = b + 2.0 * J[np.ix_(usable, always)].sum(axis=1)
        J = J[np.ix_(usable, usable)]
    if W is not None and c is not None:
        W, c = W[usable], c + W[always].sum(axis=0)
    return Parameters.trusted(b, J, W, c)
