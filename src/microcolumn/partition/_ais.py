"""Annealed importance sampling of log Z, checked by the reverse run (docs/method.md, section 5).

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
from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit
from sklearn.exceptions import ConvergenceWarning

from ..parameters import Parameters
from ..validation import Bits, Floats, random_generator, real_array, real_number, whole_number
from ._gibbs import RandomState, Sampler, new_seed, words_of_units
from ._importance_weights import doubt_of, effective_sample_size, log_mean
from ._result import LogPartition
from ._samples import can_sample_exactly, exact_samples

Base = Literal["rates", "uniform"]


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

    ``converged`` of the result says that the estimate settled within the tolerance, that the
    reverse estimate agrees within it and within three standard errors, and that the reverse run
    found no mass that the forward chains missed. If not, a ConvergenceWarning says why. The result
    does not depend on the number of threads.

    Parameters
    ----------
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
        Source of the seeds.
    progress : bool, optional
        Show a bar once a run takes longer than a few seconds; by default on a terminal only.
    """
    _check_run(n_chains, n_steps, max_steps, tolerance_bits)
    data = None if words is None else words_of_units(words, theta.n_visible, "words")
    started = time.perf_counter()
    rng = random_generator(random_state)
    live, log_factor = theta.only_live()
    path = AnnealingPath(live, base_logits(live, base, rates, data, rng), rng, data, progress)
    offset = log_factor + path.log_z_base
    tolerance = tolerance_bits * math.log(2.0)
    at_model: Sampler | None = None
    trace: list[tuple[int, float, float]] = []
    n_sweeps = 0
    for steps in _doublings(n_steps, max_steps):
        forward = path.log_weights(n_chains, steps)
        n_sweeps += n_chains * steps
        value, stderr = log_mean(forward)
        trace.append((steps, value + offset, stderr))
        moved = abs(trace[-1][1] - trace[-2][1]) if len(trace) > 1 else math.inf
        settled = moved < tolerance and stderr < tolerance
        if settled or steps == max_steps:
            # Of 1000 words at least one lies in a mode that holds 1 % of the mass with probability
            # 0.99996, of 500 only with 0.993.
            n_reverse = 2 * n_chains
            at_model, extra = path.equilibrate(at_model, n_reverse, steps)
            reverse = path.log_weights(n_reverse, steps, at_model.words)
            n_sweeps += n_reverse * (steps + extra)
            doubt = doubt_of(forward, reverse, settled, tolerance)
            if doubt is None:
                break
    if doubt is not None:
        warnings.warn(
            f"annealed importance sampling has not converged after {steps} steps of {n_chains} "
            f"chains: {doubt}; raise max_steps or n_chains, or sum exactly if the model allows it",
            ConvergenceWarning,
            stacklevel=2,
        )
    reverse_value, reverse_stderr = log_mean(-reverse)
    # Of a site update: two per hidden unit, and a random number, log and exp.
    n_operations = float(n_sweeps) * live.n_visible * (2 * live.n_hidden + 90)
    return LogPartition(
        value=value + offset,
        stderr=stderr,
        method="ais",
        n_operations=n_operations,
        seconds=time.perf_counter() - started,
        converged=doubt is None,
        effective_sample_size=effective_sample_size(forward),
        reverse=offset - reverse_value,
        reverse_stderr=reverse_stderr,
        n_steps=steps,
        trace=tuple(trace),
    )


class AnnealingPath(NamedTuple):
    """Models between an independent base (beta = 0) and a model (beta = 1), and chains along it."""

    theta: Parameters
    base_logits: Floats
    rng: np.random.Generator
    data: Bits | None = None
    progress: bool | None = None

    @property
    def log_z_base(self) -> float:
        return float(np.logaddexp(0.0, self.base_logits).sum())

    def log_weights(self, n_chains: int, n_steps: int, words: Bits | None = None) -> Floats:
        """Log weights of chains from the base to the model, shape (n_chains,).

        From ``words`` of the model the chains run back to the base: the transitions of the forward
        run in the opposite order, each a scan in the opposite order. The sweep at beta = 1 that
        comes first leaves the model's words as they are.
        """
        forward = words is None
        start, stop = (0.0, 1.0) if forward else (1.0, 0.0)
        betas = np.linspace(start, stop, n_steps + 1)
        chains = self._chains(n_chains, words).run(
            betas[:-1],
            increments=np.abs(np.diff(betas)),
            backwards=not forward,
            progress=self.progress,
            label=f"AIS {'forward' if forward else 'reverse'}, {n_steps} steps",
        )
        return chains.log_weights

    def equilibrate(
        self, chains: Sampler | None, n_chains: int, n_sweeps: int
    ) -> tuple[Sampler, int]:
        """Chains at words of the model, from those of the last attempt, and the sweeps it took.

        The words are exact samples if possible, drawn once: fresh ones for every attempt would give
        a rare mode as many chances to be absent. Otherwise they come from Gibbs sampling that
        starts from data words or from the base, and goes on with every attempt.
        """
        exact = can_sample_exactly(self.theta)
        if chains is None:
            if exact:
                words = exact_samples(self.theta, n_chains, self.rng)
                chains = Sampler(self.theta, n_chains, seed=0, initial=words)
            elif self.data is None:
                chains = self._chains(n_chains).run([0.0])
            else:
                picked = self.rng.integers(len(self.data), size=n_chains)
                chains = self._chains(n_chains, self.data[picked])
        if exact:
            return chains, 0
        label = f"Gibbs, {n_sweeps} steps"
        return chains.run(np.ones(n_sweeps), progress=self.progress, label=label), n_sweeps

    def _chains(self, n_chains: int, initial: Bits | None = None) -> Sampler:
        seed, logits = new_seed(self.rng), self.base_logits
        return Sampler(self.theta, n_chains, seed=seed, base_logits=logits, initial=initial)


def _doublings(first: int, last: int) -> Iterator[int]:
    while first < last:
        yield first
        first *= 2
    yield last


def base_logits(
    theta: Parameters,
    base: Base,
    rates: ArrayLike | None,
    words: Bits | None,
    rng: np.random.Generator,
) -> Floats:
    """Logits of the base model from the options of :func:`annealed_importance_sampling`."""
    if not (isinstance(base, str) and base in ("rates", "uniform")):
        raise ValueError(f"base is {base!r}; use 'rates' or 'uniform'")
    if base == "uniform":
        if rates is not None:
            raise ValueError("rates are given with base='uniform'; use base='rates' or drop them")
        return np.zeros(theta.n_visible)
    if rates is not None:
        probabilities = real_array("rates", rates, "pass one probability per unit")
        if probabilities.shape != (theta.n_visible,):
            raise ValueError(
                f"rates has shape {probabilities.shape}; it needs one entry for each of "
                f"{theta.n_visible} units"
            )
        if not np.all((probabilities >= 0.0) & (probabilities <= 1.0)):
            raise ValueError("rates holds values outside [0, 1]; pass probabilities per word")
    elif words is not None:
        probabilities = words.mean(axis=0)
    else:
        # Rates of chains annealed from fair coins to the model; they need not be exact.
        pilot = Sampler(theta, n_chains=1024, seed=new_seed(rng))
        probabilities = pilot.run(np.linspace(0.0, 1.0, 200)).words.mean(axis=0)
    # A base that forbids words cannot reach them.
    logits: Floats = logit(np.clip(probabilities, 1e-3, 1.0 - 1e-3))
    return logits


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
