"""What every model of words has: scores, conditionals, samples, files, and the units it is of.

A model is a scikit-learn estimator and a probability distribution over binary words. The paper's
family (:class:`.PopulationModel`) and alternatives (:class:`.AlternativeModel`) build on this.
"""

from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from ..errors import BadArgument
from ..incomplete import AnyWords, IncompleteWords
from ..partition import LogPartition
from ..validation import Floats
from ..words import Words
from ..words_info import ordered
from ._words_estimator import WordsEstimator, in_time


class WordModel(DensityMixin, WordsEstimator):  # type: ignore[misc]
    """A probability distribution over binary words."""

    @abstractmethod
    def fit(self, X: Any, y: None = None) -> Self:
        """Fit to words.

        Parameters
        ----------
        X : Words or array_like, shape (n_words, n_units)
            Binary words.
        y : None
            Not used; there for scikit-learn.
        sample_weight : array_like, shape (n_words,), optional
            Weight of each row of an array, where the model takes weights.
        """

    def score_samples(self, X: AnyWords | ArrayLike) -> Floats:
        """Normalised log probability in nats, shape (n_words,).

        Of each row of an array, or of each bin (window) of ``Words`` in time order; of
        ``IncompleteWords`` that of the cells that were observed.
        """
        return in_time(X, self._score_distinct(X))

    def _score_distinct(self, X: AnyWords | ArrayLike) -> Floats:
        """Log probability of each row of an array, or of each distinct word of ``Words``."""
        if not isinstance(X, IncompleteWords):
            return self._log_probability(self._checked(X))
        check_is_fitted(self)
        words = ordered(X, self.words_info_)
        self._check_features(X, words.n_dims)
        return self._log_marginal(words)

    def _log_marginal(self, words: IncompleteWords) -> Floats:
        """Log probability of the observed cells, a sum over all that the others may have been."""
        completions = words.completions()
        log_p, _ = completions.log_sums(self._log_probability(completions.words.X))
        return log_p

    @abstractmethod
    def _log_probability(self, bits: NDArray[np.uint8]) -> Floats:
        """Log probability of bits in the model's order, shape (n_words,)."""

    @abstractmethod
    def sample(
        self, n_samples: int = 1, random_state: Any = 0, **options: Any
    ) -> NDArray[np.uint8]:
        """Draw words from the model, shape (n_samples, n_units).

        Parameters
        ----------
        n_samples : int
            Number of words.
        random_state : int, Generator or None
            Source of the draws; None takes fresh entropy.
        **options
            For models around others, which pass them on; others by themselves have none.
        """

    @abstractmethod
    def log_partition(self) -> LogPartition:
        """How the model is normalised, and with what error, in nats."""

    def _facts(self) -> dict[str, str]:
        n_pairs = self.n_features_in_ * (self.n_features_in_ - 1) // 2
        n_hidden = getattr(self, "n_hidden", 0)
        about = {
            "couplings": f"{self.n_couplings_:,} of {n_pairs:,} pairs" * bool(self.n_couplings_),
            "live hidden units": f"{self.n_live_hidden_} of {n_hidden}" * bool(n_hidden),
        }
        return about | super()._facts()

    def log_odds(self, X: Words | ArrayLike, positions: Sequence[int] | None = None) -> Floats:
        """Log odds of a spike of some units given all other bits, nats, (n_words, n_chosen).

        Parameters
        ----------
        X : Words or array_like, shape (n_words, n_units)
            Binary words; what the units themselves did does not matter.
        positions : sequence of int, optional
            Bits of the word, in the model's own order; all of them by default.
        """
        bits = self._checked(X)
        every = range(self.n_features_in_)
        return in_time(X, self._log_odds(bits, every if positions is None else positions))

    def conditional(self, X: Words | ArrayLike, unit: int | None = None) -> Floats:
        """p(x_unit = 1 | all other bits of the word), shape (n_words, n_units); of one (n_words,).

        It is what the rest of each word predicts, whatever the unit itself did. It is not called
        ``predict_proba``, whose columns scikit-learn takes for classes that exclude each other.

        Parameters
        ----------
        X : Words or array_like, shape (n_words, n_units)
            Binary words.
        unit : int, optional
            A position in the model's own order of bits; all of them by default.

        Examples
        --------
        >>> from microcolumn.models import Ising
        >>> words = [[0, 0]] * 90 + [[1, 1]] * 6 + [[0, 1]] * 2 + [[1, 0]] * 2
        >>> Ising(l1=0.0).fit(words).conditional([[0, 1], [1, 0]]).round(2)
        array([[0.75, 0.02],
               [0.02, 0.75]])
        """
        if unit is None:
            return expit(self.log_odds(X))
        check_is_fitted(self)
        whole = isinstance(unit, Integral) and not isinstance(unit, bool)
        if not (whole and 0 <= int(unit) < self.n_features_in_):
            raise BadArgument("unit", f"is {unit!r}", f"pass 0 to {self.n_features_in_ - 1}")
        return expit(self.log_odds(X, [int(unit)])[:, 0])

    def score(self, X: AnyWords | ArrayLike, y: None = None) -> float:
        """Mean log probability per word, in nats."""
        weights = X.counts if isinstance(X, AnyWords) else None
        return float(np.average(self._score_distinct(X), weights=weights))

    @abstractmethod
    def _log_odds(self, bits: NDArray[np.uint8], units: Sequence[int]) -> Floats:
        """Log odds of units of checked words, shape (n_words, n_chosen)."""

    def _slopes(self, bits: NDArray[np.uint8]) -> Floats:
        """Slopes of log p of each word with what was fitted, shape (n_words, n_slopes).

        Up to a constant for each parameter, and to an invertible mixture of parameters.
        """
        return np.empty((len(bits), 0))

    def _chains_of(self, n_samples: int) -> int:
        """Chains that take turns to draw so many words; 0 where words are independent."""
        return 0
