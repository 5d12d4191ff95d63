"""Estimates without penalty for what a penalised fit keeps, with their errors.

Weights and couplings that the fit set to zero stay zero. The others, and all biases, go to the
maximum of the likelihood next to the fit (:mod:`._likelihood_maximum`). Hidden units that resemble
each other make the likelihood far from quadratic, and errors that follow from its curvature then
too small; so the same is done for halves of the words, and errors grow to what the halves differ by.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ..formatting import counted
from ..parameters import Parameters
from ..partition._cost import operations
from ..validation import Bits, Floats, chunks
from ..words import Words
from ._likelihood_maximum import Layout, Likelihood, Maximum

#: More parameters, or multiply-adds of an exact sum over the states, would take minutes.
MOST_PARAMETERS, MOST_OPERATIONS = 800, 2.0**28
#: A hidden unit without penalty is still the fitted one if its weights correlate so much.
_SAME = 0.8
#: Steps for half the words, which start at the maximum of all.
_STEPS_OF_HALVES = 40
#: Halves may differ by this multiple of the errors' variance; beyond, there is no interval.
_MOST_EXCESS = 4.0


class LikelihoodEstimates(NamedTuple):
    """Estimates and standard errors in the form of the model's live parameters."""

    estimate: Parameters
    stderr: Parameters
    alike: float
    notes: tuple[str, ...]


def too_large(theta: Parameters) -> str:
    """Why there are no intervals for a model of this size; empty if there are."""
    live = theta.only_live()[0]
    n, zeros = live.n_visible, (0 if live.W is None else int(np.sum(live.W == 0.0)))
    size = n + live.n_hidden * (n + 1) - zeros
    size += 0 if live.J is None else int(np.count_nonzero(live.J)) // 2
    if size > MOST_PARAMETERS:
        return f"the model has {size:,} parameters and intervals take at most {MOST_PARAMETERS:,}"
    if operations(live) > MOST_OPERATIONS:
        return "the model has too many states for an exact sum, which intervals take"
    return ""


def likelihood_estimates(
    theta: Parameters,
    words: Words,
    usable: NDArray[np.bool_],
    always: NDArray[np.bool_],
    blocks: NDArray[np.int64],
) -> LikelihoodEstimates:
    """Go to the maximum of the likelihood next to ``theta``, whose hidden units are all live.

    ``usable`` bits take part; those ``always`` active are added to the biases. ``blocks``
    (n_bins,) is the number of the block of time of each bin.
    """
    if reason := too_large(theta):
        raise ValueError(f"{reason}; fit fewer hidden units or select units")
    small = _without_constants(theta, usable, always)
    layout = Layout(small, usable)
    start, X = layout.pack(small), words.X[:, usable]
    n_blocks = int(blocks[-1]) + 1
    # Threads of BLAS would change the last digits.
    with threadpool_limits(limits=1, user_api="blas"):
        found = Likelihood(layout, X, words.counts).maximum(start)
        listed = _BlockWords.of(words, blocks)
        influence = _block_influence(found, layout, X, listed)
        in_blocks = (influence**2).sum(axis=0) * n_blocks / max(n_blocks - 1, 1)
        by_model = np.diagonal(found.inverse) / words.counts.sum()
        alike = 1.0
        free = layout.free
        if n_blocks > 1 and free.any():
            alike = max(1.0, float(np.median(in_blocks[free] / by_model[free])))
        variance = np.maximum(in_blocks, by_model * alike)
        variance[~free] = np.nan
        excess = np.ones(layout.size)
        if n_blocks > 3 and layout.n_hidden and found.arrived:
            excess = _excess(layout, X, listed, found, variance)
    changed = _changed(layout, start, found.x)
    loose = np.flatnonzero(excess[layout.c] > _MOST_EXCESS)
    stderr = np.sqrt(np.where(excess > _MOST_EXCESS, np.nan, variance * excess))
    if not found.arrived:
        stderr[:] = np.nan
    for i in changed:
        stderr[layout.places(i)] = np.nan
    notes = _notes(layout, found.arrived, changed, np.setdiff1d(loose, changed))
    return LikelihoodEstimates(layout.unpack(found.x), layout.unpack(stderr), alike, notes)


