"""Annealed importance sampling of log Z, with the reverse run as its check (METHOD section 5).

Forward: words drawn from an independent base model are carried to the model by one collapsed
Gibbs sweep per inverse temperature; the mean of the weights is Z / Z_base (Neal 2001). Reverse:
words of the model are carried back by the reversed sweeps; the mean of the inverse weights is
Z_base / Z. On average the logarithm of the first is too low and that of the second too high.

Both weights follow Crooks' relation P_reverse(w) = (w / Z) P_forward(w): mass that the reverse
run finds beyond the largest forward weight is mass that no forward chain has seen, whatever
standard error the forward weights show.
"""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit, logsumexp
from sklearn.exceptions import ConvergenceWarning

from ..parameters import Parameters
from ..validation import Bits, Floats, random_generator, real_array, real_number, whole_number
from ._exact import can_sample_exactly, exact_samples
from ._gibbs import RandomState, Sampler, new_seed, words_of_units
from ._result import LogPartition

Base = Literal["rates", "uniform"]

#: Rates of the base stay this far from 0 and 1: a base that forbids words cannot reach them.
_RATE_MARGIN = 1e-3
#: Rounding of log weights, nats: differences below it are none.
_ROUNDING = 1e-9
#: Forward and reverse must agree within this many combined standard errors.
_AGREEMENT = 3.0
#: Reverse chains per forward chain: of 1000 words at least one lies in a mode that holds 1 % of
#: the mass with probability 0.99996, of 500 only with 0.993.
_REVERSE = 2
#: Operations of a site update besides the hidden units: random number, log, exp and comparison.
_OPERATIONS_PER_SITE = 90
#: Pilot run for rates that nobody gave; they need not be exact, only near.
_PILOT_CHAINS, _PILOT_SWEEPS = 1024, 200


def annealed_importance_sampling(
    theta: Parameters,
    *,
    base: Base = "rates",
    rates: ArrayLike | None = None,
    words: ArrayLike | None = None,
    n_chains: int = 500,
    n_steps: int = 1000,
    max_steps: int = 100_000,
    tolerance_bits: float = 0.02,
    random_state: RandomState = None,
    progress: bool | None = None,
) -> LogPartition:
    """Estimate log Z by annealing, doubling the steps until forward and reverse run settle.

    Parameters
    ----------
    theta : Parameters
        The model.
    base : {"rates", "uniform"}
        Where the path starts: the independent model at the units' firing rates, or fair coins.
    rates : array_like, shape (n_units,), optional
        Probability of each unit to be active in a word; taken from ``words`` if those are given
        instead, and from a short annealed Gibbs run of the model if neither is. Kept away from
        0 and 1 by 0.001.
    words : array_like, shape (n_words, n_units), optional
        Data words. The reverse run starts from them where the model is too large for exact
        samples; without them it starts from the base and cannot see modes that only data show.
    n_chains : int
        Number of forward chains; the reverse run has twice as many.
    n_steps : int
        Number of inverse temperatures of the first run; they are equally spaced (denser spacing
        at either end measured up to 50 % more variance on random models).
    max_steps : int
        Largest number of steps to try.
    tolerance_bits : float
        What the estimate may move on doubling, its standard error, and its distance from the
        reverse estimate, all in bits.
    random_state : int, Generator or None
        Source of the seeds; the result does not depend on the number of threads.
    progress : bool, optional
        Show a bar once a run takes longer than a few seconds; by default on a terminal only.

    Returns
    -------
    LogPartition
        ``converged`` says that the estimate settled within the tolerance, that the reverse
        estimate agrees within it and within three standard errors, and that the reverse
        run found no mass that the forward chains missed. If not, a ConvergenceWarning says why.

    Examples
    --------
    >>> theta = Parameters(b=[-1.0, -2.0], J=[[0.0, 0.5], [0.5, 0.0]])
    >>> result = annealed_importance_sampling(theta, random_state=0)
    >>> exact = np.log(1 + np.exp(-1) + np.exp(-2) + np.exp(-2))
    >>> bool(abs(result.value - exact) < 4 * result.stderr)
    True
    """
    _check_run(n_chains, n_steps, max_steps, tolerance_bits)
    data = None if words is None else words_of_units(words, theta.n_visible, "words")
    started = time.perf_counter()
    rng = random_generator(random_state)
    live, log_factor = theta.only_live()
    logits = base_logits(live, base, rates, data, rng)
    offset = log_factor + float(np.logaddexp(0.0, logits).sum())
    tolerance = tolerance_bits * math.log(2.0)
    annealing = Annealing(live, logits, n_chains, rng, progress, data)
    trace: list[tuple[int, float, float]] = []
    while True:
        forward = annealing.forward(n_steps)
        value, stderr = log_mean(forward)
        trace.append((n_steps, value + offset, stderr))
        settled = _settled(trace, tolerance)
        last = n_steps >= max_steps
        if settled or last:
            reverse = annealing.reverse(n_steps)
            doubt = _doubt(forward, reverse, settled, tolerance)
            if doubt is None or last:
                break
        n_steps = min(2 * n_steps, max_steps)
    if doubt is not None:
        warnings.warn(_advice(doubt, n_steps, n_chains), ConvergenceWarning, stacklevel=2)
    reverse_value, reverse_stderr = log_mean(-reverse)
    return LogPartition(
        value=value + offset,
        stderr=stderr,
        method="ais",
        n_operations=annealing.n_operations,
        seconds=time.perf_counter() - started,
        converged=doubt is None,
        effective_sample_size=effective_sample_size(forward),
        reverse=offset - reverse_value,
        reverse_stderr=reverse_stderr,
        n_steps=n_steps,
        trace=tuple(trace),
    )


