"""One drive common to all units, which follow it with unequal gains, by maximum likelihood.

With s = w'x, log p(x) = b'x + log sum_q exp(s g_q + a_q), where a_q is the log probability of the
node and of silence at it. Words therefore meet the nodes through the one number s, and slopes need
of each word the mean of the drive alone.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logit

from ..objectives.sparse_words import listed_words
from ..solvers import Certificate
from ..validation import Floats, chunks
from ..words import Words
from ._alternative import AlternativeModel, warn_unless_converged
from ._components import posterior
from ._modes import ModesModel
from ._settings import COUNT, POSITIVE, Choice, setting
from ._words_estimator import Size, floored_rates, scaled_counts

#: Distributions of the drive, and what they are called.
_DISTRIBUTIONS = {"gaussian": "Gaussian drive", "free": "drive of any distribution"}
#: Log odds of a spike are kept within this, where 1 - P still has digits.
_MOST_LOG_ODDS = 30.0
#: Standard deviations to either side that nodes reach. Beyond them is one word in 500 million, but
#: given its word the drive may be far out: 400 units that are silent together say that it is at -4.
_REACH = 6.0
#: Nodes per standard deviation, of up to 100 units and beyond with the square root of their number:
#: the drive given a word has the variance 1 / (1 + sum_n w_n^2 P_n (1 - P_n)). Where half of all
#: units spike, at gains of 1 it is 1.2 nodes wide, and log p is exact to 1e-8; at gains of 2
#: to 0.002.
_PER_DEVIATION, _UNITS = 6.0, 100
#: Words of a normal drive that a free distribution has seen.
_PRIOR_WORDS = 10.0
#: Steps of the power method for the start, least square of its gains, and largest gain.
_STEPS, _LEAST, _LARGEST = 30, 0.01, 2.0
#: Steps that L-BFGS remembers: with twenty, free distributions take nearly twice the iterations.
_MEMORY = 100


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


class DriveFit(NamedTuple):
    """Parameters of the model."""

    b: Floats  # log odds of a spike where the drive is 0, (n_bits,)
    w: Floats  # gains, (n_bits,)
    drive: Floats  # nodes, (n_nodes,)
    weights: Floats  # their probabilities, (n_nodes,)


def gaussian_drive(n_bits: int) -> tuple[Floats, Floats]:
    """Nodes of equal distance, and the probabilities of a normal drive at them.

    Sums over such nodes converge faster than any power of their distance where the integrand is
    smooth, and do not depend on where it is narrow, as those at Gauss-Hermite nodes do.
    """
    per_deviation = _PER_DEVIATION * math.sqrt(max(1.0, n_bits / _UNITS))
    half = math.ceil(_REACH * per_deviation)
    nodes = np.linspace(-_REACH, _REACH, 2 * half + 1)
    weights = np.exp(-0.5 * nodes**2)
    return nodes, weights / weights.sum()


class DriveLikelihood:
    """Minus the log-likelihood and log prior per word, and its slopes.

    Biases and gains are scaled by the standard deviation of their unit, so that the objective is
    about as curved by those of a unit that spikes rarely as by others.
    """

    def __init__(self, words: Words, ridge: float) -> None:
        self.words, self.counts, self.ridge = listed_words(words.X), scaled_counts(words), ridge
        self.total = float(self.counts.sum())
        self.rates = floored_rates(words)
        self.varies = (words.rates > 0.0) & (words.rates < 1.0)
        self.nodes, self.normal = gaussian_drive(self.rates.size)
        deviations = np.sqrt(self.rates * (1.0 - self.rates))
        self.scales = np.concatenate([deviations, deviations, np.ones(self.nodes.size)])
        self._spikes = self.words.T @ self.counts

    def parts(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Biases, gains and log weights of scaled parameters; a normal drive has no weights."""
        plain, n = x / self.scales[: x.size], self.rates.size
        log_weights = log_softmax(plain[2 * n :]) if x.size > 2 * n else np.log(self.normal)
        return plain[:n], plain[n : 2 * n], log_weights

    def value_and_slopes(self, x: Floats) -> tuple[float, Floats]:
        """Objective, nats per word, and its slopes by scaled parameters."""
        b, w, log_weights = self.parts(x)
        nodes, logits = self.nodes, b + np.outer(self.nodes, w)
        at_silence = log_weights - np.logaddexp(0.0, logits).sum(axis=1)
        sums, means = self.words @ w, np.empty(self.counts.size)
        shares, nats = np.zeros(nodes.size), float(self._spikes @ b)
        for part in chunks(sums.size, nodes.size):
            r, log_p = posterior(np.multiply.outer(sums[part], nodes) + at_silence)
            means[part] = r @ nodes
            shares += self.counts[part] @ r
            nats += float(self.counts[part] @ log_p)
        p = expit(logits)
        by_b = self._spikes - shares @ p
        by_w = self.words.T @ (self.counts * means) - (shares * nodes) @ p - self.ridge * w
        nats -= 0.5 * self.ridge * float(w @ w)
        slopes = [np.where(self.varies, by_b, 0.0), np.where(self.varies, by_w, 0.0)]
        if x.size > 2 * w.size:
            nats += _PRIOR_WORDS * float(self.normal @ log_weights)
            seen = shares + _PRIOR_WORDS * self.normal
            slopes.append(seen - seen.sum() * np.exp(log_weights))
        return -nats / self.total, -np.concatenate(slopes) / (self.scales[: x.size] * self.total)

    def start(self) -> Floats:
        """Scaled parameters by the first principal component of the words' correlations.

        For weak gains, correlations are the products of gains times deviations of both units.
        """
        deviations = self.scales[: self.rates.size]
        component, variance = self.varies.astype(np.float64), 0.0
        for _ in range(_STEPS):
            along = self.words @ (component / deviations)
            along = self.counts * (along - self.counts @ along / self.total)
            component = (self.words.T @ along) / (deviations * self.total)
            variance = float(np.linalg.norm(component))
            component /= max(variance, 1e-300)
        gains = component * math.sqrt(max(variance - 1.0, _LEAST)) / deviations
        gains = np.where(self.varies, np.clip(gains, -_LARGEST, _LARGEST), 0.0)
        # The mean of exp(w g) is exp(w^2 / 2), which is the mean rate of units that spike rarely.
        biases: Floats = logit(self.rates) - 0.5 * gains**2 * (1.0 - 2.0 * self.rates)
        scaled: Floats = np.concatenate([biases, gains]) * self.scales[: 2 * gains.size]
        return scaled


