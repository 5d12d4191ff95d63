"""Models outside the paper's family: they are normalised, and choose their settings.

An alternative says which settings are worth trying on given words; :func:`microcolumn.tune` fits
them and keeps those that held-out words prefer.
"""

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ..errors import Unsupported
from ..partition import LogPartition
from ..validation import Floats, random_generator, whole_number
from ..words import Words
from ._saving import Arrays, check_sound, checked_arrays
from ._settings import check_settings
from ._word_model import WordModel
from ._words_estimator import WordsEstimator

#: Normaliser of a model whose probabilities add up to 1 by construction.
NORMALISED = LogPartition(0.0, 0.0, "exact", 0.0, 0.0, converged=True)


class ChosenByValidation(WordsEstimator):
    """Settings of a model, and those worth trying on held-out words."""

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Settings worth trying on these words; one empty set where there is nothing to choose."""
        return ({},)

    @abstractmethod
    def _fit(self, words: Words) -> None:
        """Find the parameters; warn with a ConvergenceWarning if they are not the best ones."""

    def fit_grid(self, words: Words, grid: Sequence[dict[str, Any]]) -> list[Self]:
        """Fit a copy at each of some settings; models along a path may start from each other."""
        return [model.fit(words) for model in self._copies(grid)]

    def _copies(self, grid: Sequence[dict[str, Any]]) -> list[Self]:
        """A copy at each of some settings, all of which are checked."""
        copies = [clone(self).set_params(**settings) for settings in grid]
        for copy in copies:
            copy._check_settings()
        return copies

    @classmethod
    def _from_arrays(cls, arrays: Arrays, settings: dict[str, Any]) -> Self:
        model = cls(**settings)
        model._check_settings()
        model._take_arrays(arrays)
        return model

    def _take_arrays(self, arrays: Arrays) -> None:
        """Take over arrays by their names in files, if they are sound."""
        sizes: dict[str, int] = {}
        layouts = {name.strip("_"): layout for name, layout in self._kept_arrays.items()}
        checked = checked_arrays(arrays, layouts, sizes)
        for name in self._kept_arrays:
            setattr(self, name, checked[name.strip("_")])
        check_sound(sizes["n"] > 0, "words have no bits")
        self._check_arrays()
        self._set_words_info(sizes["n"], None)

    def _check_arrays(self) -> None:
        """Refuse arrays that make no sense, and find what else follows from them."""

    def _check_settings(self) -> None:
        """Refuse settings that break their constraints, each in one sentence."""
        check_settings(self, self.get_params(deep=False))


class AlternativeModel(ChosenByValidation, WordModel):
    """A model of words outside the paper's family, normalised by construction.

    A subclass is a dataclass of its settings (:func:`.setting`), if it has any. It gives ``_fit``,
    ``_log_probability`` and ``_draw``, names the arrays that files keep in ``_kept_arrays``, with
    ``n`` for the bits of a word, and says in ``_check_arrays`` which of them make no sense.
    """

    #: Whether ``_draw`` takes options of ``sample``.
    _takes_sampling_options: ClassVar[bool] = False

    def fit(
        self, X: Words | ArrayLike, y: None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        self._check_settings()
        words = self._training_words(X, sample_weight)
        self._fit(words)
        self._set_words_info(words.n_dims, words)
        return self

    def _log_odds(self, bits: NDArray[np.uint8], units: Sequence[int]) -> Floats:
        """Log odds of units of checked words, by both values of the bit where nothing is known."""
        bits = bits.copy()
        out = np.empty((len(bits), len(units)))
        for k, unit in enumerate(units):
            came = bits[:, unit].copy()
            bits[:, unit] = 1
            active = self._log_probability(bits)
            bits[:, unit] = 0
            out[:, k] = active - self._log_probability(bits)
            bits[:, unit] = came
        return np.nan_to_num(out)

    def sample(
        self, n_samples: int = 1, random_state: Any = 0, **options: Any
    ) -> NDArray[np.uint8]:
        check_is_fitted(self)
        whole_number("n_samples", n_samples, least=1)
        if options and not self._takes_sampling_options:
            raise Unsupported(f"samples take no option {next(iter(options))!r}", "leave it out")
        return self._draw(int(n_samples), random_generator(random_state), **options)

    @abstractmethod
    def _draw(self, n_samples: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Words of the model, shape (n_samples, n_units)."""

    def log_partition(self) -> LogPartition:
        """Log Z, which is 0 and exact for a model that is normalised by construction."""
        return NORMALISED

    def log_odds_given_past(self, words: Words) -> tuple[Floats, NDArray[np.int32]]:
        """Log odds of a spike of each unit in the newest bin of a window, given the earlier bins.

        Parameters
        ----------
        words : Words
            In the model's order of units.

        Returns
        -------
        log_odds : ndarray, shape (n_pasts, n_units)
            Of each distinct past, nats.
        past : ndarray of int32, shape (n_distinct,)
            Row of ``log_odds`` of each distinct word.
        """
        raise Unsupported(
            f"{type(self).__name__} does not predict from the past", "use given='rest'"
        )

    def _active_distribution(self) -> Floats | None:
        """P(k units active) for k from 0 to n, exactly; None where only samples tell."""
        return None


def warn_unless_converged(model: Any, problem: str, stacklevel: int) -> None:
    """Say what a fit is that is not at its end, after the name of the model."""
    if not model.certificate_.converged:
        sentence = f"{type(model).__name__} {problem}"
        warnings.warn(sentence, ConvergenceWarning, stacklevel=stacklevel)


def warn_of_regressions(
    model: Any, name: str, runaway: str, largest: float, stacklevel: int
) -> None:
    """Say what is wrong with fitted logistic regressions, in a sentence with the remedy.

    ``runaway`` is what makes a weight grow without end, as the largest one did; empty if none.
    """
    certificate, problem = model.certificate_, ""
    if not certificate.converged:
        problem = (
            "is not converged: its optimality conditions are violated by "
            f"{certificate.optimality:.2g} (tol={model.tol:g}) after {model.n_iter_} iterations; "
            "raise max_iter, l1 or tol"
        )
    elif runaway:
        problem = (
            f"has no finite optimum on these words: a weight reached {largest:.3g}, as where "
            f"{runaway}; use l1 > 0"
        )
    if problem:
        warnings.warn(f"{name} {problem}", ConvergenceWarning, stacklevel=stacklevel)
