"""Unpenalised estimates next to a fit by Newton's steps on the likelihood, with their errors.

The mean of log p over the words has the gradient E_data[f] - E_model[f], where f = d log p~ / d
theta, and minus its second derivative is Cov_model[f] + E_model[f'] - E_data[f']. Expectations of f
are exact where a sum over states is quick; the covariance comes from all words of a few bits, or
from words drawn from the model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp
from threadpoolctl import threadpool_limits

from ..energy import log_weight
from ..parameters import Parameters
from ..partition import can_sample_exactly, exact_expectations, exact_samples, gibbs_samples
from ..partition._cost import operations
from ..partition._enumeration import states
from ..validation import Bits, Floats, chunks
from ..words import Words

#: More parameters would take minutes.
MOST_PARAMETERS = 800
#: Words of so many bits are all taken.
_MOST_BITS_OF_ALL = 12
#: Words drawn from the model; up to this many operations expectations are summed exactly.
_DRAWS, _EXACT_OPERATIONS = 1 << 18, 2.0**29
#: Steps at most; they end when no parameter moves by more than this share of its error.
_MOST_STEPS, _TOLERANCE = 20, 0.02
#: Standard deviation (nats) of a weak normal prior on weights, couplings and hidden biases, which
#: keeps what the words do not determine in reach; its error is then too large for an interval.
_PRIOR_SD = 5.0
#: Longest step of one parameter, nats, and the first damping.
_LONGEST_STEP, _DAMPING = 1.0, 1e-2
#: Smallest curvature, of the information with 1 on its diagonal, that counts as one.
_FLAT = 1e-6
#: A hidden unit without penalty is still the fitted one if its weights correlate so much.
_SAME = 0.8


class LikelihoodEstimates(NamedTuple):
    """Estimates and standard errors in the form of the model's live parameters."""

    estimate: Parameters
    stderr: Parameters
    alike: float
    notes: tuple[str, ...]