@dataclass(slots=True)
class Annealing:
    """Runs between the base and one model, with the words that reverse runs start from."""

    theta: Parameters
    base_logits: Floats
    n_chains: int
    rng: np.random.Generator
    progress: bool | None
    words: Bits | None
    n_updates: int = 0
    model_words: Bits | None = None
    equilibrating: Sampler | None = None

    @property
    def n_operations(self) -> float:
        """Multiply-adds so far, those of flips not counted."""
        return float(self.n_updates) * (2 * self.theta.n_hidden + _OPERATIONS_PER_SITE)

    @property
    def _n_reverse(self) -> int:
        return _REVERSE * self.n_chains

    def forward(self, n_steps: int) -> Floats:
        """Log weights of chains from the base to the model, shape (n_chains,)."""
        betas = np.linspace(0.0, 1.0, n_steps + 1)
        return self._weights(self._sampler(self.n_chains), betas, backwards=False)

    def reverse(self, n_steps: int) -> Floats:
        """Log weights of chains from the model to the base, shape (n_chains,).

        The transitions of the forward run in the opposite order, each a scan in the opposite
        order; the sweep at beta = 1 that comes first leaves the model's words as they are.
        """
        start = self._from_model(n_steps)
        betas = np.linspace(1.0, 0.0, n_steps + 1)
        return self._weights(self._sampler(len(start), start), betas, backwards=True)

    def _weights(self, sampler: Sampler, betas: Floats, *, backwards: bool) -> Floats:
        way = "reverse" if backwards else "forward"
        self._run(sampler, betas[:-1], np.abs(np.diff(betas)), backwards, f"AIS {way}")
        return sampler.log_weights

    def _run(
        self,
        sampler: Sampler,
        betas: Floats,
        increments: Floats | None,
        backwards: bool,
        label: str,
    ) -> None:
        label = f"{label}, {len(betas)} steps"
        sampler.run(betas, increments, backwards=backwards, progress=self.progress, label=label)
        self.n_updates += sampler.n_chains * len(betas) * self.theta.n_visible

    def _sampler(self, n_chains: int, start: Bits | None = None) -> Sampler:
        return Sampler(
            self.theta,
            n_chains,
            seed=new_seed(self.rng),
            base_logits=self.base_logits,
            initial=start,
        )

    def _from_model(self, n_steps: int) -> Bits:
        """Words of the model: exact ones where they can be had, else Gibbs after n_steps sweeps.

        Exact words are drawn once. Fresh ones for every attempt would give a rare mode as many
        chances to be absent.
        """
        if self.model_words is None and can_sample_exactly(self.theta):
            self.model_words = exact_samples(self.theta, self._n_reverse, self.rng)
        if self.model_words is not None:
            return self.model_words
        if self.equilibrating is None:
            self.equilibrating = self._equilibrating()
        self._run(self.equilibrating, np.ones(n_steps), None, False, "Gibbs")
        return self.equilibrating.words

    def _equilibrating(self) -> Sampler:
        if self.words is None:
            return self._sampler(self._n_reverse).run([0.0])
        chosen = self.rng.integers(len(self.words), size=self._n_reverse)
        return self._sampler(self._n_reverse, self.words[chosen])


def log_mean(log_weights: Floats) -> tuple[float, float]:
    """Logarithm of the mean weight and its standard error by the delta method (nats)."""
    n = len(log_weights)
    largest = float(log_weights.max())
    weights = np.exp(log_weights - largest)
    mean = float(weights.mean())
    stderr = float(weights.std(ddof=1)) / (mean * math.sqrt(n)) if n > 1 else math.inf
    return largest + math.log(mean), stderr


def effective_sample_size(log_weights: Floats) -> float:
    """(sum w)^2 / sum w^2: how many equally weighted chains carry as much information."""
    return float(np.exp(2 * logsumexp(log_weights) - logsumexp(2 * log_weights)))


