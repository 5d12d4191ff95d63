"""The independent model: each unit fires at its own rate."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..incomplete import AnyWords, IncompleteWords
from ..parameters import Floats, Kind, Parameters
from ._base import PopulationModel
from ._words_estimator import floored_rates


class Independent(PopulationModel):
    """Independent units; the baseline of every comparison.

    The fit is closed form, b = log(p / (1 - p)), for every objective.

    Attributes
    ----------
    objective_ : float
        Minus the log-likelihood, nats per word, to compare with the other models'.
    optimality_, n_iter_ : float and int
        Zero and one: a closed form is exact.

    Examples
    --------
    >>> model = Independent().fit([[0, 1], [0, 1], [1, 1], [0, 0]])
    >>> model.conditional([[0, 0]], unit=0).round(2).tolist()
    [0.25]
    """

    _kind: ClassVar[Kind] = "independent"

    def fit(
        self, X: AnyWords | ArrayLike, y: None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        words = self._training_words(X, sample_weight)
        rates, floored = words.rates, floored_rates(words)
        fires, rests = np.log(floored), np.log1p(-floored)
        self._set_parameters(Parameters(b=fires - rests), words)
        self.objective_ = -float(rates @ fires + (1.0 - rates) @ rests)
        if isinstance(X, IncompleteWords):
            self.objective_ = -self.score(X)
        self.optimality_, self.n_iter_ = 0.0, 1
        return self

    def _check_incomplete(self) -> None:
        """Rates of the bins in which units were observed have the highest likelihood."""

    def _log_marginal(self, words: IncompleteWords) -> Floats:
        b = self.parameters_.b
        return np.asarray(words.X @ b - ~words.missing @ np.logaddexp(0.0, b))