def fit_drive(
    words: Words, free: bool, ridge: float, tol: float, max_iter: int
) -> tuple[DriveFit, Any]:
    """Parameters of highest posterior probability, and what L-BFGS says of its last point.

    A free distribution starts from the fit of a normal one.
    """
    likelihood = DriveLikelihood(words, ridge)
    result = _minimum(likelihood, likelihood.start(), tol, max_iter)
    if free:
        start = np.concatenate([result.x, np.log(likelihood.normal)])
        result = _minimum(likelihood, start, tol, max_iter)
    b, w, log_weights = likelihood.parts(result.x)
    return _standardised(DriveFit(b, w, likelihood.nodes, np.exp(log_weights))), result


def _minimum(likelihood: DriveLikelihood, start: Floats, tol: float, max_iter: int) -> Any:
    return minimize(
        likelihood.value_and_slopes,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"gtol": tol, "ftol": 0.0, "maxiter": max_iter, "maxcor": _MEMORY},
    )


def _standardised(fit: DriveFit) -> DriveFit:
    """The same model with a drive of mean 0 and variance 1, and a sum of gains that is positive."""
    mean = float(fit.weights @ fit.drive)
    scale = math.sqrt(float(fit.weights @ (fit.drive - mean) ** 2))
    drive, w = (fit.drive - mean) / scale, fit.w * scale
    b, weights = fit.b + fit.w * mean, fit.weights
    if w.sum() < 0.0:
        drive, w, weights = -drive[::-1], -w, weights[::-1].copy()
    return DriveFit(b, w, drive, weights)
