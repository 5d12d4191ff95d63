"""A mixture of independent populations, fitted by expectation maximisation."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from ..formatting import counted
from ..words import Words
from ._modes import FittedByPasses
from ._modes_fit import fit_mixture
from ._settings import COUNT, documented, setting
from ._words_estimator import Size


@documented
@dataclass(eq=False, repr=False)
class BernoulliMixture(FittedByPasses):
    """Mixture of independent populations: p(x) = sum_k w_k prod_n P_kn^x_n (1 - P_kn)^(1 - x_n).

    Normalised at any size, with samples, conditionals and synchrony in closed form. The parameters
    have the highest posterior probability under a prior worth ``smoothing`` words (docs/method.md,
    section 11). Components without words fall back to the rates of independent units and next to
    no weight.

    Parameters
    ----------
    n_components : int
        Independent populations.
    {passes}

    Attributes
    ----------
    modes_ : ndarray, shape (n_components, n_bits)
        Probability of a spike of each bit in each component.
    weights_ : ndarray, shape (n_components,)
        Probability of each component; the most frequent comes first.
    {end of the passes}

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> together = rng.random((3000, 1)) < 0.3
    >>> X = rng.random((3000, 5)) < np.where(together, 0.6, 0.05)
    >>> model = BernoulliMixture(n_components=2).fit(X)
    >>> model.weights_.round(1).tolist(), model.modes_.mean(axis=1).round(1).tolist()
    ([0.7, 0.3], [0.1, 0.6])
    """

    _kept_arrays: ClassVar[dict[str, str]] = {"modes_": "float64 k n", "weights_": "float64 k"}

    _numbers = "n_components", (1, 2, 5, 10, 20, 40, 60, 100, 150)

    n_components: int = setting(20, COUNT)

    @classmethod
    def from_parameters(cls, modes: ArrayLike, weights: ArrayLike) -> Self:
        """Make a ready model without fitting.

        Parameters
        ----------
        modes : array_like, shape (n_components, n_bits)
            Probability of a spike of each bit in each component, between 0 and 1 and not on them.
        weights : array_like, shape (n_components,)
            Probability of each component.
        """
        model = cls._of({"modes": modes, "weights": weights})
        model.n_components = len(model.modes_)
        return model

    def _size(self) -> Size:
        n = len(self.modes_)  # whose weights add up to 1
        return Size(self.modes_.size + n - 1, text=counted(n, "component"))

    def _check_incomplete(self) -> None:
        """Missing bits have no part in the passes over the words."""

    def _fit(self, words: Words) -> None:
        summit = fit_mixture(words, int(self.n_components), *self._search_settings())
        logits, log_weights = summit.theta
        order = np.argsort(-log_weights, kind="stable")
        self.modes_ = np.asarray(expit(logits[order]))
        self.weights_ = np.exp(log_weights[order])
        self._report(summit)
