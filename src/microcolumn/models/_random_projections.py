"""Random projections: a maximum entropy model of random features of the words."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..energy import Tables, all_patterns, log_weight
from ..energy.tables import Inputs
from ..kernels import pattern_sums, table_values
from ..parameters import Parameters
from ..partition import (
    LogPartition,
    can_sample_exactly,
    exact_samples,
    gibbs_samples,
    log_partition,
)
from ..partition.term_sums import MOST_UNITS, word_probabilities
from ..solvers import FitResult
from ..solvers.convex_fit import fit_convex
from ..validation import Floats, random_generator
from ..words import Words
from ._alternative import AlternativeModel
from ._saving import check_sound
from ._settings import COUNT, POSITIVE, RANDOM_STATE, STRENGTH, Number, setting
from ._words_estimator import Size, floored_rates

#: Most annealing steps.
_STEPS = 16_000
#: Chains that draw words, and words from which annealed chains start.
_MOST_CHAINS, _STARTS = 512, 4096
#: A projection is above its threshold in this many training words at least, and in this share of
#: them at most.
LEAST_WORDS, MOST_SHARE = 10.0, 0.5
#: Batches of candidates that are drawn before there are taken to be no more.
_BATCHES = 20


@dataclass(frozen=True, slots=True, eq=False)
class Projections:
    """Features 1[a_j . x > theta_j] of words, each of a few units."""

    inputs: Inputs  # units with a weight, in ascending order, (n_projections, n_inputs)
    weights: Floats  # a_j of these, (n_projections, n_inputs)
    thresholds: Floats  # not negative: the silent word is below all of them, (n_projections,)

    @property
    def heights(self) -> Floats:
        """a_j . x for each pattern of the inputs, shape (n_projections, 2**n_inputs)."""
        return self.weights @ all_patterns(self.inputs.shape[1]).T.astype(np.float64)

    def tables(self, strengths: Floats | None = None) -> Tables:
        """The features as tables over the patterns of their inputs; by default of strength 0."""
        values = (self.heights > self.thresholds[:, None]).astype(np.float64)
        return Tables(
            self.inputs, values, np.zeros(len(values)) if strengths is None else strengths
        )

    @classmethod
    def drawn(
        cls, words: Words, n_projections: int, n_inputs: int, rng: np.random.Generator
    ) -> Projections:
        """Projections with standard normal weights, and thresholds that the words cross.

        How many words are above a threshold is drawn as well, with equal chances for all orders
        of magnitude from ``LEAST_WORDS`` to ``MOST_SHARE``. There may be fewer projections than
        asked for where units are few or silent: no feature comes twice.
        """
        n_inputs = min(n_inputs, words.n_dims)
        batches: list[Projections] = []
        for _ in range(_BATCHES):
            batches.append(_candidates(words, n_projections, n_inputs, rng))
            every = cls(
                np.concatenate([batch.inputs for batch in batches]),
                np.concatenate([batch.weights for batch in batches]),
                np.concatenate([batch.thresholds for batch in batches]),
            )
            features = np.hstack([every.inputs, every.tables().values])
            first = np.sort(np.unique(features, axis=0, return_index=True)[1])[:n_projections]
            if first.size == n_projections:
                break
        return cls(every.inputs[first], every.weights[first], every.thresholds[first])


def _candidates(
    words: Words, n_projections: int, n_inputs: int, rng: np.random.Generator
) -> Projections:
    """As many projections as are asked for, less those that no threshold suits."""
    drawn = rng.random((n_projections, words.n_dims)).argsort(axis=1)[:, :n_inputs]
    inputs = np.sort(drawn, axis=1).astype(np.int32)
    weights = rng.standard_normal((n_projections, n_inputs))
    n_words = max(float(words.counts.sum()), float(words.n_bins))
    counts = words.counts * (n_words / words.counts.sum())
    every = Projections(inputs, weights, np.zeros(n_projections))
    order = np.argsort(-every.heights, axis=1)
    heights = np.take_along_axis(every.heights, order, axis=1)
    sums = pattern_sums(every.tables().functions, words.X, counts)
    above = np.cumsum(np.take_along_axis(sums, order, axis=1), axis=1)
    # A threshold below the i-th highest pattern lets as many words through.
    suits = (heights > 0.0) & (above >= LEAST_WORDS) & (above <= MOST_SHARE * n_words)
    most = np.where(suits, above, LEAST_WORDS).max(axis=1)
    wanted = np.log(LEAST_WORDS) + rng.random(n_projections) * np.log(most / LEAST_WORDS)
    distance = np.abs(np.log(np.maximum(above, 1e-300)) - wanted[:, None])
    last = np.where(suits, distance, np.inf).argmin(axis=1)
    rows = np.arange(n_projections)
    below = np.maximum(heights[rows, last + 1], 0.0)
    thresholds = 0.5 * (heights[rows, last] + below)
    good = suits.any(axis=1)
    return Projections(inputs[good], weights[good], thresholds[good])


@dataclass(eq=False, repr=False)
class RandomProjections(AlternativeModel):
    """Thresholded random projections of the words, each with a strength (Maoz et al. 2020).

        p(x) = exp(b'x + sum_j lambda_j 1[a_j . x > theta_j]) / Z

    Each a_j has ``n_inputs`` units, chosen at random, with standard normal weights. Its threshold
    is put where training words cross it: how many of them are above is drawn with equal chances
    for all orders of magnitude between 10 words and half of them. What fewer than 10 words show is
    no feature. Only b and lambda are fitted, by penalised maximum likelihood, which is a convex
    problem: the most random model with the rates of the units and, but for the penalty, with the
    frequencies of the features. Biases are not penalised, so that rates match.

    Up to 20 units all sums run over all words. Beyond, words that the model draws stand for its
    partition function, fresh chains judge the fit, and log Z is annealed from independent units,
    forwards and back, after a search for modes.

    As a prior, one more word is counted, drawn from independent units at the training rates, which
    stay half a count away from 0 and 1. So no word has probability 0, with any penalty.

    Parameters
    ----------
    n_projections : int
        Features to draw. There are fewer where so few units allow no more that differ.
    l1 : float
        Penalty l1 * sum_j |lambda_j|, nats per word.
    n_inputs : int
        Units of each projection; all of them where there are fewer.
    tol : float
        Largest violation of the optimality conditions where sums are exact: how far a rate or a
        frequency may be off.
    max_iter : int
        Most steps of the fit.
    random_state : int, Generator or None
        Source of the projections, and of all other draws.

    Attributes
    ----------
    b_ : ndarray, shape (n_units,)
        Biases, nats.
    strengths_ : ndarray, shape (n_drawn,)
        lambda_j, nats; exactly 0 for features that the penalty leaves out.
    inputs_ : ndarray of int32, shape (n_drawn, n_inputs)
        Units of each projection.
    weights_ : ndarray, shape (n_drawn, n_inputs)
        Their weights a_j.
    thresholds_ : ndarray, shape (n_drawn,)
        theta_j, not negative: features are off in the silent word.
    objective_ : float
        Minus the mean log likelihood plus the penalty, nats per word.
    certificate_ : Certificate
        How far the fit is from its optimum.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((2000, 1)) < 0.1
    >>> model = RandomProjections(50).fit(rng.random((2000, 4)) < np.where(together, 0.7, 0.05))
    >>> bool(abs(model.sample(9, random_state=0).mean() - 0.1) < 0.2), model.certificate_.converged
    (True, True)
    """

    _fitted_numbers = (*AlternativeModel._fitted_numbers, "objective_", "n_iter_")
    _required_records: ClassVar[tuple[str, ...]] = ("log_z",)
    _kept_arrays: ClassVar[dict[str, str]] = {
        "b_": "float64 n",
        "strengths_": "float64 m",
        "inputs_": "int32 m k",
        "weights_": "float64 m k",
        "thresholds_": "float64 m",
    }

    n_projections: int = setting(400, COUNT)
    l1: float = setting(1e-4, STRENGTH)
    n_inputs: int = setting(5, [Number(Integral, 1, 12, closed="both")])
    tol: float = setting(1e-6, POSITIVE)
    max_iter: int = setting(5000, COUNT)
    random_state: Any = setting(0, RANDOM_STATE)  # noqa: RUF009

    def _size(self) -> Size:
        n_nonzero = np.count_nonzero(self.strengths_)  # projections are drawn, not fitted
        chosen = f"{self.strengths_.size} projections"
        return Size(self.b_.size + n_nonzero, n_nonzero, chosen=chosen)

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Numbers of projections with two penalties each; fewer where fits are sampled."""
        exactly = words.n_dims <= MOST_UNITS
        sizes, penalties = ((200, 400, 800), (1e-4, 1e-5)) if exactly else ((200, 400), (1e-4,))
        return tuple({"n_projections": n, "l1": l1} for n in sizes for l1 in penalties)

    def fit_grid(self, words: Words, grid: Sequence[dict[str, Any]]) -> list[Self]:
        """Fit a copy at each of some settings; those with the same projections share a path."""
        fits: list[Self] = []
        found: FitResult | None = None
        for model in self._copies(grid):
            found = model._fit_from(words, found, fits[-1].weights_ if fits else None)
            model._set_words_info(words.n_dims, words)
            fits.append(model)
        return fits

    def _fit(self, words: Words) -> None:
        self._fit_from(words, None, None)

    def _fit_from(
        self, words: Words, before: FitResult | None, weights: Floats | None
    ) -> FitResult:
        """Fit from where a fit with the same projection ``weights`` ended."""
        rng, rates = random_generator(self.random_state), floored_rates(words)
        drawn = Projections.drawn(words, self.n_projections, self.n_inputs, rng)
        self.inputs_, self.weights_ = drawn.inputs, drawn.weights
        self.thresholds_ = drawn.thresholds
        b = np.log(rates) - np.log1p(-rates)
        start, log_z = Parameters(b=b, tables=drawn.tables()), None
        if before is not None and weights is not None and np.array_equal(weights, self.weights_):
            start, log_z = before.parameters, before.log_z
        found = fit_convex(
            start,
            words,
            self.l1,
            prior=rates,
            log_z=log_z,
            tol=self.tol,
            max_iter=self.max_iter,
            rng=rng,
        )
        assert found.parameters.tables is not None
        self.b_, self.strengths_ = found.parameters.b, found.parameters.tables.strengths
        self.objective_, self.n_iter_ = found.objective, found.n_iter
        self.certificate_ = found.certificate
        self._log_z = _annealed(found.parameters, words, rng)
        if found.log_z is not None:  # annealing knows it better than the search
            self.objective_ += self._log_z.value - found.log_z
        if not self.certificate_.converged:
            warnings.warn(
                f"RandomProjections stopped after {self.n_iter_} steps with {self.certificate_}, "
                "which is not the optimum; raise max_iter, tol or l1",
                ConvergenceWarning,
                stacklevel=4,
            )
        return found

    def _theta(self) -> Parameters:
        """Biases and features as one object."""
        return Parameters(b=self.b_, tables=self._tables())

    def _tables(self) -> Tables:
        drawn = Projections(self.inputs_, self.weights_, self.thresholds_)
        return drawn.tables(self.strengths_)

    def log_partition(self) -> LogPartition:
        """Log Z, nats: the sum over all words of up to 20 units, beyond by annealing."""
        check_is_fitted(self)
        return self._log_z

    def _log_odds(self, bits: NDArray[np.uint8], units: Sequence[int]) -> Floats:
        tables, rest, out = (
            self._tables(),
            bits.astype(np.float64),
            np.empty((len(bits), len(units))),
        )
        for column, unit in enumerate(units):
            rest[:, unit] = 0.0
            out[:, column] = self.b_[unit] + tables.log_odds(rest, unit)
            rest[:, unit] = bits[:, unit]
        return out

    def _log_probability(self, bits: NDArray[np.uint8]) -> Floats:
        return log_weight(self._theta(), bits) - self._log_z.value

    def _draw(self, n_samples: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Independent words of up to 20 units, beyond by Gibbs sampling."""
        theta = self._theta()
        if can_sample_exactly(theta):
            return exact_samples(theta, n_samples, rng)
        n_chains = self._chains_of(n_samples)
        return gibbs_samples(theta, n_samples, n_chains=n_chains, random_state=rng)

    def _chains_of(self, n_samples: int) -> int:
        return 0 if can_sample_exactly(self._theta()) else min(n_samples, _MOST_CHAINS)

    def _active_distribution(self) -> Floats | None:
        theta = self._theta()
        if not can_sample_exactly(theta):
            return None
        n_active = np.bitwise_count(np.arange(1 << theta.n_visible))
        p, _ = word_probabilities(theta)
        return np.bincount(n_active, p, theta.n_visible + 1).astype(np.float64)

    def _slopes(self, bits: NDArray[np.uint8]) -> Floats:
        """Of biases, and of strengths other than 0; the projections are given."""
        return np.hstack([bits, table_values(self._tables().drop_dead_units().functions, bits)])

    def _check_arrays(self) -> None:
        inputs, n_units = self.inputs_, self.b_.size
        ascending = (np.diff(inputs, axis=1) > 0).all()
        are_there = ((inputs >= 0) & (inputs < n_units)).all()
        check_sound(
            ascending and are_there, f"inputs are not units of {n_units} in ascending order"
        )
        check_sound((self.thresholds_ >= 0.0).all(), "a threshold is negative")


def _annealed(theta: Parameters, words: Words, rng: np.random.Generator) -> LogPartition:
    """Log Z by a sum where it is quick, else annealed from the rates of the words."""
    options: dict[str, Any] = {"random_state": rng}
    if not can_sample_exactly(theta):
        shares = words.counts / words.counts.sum()
        data = words.X[rng.choice(len(words), size=_STARTS, p=shares)]
        options |= {"rates": floored_rates(words), "words": data}
        options |= {"max_steps": _STEPS, "n_steps": 250}
    return log_partition(theta, **options)
