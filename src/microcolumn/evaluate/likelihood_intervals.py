"""Estimates without penalty for what a penalised fit keeps, with their errors.

Weights and couplings that the fit set to zero stay zero. The others, and all biases, go to the
maximum of the likelihood next to the fit. The mean of log p over the words has the gradient
E_data[f] - E_model[f], where f = d log p~ / d theta. The information is Cov_model[f], from words
that the model draws, or all words of a few bits: unlike minus the second derivative it is never
negative, so that steps lead upwards from anywhere.

Errors that follow from the curvature are too small: which hidden units a fit has, and which weights
it keeps, is chance too, and the likelihood is far from quadratic where hidden units resemble each
other. So the model is fitted anew to two halves of the words, and errors grow to what the halves'
estimates differ by.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment, minimize
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from ..errors import BadInput
from ..layout import Layout
from ..objectives import NegativeLogLikelihood
from ..parameters import Parameters
from ..partition import exact_samples
from ..partition.cost import EXACT_INTERVALS, operations
from ..validation import Bits, Floats, chunks
from ..words import Words
from ._model_words import all_words
from .recurrence import SAME, unit_length
from .time_errors import moderated, slow_waves

#: More parameters would take minutes.
MOST_PARAMETERS = 800
#: A hidden unit without penalty is still the fitted one if its weights correlate so much.
_STILL = 0.8
#: Words of so many bits are all taken; of longer ones so many are drawn.
_MOST_BITS_OF_ALL, _DRAWS = 12, 1 << 18
#: Standard deviation (nats) of a weak normal prior on weights, couplings and hidden biases, which
#: keeps what the words do not determine in reach; its error is then too large for an interval.
_PRIOR_SD = 5.0
#: Smallest curvature, of the information with 1 on its diagonal, that counts as one.
_FLAT = 1e-6
#: Steps aim at a slope of this many standard errors, and have arrived below the second number.
_AIM, _ARRIVED = 0.02, 0.3
#: Steps between two computations of the information, and how often that is done.
_STEPS, _ROUNDS = 60, 3


class LikelihoodEstimates(NamedTuple):
    """Estimates and standard errors in the form of the model's live parameters."""

    estimate: Parameters
    stderr: Parameters
    alike: float  # neighbouring words that tell as much as one
    df: float  # degrees of freedom of the errors
    notes: tuple[str, ...]


def too_large(theta: Parameters) -> str:
    """Why there are no intervals for a model of this size; empty if there are."""
    if theta.is_gaussian:
        return "weights of Gaussian hidden units can be rotated into each other"
    live = theta.drop_dead_units()[0]
    size = live.n_visible + live.n_hidden
    size += 0 if live.W is None else int(np.count_nonzero(live.W))
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
    by_cell: csr_array,
    halves: Sequence[tuple[Parameters, Words]] = (),
) -> LikelihoodEstimates:
    """Go to the maximum of the likelihood next to ``theta``, whose hidden units are all live.

    ``usable`` bits take part; those ``always`` active are added to the biases. ``by_cell``
    (n_cells, n_words) is how often each word occurs in each cell of time. ``halves`` are two halves
    of the words, each with a fit of its own.
    """
    if reason := too_large(theta):
        raise BadInput(reason, "fit fewer hidden units or select units")
    # Threads of BLAS would change the last digits.
    with threadpool_limits(limits=1, user_api="blas"):
        likelihood = _likelihood(theta, words, usable, always)
        layout, found = likelihood.layout, likelihood.maximum()
        variance, alike, df = _variance(likelihood, found, by_cell)
        again = [_matched(likelihood, *half, usable, always) for half in halves]
    if again:
        variance *= _excess(likelihood, found.x, np.array([x for x, _ in again]), variance)
    variance[~likelihood.free] = np.nan
    before, after = (unit_length(layout.weights_of(x)) for x in (likelihood.start, found.x))
    changed = (before * after).sum(axis=0) < _STILL
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
    notes = _notes(likelihood, found.arrived, changed & ~lost, lost)
    every = Layout.of(theta, ~usable)
    parts = every.unpack(found.x), every.unpack(np.sqrt(variance))
    return LikelihoodEstimates(*parts, alike, df, notes)


def _likelihood(
    theta: Parameters, words: Words, usable: NDArray[np.bool_], always: NDArray[np.bool_]
) -> Likelihood:
    """That of the usable bits, given that others are constant."""
    b = theta.b[usable]
    J, W, c = theta.J, theta.W, theta.c
    if J is not None:
        b = b + 2.0 * J[np.ix_(usable, always)].sum(axis=1)
        J = J[np.ix_(usable, usable)]
    if W is not None and c is not None:
        W, c = W[usable], c + W[always].sum(axis=0)
    return Likelihood(Parameters.trusted(b, J, W, c), words.X[:, usable], words.counts)


