"""One drive common to all units, which follow it with unequal gains."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from ..errors import BadArgument
from ..solvers import Certificate
from ..validation import Floats, check_entries, real_array
from ..words import Words
from ._alternative import AlternativeModel
from ._drive_fit import DriveFit, fit_drive, gaussian_drive
from ._modes import ModesModel, checked_distribution
from ._settings import COUNT, POSITIVE, Choice
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
    distribution that is fitted too, which makes the model a Rasch model with unequal slopes. The
    integral over g is a sum over nodes of equal distance, so that the model is a mixture of
    independent populations, normalised at any size, whose components lie on one line.

    Priors. Gains w are normal around 0 with the variance 1 / ``ridge``, which keeps them finite
    where the drive could tell exactly when a unit spikes. A distribution of any form has seen ten
    words of a normal drive. Units that never or always spike have no gain and a rate kept half a
    count away from never and always, like independent units.

    The fit is a local optimum. It starts from the first principal component of the correlations.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "distribution": [Choice(set(_DISTRIBUTIONS))],
        "ridge": POSITIVE,
        "tol": POSITIVE,
        "max_iter": COUNT,
    }
    _fitted_numbers = (*AlternativeModel._fitted_numbers, "objective_", "n_iter_")
    _kept_arrays = ("b_", "w_", "drive_", "weights_")

    distribution: str = "gaussian"
    _: KW_ONLY
    ridge: float = 0.1
    tol: float = 1e-4
    max_iter: int = 5000

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
        biases = _vector("b", b)
        gains = _vector("w", w, biases)
        nodes, shares = gaussian_drive(biases.size)
        free = drive is not None or weights is not None
        nodes = nodes if drive is None else _vector("drive", drive)
        shares = checked_distribution(
            "weights", shares if weights is None else weights, nodes.shape
        )
        model = cls("free" if free else "gaussian")
        model._take(DriveFit(biases, gains, nodes, shares))
        model._set_words_info(biases.size, None)
        return model

    @property
    def weights_(self) -> Floats:
        """Probability of each value of the drive, shape (n_nodes,)."""
        return self._weights

    def _take(self, found: DriveFit) -> None:
        self.b_, self.w_, self.drive_, self._weights = found
        logits = self.b_ + np.outer(self.drive_, self.w_)
        self.modes_ = np.asarray(expit(np.clip(logits, -_MOST_LOG_ODDS, _MOST_LOG_ODDS)))

    def _size(self) -> Size:
        n = self.b_.size + np.count_nonzero(self.w_)
        if self.distribution == "free":  # whose mean and variance say nothing
            n += self.drive_.size - 3
        return Size(n, chosen=_DISTRIBUTIONS[self.distribution])

    def grid(self, words: Words) -> tuple[dict[str, Any], ...]:
        """Both distributions of the drive."""
        return tuple({"distribution": name} for name in _DISTRIBUTIONS)

    def _fit(self, words: Words) -> None:
        free, ridge = self.distribution == "free", float(self.ridge)
        found, result = fit_drive(words, free, ridge, self.tol, int(self.max_iter))
        self._take(found)
        self.objective_, self.n_iter_ = float(result.fun), int(result.nit)
        optimality = float(np.abs(result.jac).max())
        self.certificate_ = Certificate(optimality <= self.tol, optimality)
        if not self.certificate_.converged:
            warnings.warn(
                f"CommonDrive with a {self._size().chosen} is not converged: after {self.n_iter_} "
                f"iterations its largest slope is {optimality:.2g} (tol={self.tol:g}); raise "
                "max_iter or tol",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _slopes(self, bits: NDArray[np.uint8]) -> Floats:
        """Of biases and gains of units that have a gain and, of a free drive, of log weights."""
        r = self._responsibilities(bits)
        by_b = bits - r @ self.modes_
        by_w = (r @ self.drive_)[:, None] * bits - (r * self.drive_) @ self.modes_
        return np.hstack([by_b, by_w, r] if self.distribution == "free" else [by_b, by_w])


def _vector(name: str, values: ArrayLike, like: Floats | None = None) -> Floats:
    """Finite numbers, one or more and as many as in ``like``, or a sentence about what is wrong."""
    found = real_array(name, values, "pass a list of numbers")
    if found.ndim != 1 or not found.size or found.size != (found if like is None else like).size:
        raise BadArgument(name, f"has shape {found.shape}", "pass one number for each unit or node")
    check_entries(name, found, np.isfinite(found), "pass finite numbers")
    return found
