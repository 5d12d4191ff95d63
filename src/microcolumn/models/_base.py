"""What all models of the family share: scores, conditionals, samples, files.

A model is a scikit-learn estimator. Subclasses say which parameters they have; the rest is here.
"""

from __future__ import annotations

import os
import warnings
from copy import copy
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    DensityMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from ..energy import hidden_posterior, log_odds, log_weight
from ..origin import Origin, ordered
from ..parameters import Floats, Kind, Parameters
from ..partition import LogPartition, can_sample_exactly, exact_samples, log_partition
from ..partition._frequent import frequent_words_doubt, frequent_words_estimate
from ..partition._gibbs import gibbs_samples
from ..units import Units
from ..validation import check_binary, random_generator
from ..words import UnnamedWords, Words
from ._saving import save


class PopulationModel(DensityMixin, BaseEstimator):  # type: ignore[misc]
    """A probability distribution over binary words.

    Attributes
    ----------
    parameters_ : Parameters
        The fitted J, b, W, c as one object. Hidden units are always off in the silent word,
        ``c_ <= 0``; see :meth:`Parameters.oriented`.
    rates_ : ndarray, shape (n_units,)
        Training rates with a floor: the independent baseline of the scores. Only after ``fit``.
    window_ : int
        Bins per word of the training words, 1 for a plain array. Only after ``fit``: parameters
        alone do not say, nor do files from before it was kept.
    n_words_ : int
        Number of training words. Only after ``fit``, like ``window_``.
    origin_ : Origin or None
        Units, bin width, window and span of time of the training words. Words that are scored or
        predicted must have the same units, in any order, bin width and window. None after a plain
        array, for a model made from parameters, and for files from before it was kept.
    n_features_in_ : int
        Number of bits of a word: units times bins.
    """

    _kind: ClassVar[Kind]

    parameters_: Parameters
    rates_: Floats
    window_: int
    n_words_: int
    origin_: Origin | None = None
    n_features_in_: int
    _log_partition: LogPartition | None
    _frequent: tuple[NDArray[np.uint8], Floats]
    _kept_words: NDArray[np.uint8]

    @property
    def J_(self) -> Floats:
        """Couplings, shape (n_units, n_units); zero where the model has none."""
        theta = self._theta()
        return np.zeros((theta.n_visible,) * 2) if theta.J is None else theta.J.copy()

    @property
    def b_(self) -> Floats:
        """Biases, shape (n_units,)."""
        return self._theta().b.copy()

    @property
    def W_(self) -> Floats:
        """Weights, shape (n_units, n_hidden)."""
        theta = self._theta()
        return np.zeros((theta.n_visible, 0)) if theta.W is None else theta.W.copy()

    @property
    def c_(self) -> Floats:
        """Hidden biases, shape (n_hidden,)."""
        theta = self._theta()
        return np.zeros(0) if theta.c is None else theta.c.copy()

    @property
    def units_(self) -> Units | None:
        """Table of the units that the model was fitted on; None after a plain array."""
        self._theta()
        return None if self.origin_ is None else self.origin_.units

    @property
    def unit_ids_(self) -> tuple[str, ...] | None:
        """Their names, in the order of the model's bits; None after a plain array."""
        units = self.units_
        return None if units is None else units.ids

    @property
    def bin_width_(self) -> float | None:
        """Seconds per bin of the words that it was fitted on; None after a plain array."""
        self._theta()
        return None if self.origin_ is None else self.origin_.bin_width

    @property
    def n_live_hidden_(self) -> int:
        """Hidden units with at least one non-zero weight."""
        return int(self._theta().live.sum())

    @property
    def n_couplings_(self) -> int:
        """Pairs of units with a coupling other than zero."""
        return int(np.count_nonzero(self.J_)) // 2

    @property
    def n_nonzero_(self) -> int:
        """Couplings (a pair counts once) and weights other than zero: what a penalty left over."""
        return self.n_couplings_ + int(np.count_nonzero(self.W_))

    @classmethod
    def from_parameters(cls, theta: Parameters) -> Self:
        """Make a ready model from parameters without fitting; they may lack J or W.

        Hidden units that are on in the silent word are turned (:meth:`Parameters.oriented`), so
        ``energy`` may differ from that of ``theta`` by a constant; no probability does.
        It has no training rates, so ``excess_log_likelihood`` needs an explicit baseline, no
        ``window_``, and an ``origin_`` of None.
        """
        if not isinstance(theta, Parameters):
            raise TypeError(f"theta is a {type(theta).__name__}; pass Parameters")
        _, parts = _KINDS[cls._kind]
        if theta.J is not None and not theta.J.any() and "J" not in parts:
            theta = Parameters(b=theta.b, W=theta.W, c=theta.c)
        suitable, needed = _KINDS[theta.kind]
        if not needed <= parts:
            raise ValueError(
                f"{cls.__name__} cannot hold parameters of kind {theta.kind!r}; "
                f"use {suitable}.from_parameters"
            )
        model = cls(**cls._settings_of(theta))
        model._adopt(theta)
        return model

    @classmethod
    def _settings_of(cls, theta: Parameters) -> dict[str, Any]:
        """Constructor arguments that parameters imply."""
        return {}

    def energy(self, X: Words | ArrayLike) -> Floats:
        """E(x) = -log p~(x) of each word in nats, shape (n_words,)."""
        return -log_weight(self._theta(), self._checked(X))

    def hidden(self, X: Words | ArrayLike) -> Floats:
        """p(h_i = 1 | x) for each word, shape (n_words, n_hidden); below 1/2 in the silent word."""
        return hidden_posterior(self._theta(), self._checked(X))

    def conditional(self, X: Words | ArrayLike, unit: int) -> Floats:
        """p(x_unit = 1 | the other units) for each word, shape (n_words,).

        ``unit`` is a position in the model's own order of bits.
        """
        theta = self._theta()
        whole = isinstance(unit, Integral) and not isinstance(unit, bool)
        if not (whole and 0 <= int(unit) < theta.n_visible):
            raise ValueError(f"unit is {unit!r}; the model has units 0 to {theta.n_visible - 1}")
        probability: Floats = expit(log_odds(theta, self._checked(X), unit))
        return probability

    def log_partition(self, method: str = "auto", **options: Any) -> LogPartition:
        """Find log Z with its error, in nats; found once and remembered for the default method.

        Parameters
        ----------
        method : {"auto", "exact", "exact-visible", "exact-hidden", "ais"}
            See :func:`microcolumn.log_partition`.
        **options
            Passed on to it. Sampling starts from the training rates by default.
        """
        theta = self._theta()
        default = method == "auto" and not options
        if default and self._log_partition is not None:
            return self._log_partition
        defaults = {"random_state": getattr(self, "random_state", 0)}
        if hasattr(self, "rates_"):
            defaults["words"] = self._kept_words
            if method in ("auto", "ais") and options.get("base") != "uniform":
                defaults["rates"] = self.rates_
        options = defaults | options
        result = log_partition(theta, method=method, **options)  # type: ignore[arg-type]
        if hasattr(self, "_frequent"):
            result = _checked_by_frequent_words(theta, self._frequent, result)
        if default:
            self._log_partition = result
        return result

    def with_log_partition(self, log_z: LogPartition) -> Self:
        """Copy of this model that takes log Z as given, so that scores need no new sum.

        Parameters
        ----------
        log_z : LogPartition
            What ``log_partition()`` of the same ``parameters_`` found before; nothing checks that
            it is. It holds until the next fit, and other methods or options compute anew.
        """
        if not isinstance(log_z, LogPartition):
            raise TypeError(f"log_z is a {type(log_z).__name__}; pass a LogPartition")
        if not np.isfinite(log_z.value):
            raise ValueError(f"log_z is {log_z.value}; pass a finite estimate")
        self._theta()
        model = copy(self)
        model._log_partition = log_z
        return model

    def score_samples(self, X: Words | ArrayLike) -> Floats:
        """Normalised log probability of each word in nats, shape (n_words,)."""
        return -self.energy(X) - self.log_partition().value

    def score(self, X: Words | ArrayLike, y: None = None) -> float:
        """Mean log probability per word, in nats."""
        weights = X.counts if isinstance(X, Words) else None
        return float(np.average(self.score_samples(X), weights=weights))

    def sample(
        self, n_samples: int = 1, random_state: Any = None, method: str = "auto", **options: Any
    ) -> NDArray[np.uint8]:
        """Draw words from the model, shape (n_samples, n_units).

        Parameters
        ----------
        n_samples : int
            Number of words.
        random_state : int, Generator or None
            Source of the draws.
        method : {"auto", "exact", "gibbs"}
            Independent exact draws, or collapsed Gibbs sampling; by default exact where the model
            is small enough.
        **options
            For Gibbs sampling: see :func:`microcolumn.partition.gibbs_samples`.
        """
        theta = self._theta()
        check_whole("n_samples", n_samples)
        if method not in ("auto", "exact", "gibbs"):
            raise ValueError(f"method is {method!r}; choose 'auto', 'exact' or 'gibbs'")
        if method == "gibbs" or (method == "auto" and not can_sample_exactly(theta)):
            return gibbs_samples(theta, n_samples, random_state=random_state, **options)
        if options:
            raise TypeError(
                f"exact samples take no option {next(iter(options))!r}; "
                "leave it out or use method='gibbs'"
            )
        return exact_samples(theta, n_samples, random_generator(random_state))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a safetensors file; see :func:`microcolumn.load`."""
        save(self, path)

    def _adopt(self, theta: Parameters, words: Words | None = None) -> None:
        """Take over fitted parameters and, after a fit, what the scores need of the data."""
        self.parameters_, _ = theta.oriented()
        self.n_features_in_ = theta.n_visible
        self._log_partition = None
        self.origin_ = None if words is None else Origin.of(words)
        if words is not None:
            self.rates_, self.window_ = floored_rates(words), words.window
            self.n_words_ = words.n_bins
            # For the plausibility check of log Z.
            top = np.argsort(-words.counts, kind="stable")[:10]
            self._frequent = (words.X[top], words.counts[top] / words.counts.sum())
            self._kept_words = _kept(words)

    def _theta(self) -> Parameters:
        check_is_fitted(self)
        return self.parameters_

    def _training_words(self, X: Words | ArrayLike, sample_weight: ArrayLike | None) -> Words:
        if isinstance(X, Words):
            if sample_weight is not None:
                raise ValueError("Words carry their own weights; leave out sample_weight")
            # Names of an earlier fit on a data frame would not describe these columns.
            if hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return X
        words = UnnamedWords.from_array(X, sample_weight=sample_weight)
        validate_data(self, X, skip_check_array=True)
        return words

    def _checked(self, X: Words | ArrayLike) -> NDArray[np.uint8]:
        """Words to evaluate as bits in the model's order, which the rows of ``X`` keep."""
        bits = ordered(X, self.origin_).X if isinstance(X, Words) else check_binary(X)
        if bits.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {bits.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input; pass the units it was fitted on"
            )
        if not isinstance(X, Words):  # a data frame's columns must have the names they had
            validate_data(self, X, skip_check_array=True, reset=False)
        return bits

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "parameters_")


class HiddenFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin):  # type: ignore[misc]
    """Activation of hidden units as features, for pipelines of scikit-learn."""

    def transform(self, X: Words | ArrayLike) -> Floats:
        """p(h_i = 1 | x) for each word, shape (n_words, n_hidden); the same as ``hidden``."""
        activation: Floats = self.hidden(X)
        return activation

    @property
    def _n_features_out(self) -> int:
        return int(self.parameters_.n_hidden)


def _checked_by_frequent_words(
    theta: Parameters, frequent: tuple[NDArray[np.uint8], Floats], log_z: LogPartition
) -> LogPartition:
    """The normaliser with what the most frequent words say of it: converged unless they object."""
    doubt = frequent_words_doubt(theta, *frequent, log_z)
    if doubt is not None and log_z.converged:
        warnings.warn(
            f"log Z may not be relied upon: {doubt}; raise max_steps or n_chains, or sum exactly "
            "if the model allows it",
            ConvergenceWarning,
            stacklevel=3,
        )
    return replace(
        log_z,
        frequent_words=frequent_words_estimate(theta, *frequent),
        converged=log_z.converged and doubt is None,
    )


def _kept(words: Words) -> NDArray[np.uint8]:
    """Words that show where the data are: some evenly spread over time, and the busiest ones.

    Annealed chains start their way back from them, and modes of the model where none of them lies
    are false. Rare bursts, which a few hundred words of an hour may miss, are among the busiest.
    """
    spread = np.linspace(0, words.n_bins - 1, min(words.n_bins, 500)).astype(np.intp)
    active = words.X.sum(axis=1, dtype=np.int64)
    busiest = np.argsort(-active, kind="stable")[:100]
    return np.concatenate([words.X[words.index[spread]], words.X[np.sort(busiest)]])


def floored_rates(words: Words) -> Floats:
    """Rates kept half a count away from never and always, so that no word has probability 0.

    Whole weights count as that many bins, so that they do what repeated rows would do; weights
    that add up to less than the number of bins are relative and do not raise the floor.
    """
    floor = 0.5 / (max(float(words.counts.sum()), words.n_bins) + 1)
    return np.clip(words.rates, floor, 1.0 - floor)


def is_number(value: Any) -> bool:
    """Whether this is a real number; truth values, which Python counts as such, are mistakes."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_whole(name: str, value: Any) -> None:
    """Refuse what is not a whole number of 1 or more."""
    if not (isinstance(value, Integral) and is_number(value) and int(value) >= 1):
        raise ValueError(f"{name} is {value!r}; it must be a whole number, 1 or more")


#: Class of each kind of model, and what it has besides biases; it can hold each kind that has less.
_KINDS: dict[Kind, tuple[str, set[str]]] = {
    "independent": ("Independent", set()),
    "ising": ("Ising", {"J"}),
    "rbm": ("RBM", {"W"}),
    "srbm": ("SemiRBM", {"J", "W"}),
}