def _variance(
    likelihood: Likelihood, found: Maximum, by_cell: csr_array
) -> tuple[Floats, float, float]:
    """Squared errors, how alike neighbouring words are, and degrees of freedom."""
    layout, waves = likelihood.layout, slow_waves(by_cell.shape[0])
    theta, sums = layout.unpack(found.x), np.zeros((len(waves), layout.size))
    for part in chunks(len(likelihood.X), layout.size, 1 << 21):
        design = layout.design(theta, likelihood.X[part]) - found.mean
        sums += waves @ (by_cell[:, part] @ design)
    influence = sums @ found.inverse / likelihood.n_words
    by_model = np.diagonal(found.inverse) / likelihood.n_words
    return moderated_variance(influence, by_model, likelihood.free)


def moderated_variance(
    influence: Floats, by_model: Floats, telling: NDArray[np.bool_]
) -> tuple[Floats, float, float]:
    """Squared errors by slow waves, at least those of independent words.

    ``influence`` (n_waves, ...) is what each wave adds to the estimates, ``by_model`` the squared
    errors if words were independent. Their ratios are alike where the words' own slowness makes
    them, so that those of ``telling`` parameters support each other. Also the median of the ratios,
    1 at least, and degrees of freedom, 0 where there is no wave.
    """
    if not len(influence):
        return by_model, 1.0, 0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.mean(influence**2, axis=0) / by_model
    ratios = np.where(np.isfinite(ratios), ratios, 0.0)
    ratios, df = moderated(ratios, telling, len(influence))
    alike = max(1.0, float(np.median(ratios[telling]))) if telling.any() else 1.0
    return by_model * np.maximum(ratios, 1.0), alike, df


def _notes(
    likelihood: Likelihood, arrived: bool, changed: NDArray[np.bool_], lost: NDArray[np.bool_]
) -> tuple[str, ...]:
    if not arrived:
        return ("no maximum of the likelihood was found near the fit: no intervals",)
    kept = int((~likelihood.free).sum())
    noun = "weights and couplings" if likelihood.layout.coupled else "weights"
    again, others = (
        ", ".join(str(i + 1) for i in np.flatnonzero(units)) for units in (lost, changed)
    )
    hidden = "live hidden units {}, without intervals: {}"
    notes = {
        f"set to 0 by the penalty, without intervals: {kept:,} {noun}; the others hold given "
        "that": kept,
        hidden.format("not found again in both halves of the words", again): again,
        hidden.format("turning into another without penalty", others): others,
        "visible biases make up for these hidden units: no intervals": again,
    }
    return tuple(note for note, applies in notes.items() if applies)


def _matched(
    likelihood: Likelihood,
    theta: Parameters,
    words: Words,
    usable: NDArray[np.bool_],
    always: NDArray[np.bool_],
) -> tuple[Floats, Floats]:
    """Estimates next to another fit, what it lacks 0, and how similar its hidden units are.

    Hidden units are paired by the weights of the two fits, so that the cosines add up to the most.
    """
    layout = likelihood.layout
    again, similarity = np.zeros(layout.size), np.zeros(layout.n_hidden)
    theta = theta.drop_dead_units()[0]
    if too_large(theta):
        return again, similarity
    other = _likelihood(theta, words, usable, always)
    x, there = other.maximum().x, other.layout
    again[layout.fields] = x[there.fields]
    if layout.coupled and there.coupled:
        again[layout.couplings] = x[there.couplings]
    first, second = (
        unit_length(each.layout.weights_of(each.start)) for each in (likelihood, other)
    )
    cosines = first.T @ second
    mine, partners = linear_sum_assignment(-cosines)
    similarity[mine] = cosines[mine, partners]
    for i, j in zip(mine.tolist(), partners.tolist(), strict=True):
        again[layout.of_hidden(i)] = x[there.of_hidden(j)]
    return again, similarity


def _excess(likelihood: Likelihood, x: Floats, again: Floats, variance: Floats) -> Floats:
    """Squared difference to the estimates of halves over ``variance``, 1 at least, shape (size,).

    One number for each hidden unit, one for the visible biases, one for the couplings. If halves
    differ by chance alone, each differs from the estimate of all words by the error of the latter.
    """
    layout, free = likelihood.layout, likelihood.free
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = ((again - x) ** 2).mean(axis=0) / variance
    every, excess = np.arange(layout.size), np.ones(layout.size)
    hidden = [layout.of_hidden(i) for i in range(layout.n_hidden)]
    for group in (every[layout.fields], every[layout.couplings], *hidden):
        if free[group].any():
            excess[group] = max(1.0, float(ratio[group][free[group]].mean()))
    return excess