def missed_log_mass(forward: Floats, reverse: Floats) -> float:
    """How much of log Z the forward chains missed, by Crooks' relation (nats, not negative).

    A share m of the reverse chains has weights beyond the largest forward one, t. So the words
    behind them hold a share m of Z; a forward chain reaches them with probability
    q = E_reverse[Z / w; w > t], and given that none did, the forward mean is Z (1 - m) / (1 - q).
    Where the two runs merely overlap, w is near Z and q is near m; where a mode is missing, w
    is far above Z and q is near 0.
    """
    beyond = reverse > forward.max()
    share = float(beyond.mean())
    if share == 1.0:
        return math.inf
    relative = np.exp(log_mean(forward)[0] - reverse[beyond])
    reached = float(relative.sum()) / len(reverse)
    return math.log1p(-reached) - math.log1p(-share)


def _settled(trace: list[tuple[int, float, float]], tolerance: float) -> bool:
    if len(trace) < 2:
        return False
    (_, before, _), (_, value, stderr) = trace[-2:]
    return abs(value - before) < tolerance and stderr < tolerance


def _doubt(forward: Floats, reverse: Floats, settled: bool, tolerance: float) -> str | None:
    """What speaks against the forward estimate, in words; None if nothing does."""
    value, stderr = log_mean(forward)
    negative, reverse_stderr = log_mean(-reverse)
    gap = -negative - value
    bits = 1.0 / math.log(2.0)
    if not settled:
        return (
            f"it moved by more than {tolerance * bits:.3g} bits on the last doubling, or its "
            f"standard error of {stderr * bits:.3g} bits is above that"
        )
    missed = missed_log_mass(forward, reverse)
    if missed > stderr + _ROUNDING:
        return (
            f"the reverse run found words that hold {-math.expm1(-missed):.2%} of the mass and "
            "that no forward chain reached"
        )
    combined = math.hypot(stderr, reverse_stderr)
    if max(abs(gap), reverse_stderr) > tolerance or abs(gap) > _AGREEMENT * combined + _ROUNDING:
        return (
            f"the reverse run is {gap * bits:+.3g} bits away, with standard errors of "
            f"{stderr * bits:.3g} forward and {reverse_stderr * bits:.3g} reverse"
        )
    return None


def _advice(doubt: str, n_steps: int, n_chains: int) -> str:
    return (
        f"annealed importance sampling has not converged after {n_steps} steps of {n_chains} "
        f"chains: {doubt}; raise max_steps or n_chains, or sum exactly if the model allows it"
    )


def base_logits(
    theta: Parameters,
    base: Base,
    rates: ArrayLike | None,
    words: Bits | None,
    rng: np.random.Generator,
) -> Floats:
    """Logits of the independent model that chains start from, shape (n_units,).

    The parameters are those of :func:`annealed_importance_sampling`.
    """
    if not (isinstance(base, str) and base in ("rates", "uniform")):
        raise ValueError(f"base is {base!r}; use 'rates' or 'uniform'")
    if base == "uniform":
        if rates is not None:
            raise ValueError("rates are given with base='uniform'; use base='rates' or drop them")
        return np.zeros(theta.n_visible)
    if rates is not None:
        probabilities = _checked_rates(rates, theta.n_visible)
    elif words is not None:
        probabilities = words.mean(axis=0)
    else:
        probabilities = _pilot_rates(theta, rng)
    logits: Floats = logit(np.clip(probabilities, _RATE_MARGIN, 1.0 - _RATE_MARGIN))
    return logits


def _checked_rates(rates: ArrayLike, n_units: int) -> Floats:
    probabilities = real_array("rates", rates, "pass one probability per unit")
    if probabilities.shape != (n_units,):
        raise ValueError(
            f"rates has shape {probabilities.shape}; it needs one entry for each of {n_units} units"
        )
    if not np.all((probabilities >= 0.0) & (probabilities <= 1.0)):
        raise ValueError("rates holds values outside [0, 1]; pass probabilities per word")
    return probabilities


def _pilot_rates(theta: Parameters, rng: np.random.Generator) -> Floats:
    """Mean activity of chains annealed from fair coins to the model; any base would be valid."""
    sampler = Sampler(theta, _PILOT_CHAINS, seed=new_seed(rng))
    rates: Floats = sampler.run(np.linspace(0.0, 1.0, _PILOT_SWEEPS)).words.mean(axis=0)
    return rates


def _check_run(n_chains: int, n_steps: int, max_steps: int, tolerance_bits: float) -> None:
    for name, value in (("n_chains", n_chains), ("n_steps", n_steps), ("max_steps", max_steps)):
        whole_number(name, value)
    real_number("tolerance_bits", tolerance_bits, "it must be a positive number of bits")
    if n_chains < 2:
        raise ValueError(f"n_chains is {n_chains}; a standard error needs at least 2")
    if not 1 <= n_steps <= max_steps:
        raise ValueError(f"n_steps is {n_steps}; it must lie between 1 and max_steps={max_steps}")
    if not tolerance_bits > 0:
        raise ValueError(f"tolerance_bits is {tolerance_bits}; it must be positive")
