"""The dichotomized Gaussian: spikes where correlated normals are above a threshold."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from ..errors import BadInput
from ..objectives import pair_counts
from ..partition import LogPartition
from ..validation import Bits, Floats, chunks
from ..words import Words, check_single_bins
from ._alternative import AlternativeModel
from ._latent_gaussian import (
    bivariate_normal,
    latent_correlations,
    nearest_correlations,
    orthant_probabilities,
)
from ._saving import check_sound
from ._words_estimator import Size, floored_rates

#: Units up to which all words have their probability.
MOST_NORMALISED = 10
#: Relative error of a word's probability up to which scores may rely on it.
_MOST_ERROR = 0.01
#: Least probability of a word: the normals of a nearly singular matrix leave some out altogether.
_LEAST = 1e-300


class DichotomizedGaussian(AlternativeModel):
    """A unit is active where its normal variable is above a threshold (Macke et al. 2009).

    The normals are correlated so that rates and pair rates are those of the data: what words would
    look like if all their correlations came from a thresholded Gaussian. It is a null model for
    structure beyond pairs, with exact samples for any number of units (:meth:`surrogate`).

    Pair by pair latent correlations are exact; where together they are no correlation matrix, the
    nearest one takes their place, and ``latent_change_`` and ``pair_rate_change_`` say what that
    changed (docs/method.md, section 11). Up to 10 units words have a probability, with the error
    that :meth:`log_partition` gives; with more, asking for one is an error.

    Attributes
    ----------
    thresholds_ : ndarray, shape (n_units,)
        A unit is active where its normal variable plus this is positive.
    correlations_ : ndarray, shape (n_units, n_units)
        Of the normal variables, positive definite.
    latent_change_ : float
        Largest change of a latent correlation that made the matrix positive definite; 0 if it was.
    pair_rate_change_ : float
        Largest change of the probability that a pair is active together which that caused.

    Examples
    --------
    >>> words = mc.simulate.microcolumn(n_units=4, minutes=1, seed=0).bin()
    >>> DichotomizedGaussian().surrogate(words, random_state=0)
    Words(4 units, 3,000 bins of 20 ms, 12 distinct words, mean rate 2.9 % per bin)
    """

    _fitted_numbers = (*AlternativeModel._fitted_numbers, "latent_change_", "pair_rate_change_")
    _kept_arrays: ClassVar[dict[str, str]] = {
        "thresholds_": "float64 n",
        "correlations_": "float64 n n",
    }

    def _size(self) -> Size:
        n = self.thresholds_.size
        return Size(n + n * (n - 1) // 2)  # thresholds, and correlations of pairs

    def _fit(self, words: Words) -> None:
        self._fit_moments(*_pair_rates(words))

    def _fit_moments(self, rates: Floats, pairs: Floats) -> None:
        """Find the normals with these rates (n,), neither 0 nor 1, and pair rates (n, n)."""
        self.thresholds_ = ndtri(rates)
        first, second = np.triu_indices(rates.size, 1)
        h, k, both = self.thresholds_[first], self.thresholds_[second], pairs[first, second]
        wanted = np.eye(rates.size)
        wanted[first, second] = wanted[second, first] = latent_correlations(h, k, both)
        self.correlations_ = nearest_correlations(wanted)
        self.latent_change_ = float(np.abs(self.correlations_ - wanted).max())
        self.pair_rate_change_ = 0.0
        if self.latent_change_ > 0.0:
            changed = bivariate_normal(h, k, self.correlations_[first, second])
            self.pair_rate_change_ = float(np.abs(changed - both).max())
        self._tabulate()

    def _tabulate(self) -> None:
        """Log probability of all words by their number, if they are few."""
        self._log_p = self._errors = np.zeros(0)
        if self.thresholds_.size <= MOST_NORMALISED:
            probabilities, errors = orthant_probabilities(self.thresholds_, self.correlations_)
            probabilities = np.maximum(probabilities, _LEAST)
            self._log_p, self._errors = np.log(probabilities), errors / probabilities

    def log_partition(self) -> LogPartition:
        """Log Z, which is 0, with the mean relative error of a word's probability as its error.

        Beyond 10 units it is NaN and has not converged: the model cannot be normalised.
        """
        check_is_fitted(self)
        if not self._log_p.size:
            return LogPartition(np.nan, np.inf, "exact", 0.0, 0.0, converged=False)
        error = float(np.sqrt(np.exp(self._log_p) @ self._errors**2))
        return LogPartition(0.0, error, "exact", 0.0, 0.0, converged=error <= _MOST_ERROR)

    def _draw(self, n_samples: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Independent words: normals above their thresholds."""
        n, lower = self.thresholds_.size, np.linalg.cholesky(self.correlations_)
        words = np.empty((n_samples, n), dtype=np.uint8)
        for part in chunks(n_samples, n):
            normals = rng.standard_normal((part.stop - part.start, n)) @ lower.T
            words[part] = normals + self.thresholds_ > 0.0
        return words

    def surrogate(self, words: Words, random_state: Any = 0) -> Words:
        """Words with the rates and pair rates of the data, and nothing beyond.

        A copy of the model is fitted to the words and draws as many, of the same units, bins and
        epochs; bins follow each other without memory.

        Parameters
        ----------
        words : Words
            Of single bins; embed the surrogate, not the data, for longer ones.
        random_state : int, Generator or None
            Source of the draws.
        """
        check_single_bins(words)
        drawn = type(self)().fit(words).sample(words.n_bins, random_state)
        return Words.from_array(drawn, words.bin_width, words.units, words.epoch_starts)

    def _log_probability(self, bits: NDArray[np.uint8]) -> Floats:
        n = self.thresholds_.size
        if not self._log_p.size:
            raise BadInput(
                f"a DichotomizedGaussian of {n} units cannot be normalised, so that its words "
                "have no probability here",
                f"take {MOST_NORMALISED} units or fewer, or compare samples",
            )
        return self._log_p[bits.astype(np.intp) @ (1 << np.arange(n))]  # unit k is bit k

    def _active_distribution(self) -> Floats | None:
        if not self._log_p.size:
            return None
        n_active = np.bitwise_count(np.arange(self._log_p.size))
        return np.bincount(n_active, np.exp(self._log_p)).astype(np.float64)

    def _check_arrays(self) -> None:
        matrix = self.correlations_
        is_one = np.array_equal(matrix, matrix.T) and (np.diagonal(matrix) == 1.0).all()
        check_sound(is_one, "correlations are no correlation matrix")
        is_definite = np.linalg.eigvalsh(matrix)[0] > 0.0
        check_sound(is_definite, "correlations are not positive definite")
        self._tabulate()


def surrogate_of_moments(rates: Floats, pairs: Floats, n_words: float, n_drawn: int) -> Bits:
    """Words drawn with about these rates and pair rates over ``n_words``, (n_drawn, n_units)."""
    model = DichotomizedGaussian()
    prior = np.outer(rates, rates)
    model._fit_moments(rates, (n_words * pairs + prior) / (n_words + 1.0))
    return model._draw(n_drawn, np.random.default_rng(0))


def _pair_rates(words: Words) -> tuple[Floats, Floats]:
    """Rates (n,) and pair rates (n, n) over the words and one more of independent units."""
    n_words = max(float(words.counts.sum()), float(words.n_bins))
    pairs = pair_counts(words) * (n_words / float(words.counts.sum()))
    prior = floored_rates(words)
    rates = (np.diagonal(pairs) + prior) / (n_words + 1.0)
    return rates, (pairs + np.outer(prior, prior)) / (n_words + 1.0)