class Maximum(NamedTuple):
    """Where the likelihood is largest."""

    x: Floats
    inverse: Floats  # of the information of one word
    mean: Floats  # E_model[f]
    arrived: bool  # whether the steps came to an end


class Likelihood:
    """Mean log likelihood of words, with a weak prior, as a function of the free parameters.

    Free are all biases, and what the fit ``theta`` did not set to zero. ``X`` (n_distinct, n) are
    the words, which occur ``counts`` (n_distinct,) times.
    """

    def __init__(self, theta: Parameters, X: Bits, counts: Floats) -> None:
        self.X, self.layout = X, (layout := Layout.of(theta))
        self.start, self.n_words = layout.pack(theta), float(counts.sum())
        self.free = self.start != 0.0
        self.free[layout.fields] = self.free[layout.hidden_biases] = True
        seen = counts > 0.0
        self._objective = NegativeLogLikelihood(
            Words.from_array(X[seen], sample_weight=counts[seen])
        )
        # A pair adds twice its coupling to log p~, and that is what the prior is of.
        self._prior = layout.multiplicity**2 / (_PRIOR_SD**2 * self.n_words)
        self._prior[layout.fields] = 0.0

    def __call__(self, x: Floats) -> tuple[float, Floats]:
        """Minus the value and its slope, nats per word."""
        value, gradient = self._objective(self.layout.unpack(x))
        slope = self.layout.pack_gradient(gradient) + self._prior * x
        return value + 0.5 * float(self._prior @ x**2), slope

    def information(self, x: Floats) -> tuple[Floats, Floats]:
        """Inverse information (0 for what is not free) and the model's E[f]."""
        layout = self.layout
        mean, second = np.zeros(layout.size), np.zeros((layout.size, layout.size))
        theta = layout.unpack(x)
        X, share = _words_of(theta)
        for part in chunks(len(X), layout.size, 1 << 21):
            f = layout.design(theta, X[part])
            mean += share[part] @ f
            second += (f * share[part, None]).T @ f
        found = second - np.outer(mean, mean) + np.diag(self._prior)
        free = np.ix_(self.free, self.free)
        inverse = np.zeros_like(found)
        inverse[free] = _inverse(found[free])
        return inverse, mean

    def climb(self, x: Floats, inverse: Floats) -> tuple[Floats, float]:
        """Steps upwards by L-BFGS, and the largest slope that is left, in standard errors.

        Coordinates are such that the errors are 1 and independent where ``inverse`` holds.
        """
        free = self.free
        root = np.linalg.cholesky(inverse[np.ix_(free, free)]) / np.sqrt(self.n_words)

        def moved(u: Floats) -> Floats:
            there = x.copy()
            there[free] += root @ u
            return there

        def value(u: Floats) -> tuple[float, Floats]:
            minus, slope = self(moved(u))
            return self.n_words * minus, self.n_words * (root.T @ slope[free])

        found = minimize(
            value,
            np.zeros(int(free.sum())),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _STEPS, "gtol": _AIM, "ftol": 1e-15, "maxcor": 30},
        )
        return moved(found.x), float(np.max(np.abs(found.jac), initial=0.0))

    def maximum(self) -> Maximum:
        """The maximum next to the fit."""
        x, left = self.start, np.inf
        inverse, mean = self.information(x)
        for _ in range(_ROUNDS):
            x, left = self.climb(x, inverse)
            inverse, mean = self.information(x)
            if left < _ARRIVED:
                break
        return Maximum(x, inverse, mean, left < _ARRIVED)


def _words_of(theta: Parameters) -> tuple[Bits, Floats]:
    """Words of the model and the share of each: all if they are few, else some that it draws."""
    if theta.n_visible <= _MOST_BITS_OF_ALL:
        every, log_p = all_words(theta)
        return every.astype(np.uint8), np.exp(log_p)
    found = Words.from_array(exact_samples(theta, _DRAWS, np.random.default_rng(0)))
    return found.X, found.counts / found.counts.sum()


def _inverse(information: Floats) -> Floats:
    """Inverse of the information, with so little curvature at least in any direction.

    Errors along directions that have less are too large for an interval.
    """
    scale = np.sqrt(np.maximum(np.diagonal(information), 1e-300))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    scaled = vectors / np.maximum(values, _FLAT) @ vectors.T
    return np.asarray(scaled / np.outer(scale, scale), dtype=np.float64)
