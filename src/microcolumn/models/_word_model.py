"""What every model of words has: scores, conditionals, samples, files, and the units it is of.

A model is a scikit-learn estimator and a probability distribution over binary words. The paper's
family (:class:`.PopulationModel`) and its rivals (:class:`.Rival`) both build on this.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..origin import Origin, ordered
from ..partition import LogPartition
from ..units import Units
from ..validation import Floats, check_binary
from ..words import UnnamedWords, Words
from ._saving import Arrays, save


class WordModel(DensityMixin, BaseEstimator):  # type: ignore[misc]
    """A probability distribution over binary words.

    Attributes
    ----------
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

    #: Numbers and texts of a fit that files keep, where a model has them.
    _fitted_numbers: ClassVar[tuple[str, ...]] = ("window_", "n_words_")

    rates_: Floats
    window_: int
    n_words_: int
    origin_: Origin | None = None
    n_features_in_: int

    @abstractmethod
    def score_samples(self, X: Words | ArrayLike) -> Floats:
        """Normalised log probability of each word in nats, shape (n_words,)."""

    @abstractmethod
    def sample(
        self, n_samples: int = 1, random_state: Any = None, **options: Any
    ) -> NDArray[np.uint8]:
        """Draw words from the model, shape (n_samples, n_units)."""

    @abstractmethod
    def log_partition(self) -> LogPartition:
        """How the model is normalised, and with what error, in nats."""

    @property
    @abstractmethod
    def n_parameters_(self) -> int:
        """Free numbers of the fit that are not zero."""

    @abstractmethod
    def _arrays(self) -> Arrays:
        """Arrays that make up the fit, for files."""

    @classmethod
    @abstractmethod
    def _from_arrays(
        cls, arrays: Arrays, settings: dict[str, Any], read: Callable[[bytes], WordModel]
    ) -> Self:
        """Make the model of such arrays anew, or raise a ValueError that says what is wrong.

        ``settings`` are those of the constructor as far as files hold them; ``read`` reads a model
        that is part of this one.
        """

    @property
    def n_live_hidden_(self) -> int:
        """Hidden units with at least one non-zero weight; 0 for models without hidden units."""
        return 0

    @property
    def n_couplings_(self) -> int:
        """Pairs of units with a coupling other than zero; 0 for models without couplings."""
        return 0

    @property
    def n_nonzero_(self) -> int:
        """Couplings and weights other than zero: what a penalty left over."""
        return 0

    @property
    def size_(self) -> str:
        """What was chosen for it on held-out words, in a few words, such as ``"60 components"``."""
        return ""

    @property
    def units_(self) -> Units | None:
        """Table of the units that the model was fitted on; None after a plain array."""
        check_is_fitted(self)
        return None if self.origin_ is None else self.origin_.units

    @property
    def unit_ids_(self) -> tuple[str, ...] | None:
        """Their names, in the order of the model's bits; None after a plain array."""
        units = self.units_
        return None if units is None else units.ids

    @property
    def bin_width_(self) -> float | None:
        """Seconds per bin of the words that it was fitted on; None after a plain array."""
        check_is_fitted(self)
        return None if self.origin_ is None else self.origin_.bin_width

    def log_odds(self, X: Words | ArrayLike, units: Sequence[int]) -> Floats:
        """Log odds of a spike of some units given all other bits of each word.

        Parameters
        ----------
        X : Words or array_like, shape (n_words, n_units)
            Binary words; what the units themselves did does not matter.
        units : sequence of int
            Bits of the word, in the model's own order.

        Returns
        -------
        ndarray, shape (n_words, n_chosen)
            In nats.
        """
        bits = self._checked(X).copy()
        out = np.empty((len(bits), len(units)))
        for k, unit in enumerate(units):
            came = bits[:, unit].copy()
            bits[:, unit] = 1
            active = self._log_probability(bits)
            bits[:, unit] = 0
            out[:, k] = active - self._log_probability(bits)
            bits[:, unit] = came
        return np.nan_to_num(out)

    def conditional(self, X: Words | ArrayLike, unit: int) -> Floats:
        """p(x_unit = 1 | the other units) for each word, shape (n_words,).

        ``unit`` is a position in the model's own order of bits.
        """
        check_is_fitted(self)
        whole = isinstance(unit, Integral) and not isinstance(unit, bool)
        if not (whole and 0 <= int(unit) < self.n_features_in_):
            raise ValueError(
                f"unit is {unit!r}; the model has units 0 to {self.n_features_in_ - 1}"
            )
        probability: Floats = expit(self.log_odds(X, [int(unit)])[:, 0])
        return probability

    def score(self, X: Words | ArrayLike, y: None = None) -> float:
        """Mean log probability per word, in nats."""
        weights = X.counts if isinstance(X, Words) else None
        return float(np.average(self.score_samples(X), weights=weights))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a safetensors file; see :func:`microcolumn.load`."""
        save(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return "origin_" in vars(self)

    def _log_probability(self, bits: NDArray[np.uint8]) -> Floats:
        """Log probability of bits in the model's order, up to a constant, shape (n_words,)."""
        raise NotImplementedError

    def _remember(self, n_bits: int, words: Words | None) -> None:
        """Keep the size of the words and, after a fit, what scores need of the data."""
        self.n_features_in_ = n_bits
        self.origin_ = None if words is None else Origin.of(words)
        if words is not None:
            self.rates_, self.window_ = floored_rates(words), words.window
            self.n_words_ = words.n_bins

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
        check_is_fitted(self)
        bits = ordered(X, self.origin_).X if isinstance(X, Words) else check_binary(X)
        if bits.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {bits.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input; pass the units it was fitted on"
            )
        if not isinstance(X, Words):  # a data frame's columns must have the names they had
            validate_data(self, X, skip_check_array=True, reset=False)
        return bits


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
