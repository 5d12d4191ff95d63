"""One drive common to all units, which follow it with unequal gains."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from ..solvers import Certificate
from ..validation import Floats
from ..words import Words
from ._alternative import AlternativeModel, warn_unless_converged
from ._drive_fit import fit_drive, gaussian_drive
from ._modes import ModesModel
from ._settings import COUNT, POSITIVE, Choice, setting
from ._words_estimator import Size

#: Distributions of the drive, and what they are called.
_DISTRIBUTIONS = {"gaussian": "Gaussian drive", "free": "drive of any distribution"}
#: Log odds of a spike are kept within this, where 1 - P still has digits.
_MOST_LOG_ODDS = 30.0


@dataclass(eq=False, repr=False)
class CommonDrive(ModesModel):
    """One drive g common to all units: p(x) = sum_q omega_q prod_n p(x_n | b_n + w_n g_q).

    Given the drive, units are independent, and unit n spikes with the probability
    sigmoid(b_n + w_n g). The drive of a word is normal with mean 0 and variance 1, or has a
    distribution that is fitted too. The model is a mixture of independent populations, normalised
    at any size, and the fit a local optimum (docs/method.md, section 11, also for the priors).

    Parameters
    ----------
    distribution : {"gaussian", "free"}
        Of the drive. :func:`microcolumn.tune` tries both.
    ridge : float
        Inverse variance of the gains' prior.
    tol : float
        Largest slope of the objective that counts as converged, by log weights, and by biases and
        gains times the standard deviation of their unit. At the true parameters slopes are about
        one by the square root of the number of words, 0.003 of 100,000.
    max_iter : int
        Most iterations of L-BFGS. A free distribution starts from the fit of a normal one.

    Attributes
    ----------
    b_ : ndarray, shape (n_bits,)
        Log odds of a spike where the drive is 0.
    w_ : ndarray, shape (n_bits,)
        Gains: change of the log odds by one standard deviation of the drive. Their sum is not
        negative.
    drive_ : ndarray, shape (n_nodes,)
        Values of the drive, with mean 0 and variance 1 under ``weights_``. Its mean given words is
        ``model.responsibilities(X) @ model.drive_``.
    weights_ : ndarray, shape (n_nodes,)
        Probability omega of each of them.
    modes_ : ndarray, shape (n_nodes, n_bits)
        Probability of a spike of each bit at each value of the drive.
    objective_ : float
        Minus the log-likelihood and log prior per word, nats.
    certificate_ : Certificate
        Converged if its optimality, the largest slope, is no more than ``tol``.
    n_iter_ : int
        Iterations; of a free distribution those after the fit of a normal one.

    Examples
    --------
    >>> truth = CommonDrive.from_parameters([-1.0] * 6, [0.2, 0.5, 1.0, 1.0, 1.5, 2.0])
    >>> model = CommonDrive().fit(truth.sample(100_000, random_state=0))
    >>> model.w_.round(1).tolist()
    [0.2, 0.5, 1.0, 1.0, 1.5, 2.0]
    """

    _fitted_numbers = (*AlternativeModel._fitted_numbers, "objective_", "n_iter_")
    _kept_arrays: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("b_", "w_"), "float64 n"),
        **dict.fromkeys(("drive_", "weights_"), "float64 k"),
    }

    distribution: str = setting("gaussian", [Choice(set(_DISTRIBUTIONS))])
    _: KW_ONLY
    ridge: float = setting(0.1, POSITIVE)
    tol: float = setting(1e-4, POSITIVE)
    max_iter: int = setting(5000, COUNT)

    @classmethod
    def from_parameters(
        cls,
        b: ArrayLike,
        w: ArrayLike,
        drive: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Self:
        """Make a ready model without fitting.

        Parameters
        ----------
        b, w : array_like, shape (n_bits,)
            Log odds of a spike where the drive is 0, and gains.
        drive, weights : array_like, shape (n_nodes,), optional
            Values of the drive and their probabilities; by default those of a normal drive.
        """
        nodes, shares = gaussian_drive(np.size(b))
        given: dict[str, ArrayLike] = {"b": b, "w": w}
        given["drive"] = nodes if drive is None else drive
        given["weights"] = shares if weights is None else weights
        free = drive is not None or weights is not None
        return cls._of(given, distribution="free" if free else "gaussian")

    def _check_arrays(self) -> None:
        self._check_distributions("weights_")
        self._set_modes()

    def _set_modes(self) -> None:
        logits = self.b_ + np.outer(self.drive_, self.w_)
        self.modes_ = np.asarray(expit(np.clip(logits, -_MOST_LOG_ODDS, _MOST_LOG_ODDS)))

    def _size(self) -> Size:
        n = self.b_.size + np.count_nonzero(self.w_)
        if self.distribution == "free":  # whose mean and variance say nothing
            n += self.drive_.size - 3
        return Size(n, text=_DISTRIBUTIONS[self.distribution])

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Both distributions of the drive."""
        return tuple({"distribution": name} for name in _DISTRIBUTIONS)

    def _fit(self, words: Words) -> None:
        free, ridge = self.distribution == "free", float(self.ridge)
        fit, result = fit_drive(words, free, ridge, self.tol, int(self.max_iter))
        self.b_, self.w_, self.drive_, self.weights_ = fit
        self._set_modes()
        self.objective_, self.n_iter_ = float(result.fun), int(result.nit)
        optimality = float(np.abs(result.jac).max())
        self.certificate_ = Certificate(optimality <= self.tol, optimality)
        problem = (
            f"with a {self._size().text} is not converged: after {self.n_iter_} iterations its "
            f"largest slope is {optimality:.2g} (tol={self.tol:g}); raise max_iter or tol"
        )
        warn_unless_converged(self, problem, stacklevel=4)

    def _slopes(self, bits: NDArray[np.uint8]) -> Floats:
        """Of biases and gains of units that have a gain and, of a free drive, of log weights."""
        r = self._responsibilities(bits)
        by_b = bits - r @ self.modes_
        by_w = (r @ self.drive_)[:, None] * bits - (r * self.drive_) @ self.modes_
        return np.hstack([by_b, by_w, r] if self.distribution == "free" else [by_b, by_w])
