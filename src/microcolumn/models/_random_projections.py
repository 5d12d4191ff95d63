"""Random projections: a maximum entropy model of random features of the words."""

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..energy import FreeTerm, Inputs, SoftTables, Tables, all_patterns
from ..kernels import pattern_sums
from ..parameters import Parameters
from ..partition.term_sums import MOST_UNITS
from ..validation import Floats
from ..words import Words
from ._saving import check_sound
from ._settings import COUNT, STRENGTH, Number, setting
from ._term_model import Start, TermModel, annealed
from ._words_estimator import Size, floored_rates, scaled_counts

#: Most projections unless asked for more: those of 99 units.
MOST_PROJECTIONS = 5000
#: A projection is above its threshold in this many training words at least, and in this share of
#: them at most.
LEAST_WORDS, MOST_SHARE = 10.0, 0.5
#: How much steeper soft thresholds begin than the projections are drawn.
_STEEPNESS = 3.0
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
    def random(
        cls, words: Words, n_projections: int, n_inputs: int, rng: np.random.Generator
    ) -> Self:
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
    counts = scaled_counts(words)
    every = Projections(inputs, weights, np.zeros(n_projections))
    order = np.argsort(-every.heights, axis=1)
    heights = np.take_along_axis(every.heights, order, axis=1)
    sums = pattern_sums(every.tables().functions, words.X, counts)
    above = np.cumsum(np.take_along_axis(sums, order, axis=1), axis=1)
    # A threshold below the i-th highest pattern lets as many words through.
    suits = (heights > 0.0) & (above >= LEAST_WORDS) & (above <= MOST_SHARE * counts.sum())
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
class RandomProjections(TermModel):
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
    n_projections : int, optional
        Features to draw; by default n (n + 1) / 2 of n units, as many as an Ising model has
        parameters (Maoz et al. 2020), and 5,000 at most. There are fewer where so few units allow
        no more that differ.
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
    >>> words = mc.simulate.microcolumn(n_units=4, minutes=1, seed=0).bin()
    >>> model = RandomProjections(50).fit(words)
    >>> model.sample(9, random_state=0).shape, model.certificate_.converged
    ((9, 4), True)
    """

    _kept_arrays: ClassVar[dict[str, str]] = {
        "b_": "float64 n",
        "strengths_": "float64 m",
        "inputs_": "int32 m k",
        "weights_": "float64 m k",
        "thresholds_": "float64 m",
    }

    n_projections: int | None = setting(None, [*COUNT, None])
    l1: float = setting(1e-4, STRENGTH)
    n_inputs: int = setting(5, [Number(Integral, 1, 12, closed="both")])

    def _size(self) -> Size:
        n_nonzero = np.count_nonzero(self.strengths_)  # projections are drawn, not fitted
        chosen = f"{self.strengths_.size} projections"
        return Size(self.b_.size + n_nonzero, n_nonzero, text=chosen)

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Two penalties; one where fits are sampled."""
        penalties = (1e-4, 1e-5) if words.n_dims <= MOST_UNITS else (1e-4,)
        return tuple({"l1": l1} for l1 in penalties)

    def _start(self, words: Words, rng: np.random.Generator) -> Start:
        rates, n = floored_rates(words), self._n_projections(words)
        drawn = Projections.random(words, n, self.n_inputs, rng)
        self.weights_, self.thresholds_ = drawn.weights, drawn.thresholds
        b = np.log(rates) - np.log1p(-rates)
        return Start(Parameters(b=b, term=drawn.tables()))

    def _n_projections(self, words: Words) -> int:
        if self.n_projections is not None:
            return int(self.n_projections)
        return min(words.n_dims * (words.n_dims + 1) // 2, MOST_PROJECTIONS)

    def _take_term(self, term: FreeTerm) -> None:
        assert isinstance(term, Tables)
        self.inputs_, self.strengths_ = term.inputs, term.strengths

    def _term(self) -> FreeTerm:
        drawn = Projections(self.inputs_, self.weights_, self.thresholds_)
        return drawn.tables(self.strengths_)

    def _check_arrays(self) -> None:
        inputs, n_units = self.inputs_, self.b_.size
        ascending = (np.diff(inputs, axis=1) > 0).all()
        are_there = ((inputs >= 0) & (inputs < n_units)).all()
        check_sound(
            ascending and are_there, f"inputs are not units of {n_units} in ascending order"
        )
        check_sound((self.thresholds_ >= 0.0).all(), "a threshold is negative")


@dataclass(eq=False, repr=False)
class ReshapedProjections(RandomProjections):
    """Projections whose weights are learned too, behind soft thresholds (Mayzel & Schneidman 2024).

        p(x) = exp(b'x + sum_j lambda_j sigmoid(a_j . x - theta_j)) / Z

    The fit begins at the projections that :class:`RandomProjections` with the same settings keeps,
    with their thresholds, each three times as large as drawn so that sigmoids are about as steep as
    one unit. Then b, lambda and a are fitted together by penalised maximum likelihood; thresholds
    and the Euclidean norm of each a_j stay, since weights without a bound grow for ever. The
    problem is not convex, and the optimum is a local one.

    Parameters
    ----------
    n_projections, n_inputs, tol, max_iter, random_state
        As of :class:`RandomProjections`.
    l1 : float
        Penalty l1 * sum_j |lambda_j|, nats per word.

    Attributes
    ----------
    strengths_ : ndarray, shape (n_kept,)
        lambda_j, nats.
    weights_ : ndarray, shape (n_kept, n_inputs)
        The weights a_j.
    b_, inputs_, thresholds_, objective_, certificate_
        As of :class:`RandomProjections`.

    Examples
    --------
    >>> words = mc.simulate.microcolumn(n_units=4, minutes=1, seed=0).bin()
    >>> drawn, reshaped = RandomProjections(20).fit(words), ReshapedProjections(20).fit(words)
    >>> bool(reshaped.score(words) > drawn.score(words) - 0.01)
    True
    """

    def _size(self) -> Size:
        n_nonzero = np.count_nonzero(self.strengths_) + np.count_nonzero(self.weights_)
        return Size(self.b_.size + n_nonzero, n_nonzero, text=super()._size().text)

    def _start(self, words: Words, rng: np.random.Generator) -> Start:
        settings = self.get_params() | {"random_state": rng}
        with warnings.catch_warnings():  # only a start
            warnings.simplefilter("ignore", ConvergenceWarning)
            drawn = RandomProjections(**settings).fit(words)
        kept = drawn.strengths_ != 0.0
        weights = _STEEPNESS * drawn.weights_[kept]
        self.thresholds_ = _STEEPNESS * drawn.thresholds_[kept]
        strengths = np.concatenate([drawn.strengths_[kept], weights.ravel()])
        norms = np.linalg.norm(weights, axis=1)
        term = SoftTables(drawn.inputs_[kept], self.thresholds_, norms, strengths)
        theta = Parameters(b=drawn.b_, term=term)
        return Start(theta, annealed(theta, words, rng).value)

    def _take_term(self, term: FreeTerm) -> None:
        assert isinstance(term, SoftTables)
        self.inputs_, (self.strengths_, self.weights_) = term.inputs, term.parts

    def _term(self) -> SoftTables:
        strengths = np.concatenate([self.strengths_, self.weights_.ravel()])
        norms = np.linalg.norm(self.weights_, axis=1)
        return SoftTables(self.inputs_, self.thresholds_, norms, strengths)