def n_parameters(theta: Parameters) -> int:
    """Parameters that the estimates of a model have at most: all but those of dead hidden units."""
    n, live = theta.n_visible, int(theta.live.sum())
    return n + live * (n + 1) + (n * (n - 1) // 2 if theta.J is not None else 0)


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
    layout = _Layout(theta, usable)
    if layout.size > MOST_PARAMETERS:
        raise ValueError(
            f"the model has {layout.size:,} parameters and intervals take at most "
            f"{MOST_PARAMETERS:,}; fit fewer hidden units or select units"
        )
    X = words.X[:, usable]
    share = words.counts / words.counts.sum()
    start = layout.pack(_without_constants(theta, usable, always))
    alike = 1.0
    with threadpool_limits(limits=1, user_api="blas"):
        here, converged = _climb(layout, start, X, share, float(words.counts.sum()))
        influence = _block_influence(here, layout, X, words, blocks)
    n_blocks = influence.shape[0]
    in_blocks = (influence**2).sum(axis=0) * n_blocks / max(n_blocks - 1, 1)
    by_model = np.diagonal(here.inverse) / words.counts.sum()
    x = here.x
    if n_blocks > 1 and x.size:
        alike = max(1.0, float(np.median(in_blocks / by_model)))
    variance = np.maximum(in_blocks, by_model * alike) * (1.0 + here.noise**2)
    notes = []
    if not converged:
        notes.append("no maximum of the likelihood was found near the fit: no intervals")
        variance[:] = np.nan
    elif here.flat:
        notes.append(
            f"{here.flat} directions of the parameters are not determined by the words; "
            "parameters with an error above 3 nats have no interval"
        )
    stderr = np.sqrt(variance)
    changed = _changed(layout, start, x)
    if changed.size:
        names = ", ".join(str(i + 1) for i in changed)
        notes.append(f"without penalty, live hidden unit {names} becomes another: no intervals")
        for i in changed:
            stderr[layout.places(i)] = np.nan
    return LikelihoodEstimates(layout.unpack(x), layout.unpack(stderr), alike, tuple(notes))


def _climb(
    layout: _Layout, x: Floats, X: Bits, share: Floats, n_words: float
) -> tuple[_Point, bool]:
    """The maximum next to ``x`` by Newton's steps, damped as Levenberg and Marquardt do."""
    here, damping = _Point(layout, x, X, share, n_words), _DAMPING
    for _ in range(_MOST_STEPS):
        stderr = np.sqrt(np.diagonal(here.inverse) / n_words)
        full = here.inverse @ here.slope
        if np.max(np.abs(full) / stderr, initial=0.0) < _TOLERANCE + here.noise:
            return here, True
        step = here.step(damping)
        step *= min(1.0, _LONGEST_STEP / np.abs(step).max())
        there = _Point(layout, here.x + step, X, share, n_words)
        if there.value >= here.value or here.noise:
            here, damping = there, 0.1 * damping
        else:
            damping = max(10.0 * damping, 1e-4)
    return here, False


class _Layout:
    """Parameters of the usable bits as one vector: b, 2 J of pairs, W, c."""

    def __init__(self, theta: Parameters, usable: NDArray[np.bool_]) -> None:
        self.usable, self.n, self.n_hidden = usable, int(usable.sum()), theta.n_hidden
        self.upper = np.triu_indices(self.n, 1) if theta.J is not None else None
        n_pairs = 0 if self.upper is None else self.upper[0].size
        ends = np.cumsum([self.n, n_pairs, self.n * self.n_hidden, self.n_hidden])
        self.size = int(ends[-1])
        self.b, self.J, self.W, self.c = (
            slice(int(end) - size, int(end))
            for end, size in zip(
                ends, (self.n, n_pairs, self.n * self.n_hidden, self.n_hidden), strict=True
            )
        )

    def pack(self, theta: Parameters) -> Floats:
        parts = [theta.b]
        if theta.J is not None and self.upper is not None:
            parts.append(2.0 * theta.J[self.upper])
        if theta.W is not None and theta.c is not None:
            parts += [theta.W.ravel(), theta.c]
        return np.concatenate(parts)

    def small(self, x: Floats) -> Parameters:
        """Parameters of the usable bits alone."""
        J = W = c = None
        if self.upper is not None:
            J = np.zeros((self.n, self.n))
            J[self.upper] = 0.5 * x[self.J]
            J += J.T
        if self.n_hidden:
            W, c = x[self.W].reshape(self.n, self.n_hidden), x[self.c]
        return Parameters.trusted(x[self.b], J, W, c)

    def unpack(self, x: Floats) -> Parameters:
        """Parameters of all bits, NaN for those that take no part."""
        small, total = self.small(x), self.usable.size
        b, J, W = np.full(total, np.nan), None, None
        b[self.usable] = small.b
        if small.J is not None:
            J = np.full((total, total), np.nan)
            J[np.ix_(self.usable, self.usable)] = small.J
        if small.W is not None:
            W = np.full((total, self.n_hidden), np.nan)
            W[self.usable] = small.W
        return Parameters.trusted(b, J, W, small.c)

    def places(self, i: int) -> NDArray[np.int64]:
        """Where the weights and the bias of hidden unit ``i`` are."""
        weights = self.W.start + np.arange(self.n) * self.n_hidden + i
        return np.append(weights, self.c.start + i)

    def features(self, x: Floats, X: Bits) -> Floats:
        """Derivatives of log p~ by the parameters for some words, shape (n_words, size)."""
        bits = X.astype(np.float64)
        out = np.empty((len(X), self.size))
        out[:, self.b] = bits
        if self.upper is not None:
            out[:, self.J] = bits[:, self.upper[0]] * bits[:, self.upper[1]]
        if self.n_hidden:
            on = expit(x[self.c] + bits @ x[self.W].reshape(self.n, self.n_hidden))
            out[:, self.W] = (bits[:, :, None] * on[:, None, :]).reshape(len(X), -1)
            out[:, self.c] = on
        return out


class _Point:
    """Slope and inverse information of the mean log likelihood at one vector of parameters."""

    def __init__(self, layout: _Layout, x: Floats, X: Bits, share: Floats, n_words: float) -> None:
        self.x, self.n_words = x, float(n_words)
        theta = layout.small(x)
        drawn, of_draws = _draws(theta, X, share)
        mean, second = _moments(layout, x, X, share, curvature=True, square=False)
        model_mean, model_second = _moments(layout, x, drawn, of_draws, curvature=True, square=True)
        self.noise = 0.0
        log_z = np.nan
        if operations(theta) <= _EXACT_OPERATIONS:
            log_z, model_mean_used = _expectations(layout, theta)
        else:
            model_mean_used = model_mean
            self.noise = float(np.sqrt(n_words / _DRAWS))
        self.mean = model_mean_used
        information = model_second - np.outer(model_mean, model_mean) - second
        prior = np.zeros(layout.size)
        prior[layout.n :] = 1.0 / (_PRIOR_SD**2 * self.n_words)
        self.slope = mean - model_mean_used - prior * x
        self.value = float(share @ log_weight(theta, X)) - log_z - 0.5 * float(prior @ x**2)
        self.information = information + np.diag(prior)
        self.inverse, self.flat = _inverse(self.information)

    def step(self, damping: float) -> Floats:
        """Newton's step with so much added to the scaled information, 1 on its diagonal."""
        return _inverse(self.information, damping)[0] @ self.slope


def _draws(theta: Parameters, X: Bits, share: Floats) -> tuple[Bits, Floats]:
    """Words of the model and the share of each: all if they are few, else some that it draws."""
    if theta.n_visible <= _MOST_BITS_OF_ALL:
        every = states(theta.n_visible)
        log_p = log_weight(theta, every)
        return every.astype(np.uint8), np.exp(log_p - logsumexp(log_p))
    rng = np.random.default_rng(0)
    if can_sample_exactly(theta):
        words = exact_samples(theta, _DRAWS, rng)
    else:
        start = X[rng.choice(len(X), size=512, p=share)]
        words = gibbs_samples(theta, _DRAWS, n_sweeps=200, initial=start, random_state=rng)
    found = Words.from_array(words)
    return found.X, found.counts / found.counts.sum()


def _moments(
    layout: _Layout, x: Floats, X: Bits, share: Floats, *, curvature: bool, square: bool
) -> tuple[Floats, Floats]:
    """E[f], and E[f f'] + E[f'] where ``square``, else E[f'] alone; f' is of hidden units."""
    mean, second = np.zeros(layout.size), np.zeros((layout.size, layout.size))
    for part in chunks(len(X), layout.size, 1 << 21):
        f = layout.features(x, X[part])
        mean += share[part] @ f
        if square:
            second += (f * share[part, None]).T @ f
        if layout.n_hidden and curvature:
            _add_curvature(layout, f, X[part], share[part], second)
    return mean, second


def _add_curvature(layout: _Layout, f: Floats, X: Bits, share: Floats, second: Floats) -> None:
    on = f[:, layout.c]
    with_one = np.column_stack([X, np.ones(len(X))])
    for i in range(layout.n_hidden):
        places = layout.places(i)
        slope = share * on[:, i] * (1.0 - on[:, i])
        second[np.ix_(places, places)] += (with_one * slope[:, None]).T @ with_one


def _expectations(layout: _Layout, theta: Parameters) -> tuple[float, Floats]:
    log_z, found = exact_expectations(theta)
    parts = [found.b]
    if layout.upper is not None and found.J is not None:
        parts.append(found.J[layout.upper])
    if found.W is not None and found.c is not None:
        parts += [found.W.ravel(), found.c]
    return log_z, np.concatenate(parts)


def _inverse(information: Floats, damping: float = 0.0) -> tuple[Floats, int]:
    """Inverse of the information, and in how many directions it is not positive.

    Those are given a curvature so small that errors along them are too large for an interval.
    """
    if not information.size:
        return information, 0
    scale = np.sqrt(np.maximum(np.abs(np.diagonal(information)), 1e-300))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    flat = int((values < _FLAT).sum())
    scaled = vectors / np.maximum(np.abs(values) + damping, _FLAT) @ vectors.T
    return scaled / np.outer(scale, scale), flat


def _changed(layout: _Layout, start: Floats, x: Floats) -> NDArray[np.intp]:
    """Hidden units whose weights at ``x`` do not resemble those at the start."""
    if not layout.n_hidden:
        return np.zeros(0, dtype=np.intp)
    before, after = (each[layout.W].reshape(layout.n, -1) for each in (start, x))
    norms = np.linalg.norm(before, axis=0) * np.linalg.norm(after, axis=0)
    cosines = (before * after).sum(axis=0) / np.maximum(norms, 1e-300)
    return np.flatnonzero(cosines < _SAME)


def _block_influence(
    here: _Point, layout: _Layout, X: Bits, words: Words, blocks: NDArray[np.int64]
) -> Floats:
    """What each block of time adds to the estimates, shape (n_blocks, size)."""
    n_blocks = int(blocks[-1]) + 1
    keys, place = np.unique(blocks * len(words) + words.index, return_inverse=True)
    weights = np.bincount(place, weights=words.weights, minlength=keys.size)
    block, word = np.divmod(keys, len(words))
    sums = np.zeros((n_blocks, layout.size))
    for part in chunks(keys.size, layout.size, 1 << 21):
        f = layout.features(here.x, X[word[part]]) - here.mean
        np.add.at(sums, block[part], f * weights[part, None])
    influence: Floats = sums @ here.inverse / words.counts.sum()
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
