"""What models of spike trains share: single bins in time order, each given the bins before it."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Self

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from ..validation import Floats, check_positions
from ..words import UnnamedWords, Words, check_single_bins, check_unweighted
from ..words_info import ordered
from ._alternative import ChosenByValidation


class SequenceModel(ChosenByValidation):
    """A model of each bin given the earlier bins of its epoch.

    Everywhere ``X`` is Words of single bins, or binary rows in time order, (n_bins, n_units).
    """

    def fit(self, X: Words | ArrayLike, y: None = None) -> Self:
        """Fit to spike trains; bins have no weights, since each follows from those before it."""
        self._check_settings()
        words = self._training_words(X, None)
        self._check_bins(words)
        self._fit(words)
        self._set_words_info(words.n_dims, words)
        return self

    def score_sequence(self, X: Words | ArrayLike) -> Floats:
        """Log probability of each bin given the bins before it, nats, shape (n_bins,).

        Their sum is the log probability of the spike trains.
        """
        return self._log_probability_in_time(self._sequence(X))

    @abstractmethod
    def _log_probability_in_time(self, words: Words) -> Floats:
        """Log probability of each of checked bins given those before it, nats."""

    def log_odds_in_time(
        self, X: Words | ArrayLike, positions: Iterable[int] | None = None
    ) -> Floats:
        """Log odds of a spike in each bin given the bins before it, nats, (n_bins, n_chosen).

        Of the units at some ``positions`` in the model's order; of all of them by default.
        """
        words, n = self._sequence(X), self.n_features_in_
        chosen = check_positions("positions", range(n) if positions is None else positions, n)
        return self._log_odds_in_time(words, chosen)

    @abstractmethod
    def _log_odds_in_time(self, words: Words, units: list[int]) -> Floats:
        """Log odds of some units in checked bins, nats, shape (n_bins, n_chosen)."""

    def _sequence(self, X: Words | ArrayLike) -> Words:
        """Bins to evaluate, in the model's order of units."""
        check_is_fitted(self)
        words = ordered(X if isinstance(X, Words) else UnnamedWords.from_array(X), self.words_info_)
        self._check_bins(words)
        self._check_features(X, words.n_dims)
        return words

    def _check_bins(self, words: Words) -> None:
        """Refuse words that are not single bins of equal weight."""
        check_single_bins(words)  # it finds their past itself
        if words.weights is not None and not (words.weights == 1.0).all():
            check_unweighted(words)  # each bin of a spike train follows from those before it
