"""Maximum likelihood of one drive common to all units, with gains of their own.

With s = w'x, log p(x) = b'x + log sum_q exp(s g_q + a_q), where a_q is the log probability of the
node and of silence at it. Words therefore meet the nodes through the one number s, and slopes need
of each word the mean of the drive alone.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logit

from ..objectives.sparse_words import listed_words
from ..validation import Floats, chunks
from ..words import Words
from ._components import posterior
from ._words_estimator import floored_rates, scaled_counts

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
