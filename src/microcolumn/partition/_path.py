"""The path of annealing: an independent base, a model, and chains between the two."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit

from ..errors import BadArgument
from ..parameters import Parameters
from ..validation import Bits, Floats, check_entries, one_of, real_vector
from .gibbs import Sampler, new_seed

Base = Literal["rates", "uniform"]


class AnnealingPath(NamedTuple):
    """Models between an independent base (beta = 0) and a model (beta = 1), and chains along it."""

    theta: Parameters
    base_logits: Floats
    rng: np.random.Generator
    progress: bool | None = None

    @property
    def log_z_base(self) -> float:
        return float(np.logaddexp(0.0, self.base_logits).sum())

    def anneal(self, n_chains: int, n_steps: int, words: Bits | None = None) -> Sampler:
        """Chains from the base to the model, with their log weights.

        From ``words`` of the model the chains run back to the base: the transitions of the forward
        run in the opposite order, each a scan in the opposite order. The sweep at beta = 1 that
        comes first leaves the model's words as they are.
        """
        forward = words is None
        start, stop = (0.0, 1.0) if forward else (1.0, 0.0)
        betas = np.linspace(start, stop, n_steps + 1)
        return self.chains(n_chains, words).run(
            betas[:-1],
            increments=np.abs(np.diff(betas)),
            backwards=not forward,
            progress=self.progress,
            label=f"AIS {'forward' if forward else 'reverse'}, {n_steps} steps",
        )

    def chains(self, n_chains: int, initial: Bits | None = None) -> Sampler:
        """Chains at ``initial`` words, that have not run yet."""
        seed, logits = new_seed(self.rng), self.base_logits
        return Sampler(self.theta, n_chains, seed=seed, base_logits=logits, initial=initial)


def base_logits(
    theta: Parameters,
    base: Base,
    rates: ArrayLike | None,
    words: Bits | None,
    rng: np.random.Generator,
) -> Floats:
    """Logits of the base model from the options of :func:`annealed_importance_sampling`."""
    if one_of("base", base, ("rates", "uniform")) == "uniform":
        if rates is not None:
            raise BadArgument("rates", "are given with base='uniform'", "leave them out")
        return np.zeros(theta.n_visible)
    if rates is not None:
        probabilities = real_vector("rates", rates, theta.n_visible, "unit")
        good = (probabilities >= 0.0) & (probabilities <= 1.0)
        check_entries("rates", probabilities, good, "pass probabilities per word")
    elif words is not None:
        probabilities = words.mean(axis=0)
    else:
        # Rates of chains annealed from fair coins to the model; they need not be exact.
        pilot = Sampler(theta, n_chains=1024, seed=new_seed(rng))
        probabilities = pilot.run(np.linspace(0.0, 1.0, 200)).words.mean(axis=0)
    # A base that forbids words cannot reach them.
    return logit(np.clip(probabilities, 1e-3, 1.0 - 1e-3))