def _notes(
    layout: Layout, arrived: bool, changed: NDArray[np.intp], loose: NDArray[np.intp]
) -> tuple[str, ...]:
    if not arrived:
        return ("no maximum of the likelihood was found near the fit: no intervals",)
    notes = []
    kept = int((~layout.free).sum())
    if kept:
        noun = counted(kept, "weight" if layout.upper is None else "weight or coupling")
        notes.append(
            f"{noun} that the penalty set to 0 without intervals; the others hold given that"
        )
    for units, what in (
        (changed, "without penalty becomes another"),
        (loose, "differs between halves of the words by more than its errors"),
    ):
        if units.size:
            names = ", ".join(str(i + 1) for i in units)
            notes.append(f"live hidden unit {names} {what}: no intervals")
    return tuple(notes)


class _BlockWords(NamedTuple):
    """Distinct words of each block of time with their weights, all of one shape."""

    block: NDArray[np.int64]
    word: NDArray[np.int64]
    weights: Floats

    @classmethod
    def of(cls, words: Words, blocks: NDArray[np.int64]) -> _BlockWords:
        keys, place = np.unique(blocks * len(words) + words.index, return_inverse=True)
        weights = np.bincount(place, weights=words.weights, minlength=keys.size)
        return cls(*np.divmod(keys, len(words)), weights)


def _block_influence(found: Maximum, layout: Layout, X: Bits, listed: _BlockWords) -> Floats:
    """What each block of time adds to the estimates, shape (n_blocks, size)."""
    sums = np.zeros((int(listed.block[-1]) + 1, layout.size))
    for part in chunks(listed.word.size, layout.size, 1 << 21):
        f = layout.features(found.x, X[listed.word[part]]) - found.mean
        np.add.at(sums, listed.block[part], f * listed.weights[part, None])
    influence: Floats = sums @ found.inverse / listed.weights.sum()
    return influence


def _excess(
    layout: Layout, X: Bits, listed: _BlockWords, found: Maximum, variance: Floats
) -> Floats:
    """Squared error by halves of the words over ``variance``, 1 at least, shape (size,).

    One number for each hidden unit, one for the visible biases, one for the couplings. Half the
    difference of the estimates of two halves has the error of the estimate of all.
    """
    squares = np.zeros(layout.size)
    ways = (listed.block, listed.block // 2)
    for way in ways:
        halves = []
        for half in (0, 1):
            chosen = way % 2 == half
            counts = np.bincount(
                listed.word[chosen], weights=listed.weights[chosen], minlength=len(X)
            )
            likelihood = Likelihood(layout, X, counts)
            halves.append(likelihood.climb(found.x, found.inverse, _STEPS_OF_HALVES)[0])
        squares += (0.5 * (halves[0] - halves[1])) ** 2 / len(ways)
    ratio, excess = squares / variance, np.ones(layout.size)
    groups = [np.arange(layout.size)[layout.b], np.arange(layout.size)[layout.J]]
    groups += [layout.places(i) for i in range(layout.n_hidden)]
    for group in groups:
        mine = ratio[group][layout.free[group]]
        if mine.size:
            excess[group] = max(1.0, float(mine.mean()))
    return excess


def _changed(layout: Layout, start: Floats, x: Floats) -> NDArray[np.intp]:
    """Hidden units whose weights at ``x`` do not resemble those at the start."""
    if not layout.n_hidden:
        return np.zeros(0, dtype=np.intp)
    before, after = (each[layout.W].reshape(layout.n, -1) for each in (start, x))
    norms = np.linalg.norm(before, axis=0) * np.linalg.norm(after, axis=0)
    cosines = (before * after).sum(axis=0) / np.maximum(norms, 1e-300)
    return np.flatnonzero(cosines < _SAME)


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
