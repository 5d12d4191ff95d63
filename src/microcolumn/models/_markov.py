"""Hidden Markov modes: independent populations that take turns, as a model of spike trains."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from ..formatting import counted
from ..validation import Floats, chunks, random_generator, whole_number
from ..words import Words
from ._chain import Chain, Trains, long_run
from ._modes import FittedByPasses, draw_words, log_odds_of_mixed, steps
from ._modes_fit import fit_markov
from ._settings import COUNT, documented, setting
from ._words_estimator import Size
from .sequence import SequenceModel


@documented
@dataclass(eq=False, repr=False)
class HiddenMarkovModes(SequenceModel, FittedByPasses):  # type: ignore[misc]
    """Modes of independent units that follow each other as a Markov chain (Prentice et al. 2016).

    A bin's word comes from its mode alone, as in a mixture of independent populations, and the
    mode from the mode of the bin before (docs/method.md, section 11). The chain starts anew with
    each epoch and after each gap that a split left.

    Single words (``score_samples``, ``sample``, ``log_odds``) have the modes as often as the chain
    visits them in the long run. Trains (``score_sequence``, ``decode``) take every bin in time
    order.

    Parameters
    ----------
    n_modes : int
        Modes.
    {passes}

    Attributes
    ----------
    modes_ : ndarray, shape (n_modes, n_units)
        Probability of a spike of each unit in each mode; the most frequent mode comes first.
    transitions_ : ndarray, shape (n_modes, n_modes)
        Probability of the next mode (column) given this one (row).
    start_ : ndarray, shape (n_modes,)
        Probability of the first mode of a run of bins.
    weights_ : ndarray, shape (n_modes,)
        Probability of each mode in the long run.
    {end of the passes}

    Examples
    --------
    >>> truth = HiddenMarkovModes.from_parameters(
    ...     [[0.05, 0.05], [0.6, 0.7]], [[0.95, 0.05], [0.2, 0.8]]
    ... )
    >>> trains, modes = truth.sample_sequence(5000, random_state=0)
    >>> model = HiddenMarkovModes(n_modes=2).fit(trains)
    >>> model.transitions_.round(1).tolist()
    [[0.9, 0.1], [0.2, 0.8]]
    >>> bool((model.decode(trains) == modes).mean() > 0.9)
    True
    """

    _kept_arrays: ClassVar[dict[str, str]] = {
        "modes_": "float64 k n",
        "transitions_": "float64 k k",
        "start_": "float64 k",
    }

    _numbers = "n_modes", (1, 2, 5, 10, 20, 30, 60, 100)

    n_modes: int = setting(30, COUNT)

    @classmethod
    def from_parameters(
        cls, modes: ArrayLike, transitions: ArrayLike, start: ArrayLike | None = None
    ) -> Self:
        """Make a ready model without fitting.

        Parameters
        ----------
        modes : array_like, shape (n_modes, n_units)
            Probability of a spike of each unit in each mode, between 0 and 1 and not on them.
        transitions : array_like, shape (n_modes, n_modes)
            Probability of the next mode (column) given this one (row), all positive.
        start : array_like, shape (n_modes,), optional
            Probability of the first mode of a run; by default as in the long run.
        """
        n = len(np.atleast_1d(modes))
        first = np.full(n, 1.0 / max(n, 1)) if start is None else start
        model = cls._of({"modes": modes, "transitions": transitions, "start": first})
        model.n_modes, model.start_ = n, model.weights_ if start is None else model.start_
        return model

    def _check_arrays(self) -> None:
        super()._check_arrays()
        self.weights_ = long_run(self.transitions_)

    def _size(self) -> Size:
        n = len(self.modes_)  # starts, and transitions from each mode, add up to 1
        return Size(self.modes_.size + (n + 1) * (n - 1), text=counted(n, "mode"))

    def _log_probability_in_time(self, words: Words) -> Floats:
        return self._chain().filtered(Trains.of(words))[1]

    def predicted_modes(self, X: Words | ArrayLike) -> Floats:
        """Probability of each mode given the earlier bins of the run, shape (n_bins, n_modes)."""
        return self._predicted_modes(self._sequence(X))

    def _predicted_modes(self, words: Words) -> Floats:
        trains = Trains.of(words)
        filtered, _ = self._chain().filtered(trains)
        predicted = np.empty_like(filtered)
        for part in chunks(*filtered.shape):
            predicted[part] = filtered[part] @ self.transitions_
        predicted[1:] = predicted[:-1].copy()
        predicted[trains.runs[:-1]] = self.start_
        return predicted

    def _log_odds_in_time(self, words: Words, units: list[int]) -> Floats:
        predicted, modes = self._predicted_modes(words), self.modes_[:, units]
        out = np.empty((len(predicted), len(units)))
        for part in chunks(*out.shape):
            out[part] = log_odds_of_mixed(predicted[part], modes)
        return out

    def decode(self, X: Words | ArrayLike) -> NDArray[np.intp]:
        """Most likely modes of each run of bins (Viterbi), shape (n_bins,)."""
        return self._chain().best_path(Trains.of(self._sequence(X)))

    def sample_sequence(
        self, n_bins: int, random_state: Any = 0
    ) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
        """Draw one run of spike trains.

        Returns
        -------
        words : ndarray of uint8, shape (n_bins, n_units)
            In time order.
        modes : ndarray of int, shape (n_bins,)
            Mode of each bin.
        """
        check_is_fitted(self)
        whole_number("n_bins", n_bins, least=1)
        rng = random_generator(random_state)
        uniform, path = rng.random(n_bins), np.empty(n_bins, dtype=np.intp)
        following, upto = steps(self.transitions_), steps(self.start_)
        for t in range(n_bins):
            path[t] = np.searchsorted(upto, uniform[t], side="right")
            upto = following[path[t]]
        return draw_words(self.modes_, path, rng), path

    def _fit(self, words: Words) -> None:
        summit = fit_markov(words, int(self.n_modes), *self._search_settings())
        logits, log_start, log_transitions = summit.theta
        self.transitions_ = np.exp(log_transitions)
        order = np.argsort(-long_run(self.transitions_), kind="stable")
        self.transitions_ = np.ascontiguousarray(self.transitions_[order][:, order])
        self.weights_ = long_run(self.transitions_)
        self.modes_ = np.asarray(expit(logits[order]))
        self.start_ = np.exp(log_start[order])
        self._report(summit)

    def _chain(self) -> Chain:
        check_is_fitted(self)
        return Chain.of(self.modes_, self.start_, self.transitions_)
