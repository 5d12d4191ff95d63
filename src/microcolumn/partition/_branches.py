"""Annealing from a base of each mode: the parts of Z that add up to it (docs/method.md, section 5).

Every word belongs to one mode: the one that its chain is in after some more sweeps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..parameters import Parameters
from ..validation import Bits, Floats
from .gibbs import AnnealingPath, Sampler, new_seed
from .importance_weights import log_mean, reverse_estimate
from .modes import LABELLING, SETTLING, FoundMode, assign_modes, time_averages

#: Mass, as a share of the heaviest mode's, below which a mode has fewer chains, or none.
_LIGHT, _NEGLIGIBLE = 1e-3, 1e-11
#: Exact samples of a mode that reverse chains start from; if there are fewer, chains are run.
_ENOUGH = 64


class Part(NamedTuple):
    """Log of a part of Z and its standard error, nats."""

    value: float
    stderr: float


@dataclass(eq=False)
class Branch:
    """Annealing of one mode.

    ``number`` is the mode's place among ``rates``, shape (n_modes, n_units); of a single mode all
    words belong to it. ``forward`` and ``reverse`` are log weights of the last runs with log Z of
    the base added; ``elsewhere`` holds those of forward chains that ended in another mode, whose
    entry of ``forward`` is -inf.
    """

    path: AnnealingPath
    mode: FoundMode
    number: int
    rates: Floats
    starts: Bits  # words of the mode, from which reverse chains come
    equilibrated: bool  # whether these are independent samples of the model
    n_chains: int
    n_sweeps: int = 0
    n_steps: int = 0
    verified: bool = False  # by a reverse run of as many steps
    parts: list[Part] = field(default_factory=list)
    forward: Floats = field(default_factory=lambda: np.zeros(0))
    elsewhere: dict[int, Floats] = field(default_factory=dict)
    reverse: Floats = field(default_factory=lambda: np.zeros(0))
    words: list[Bits] = field(default_factory=list)  # met by forward and reverse chains
    _at_model: Sampler | None = None

    @property
    def part(self) -> Part:
        """Estimate of the last run."""
        return self.parts[-1]

    @property
    def moved(self) -> float:
        """Change of the estimate on the last doubling, nats."""
        if len(self.parts) < 2:
            return math.inf
        return abs(self.parts[-1].value - self.parts[-2].value)

    @property
    def alone(self) -> bool:
        """Whether there is no other mode."""
        return len(self.rates) == 1

    def run_forward(self, n_steps: int) -> None:
        """Anneal from the base to the model."""
        chains = self.path.anneal(self.n_chains, n_steps)
        log_weights = chains.log_weights + self.path.log_z_base
        words = chains.words
        self.n_sweeps += self.n_chains * n_steps
        self.n_steps = n_steps
        self.elsewhere = {}
        if not self.alone:
            # One sweep more than on the way back, which begins with a sweep of the model.
            labels = self._labels(chains.run([1.0]))
            self.elsewhere = {
                int(k): np.where(labels == k, log_weights, -math.inf)
                for k in np.unique(labels)
                if k != self.number
            }
            log_weights = np.where(labels == self.number, log_weights, -math.inf)
        self.forward = log_weights
        self.words = [words]
        self.parts.append(Part(*log_mean(log_weights)))

    def run_reverse(self, n_steps: int) -> bool:
        """Anneal words of the mode back to the base; False where no chain stayed in the mode."""
        n_chains = 2 * self.n_chains
        if self._at_model is None:
            picked = self.path.rng.integers(len(self.starts), size=n_chains)
            initial = self.starts[:n_chains] if self.equilibrated else self.starts[picked]
            self._at_model = self.path.chains(len(initial), initial)
        if not self.equilibrated:
            label = f"Gibbs, {n_steps} steps"
            self._at_model.run(np.ones(n_steps), progress=self.path.progress, label=label)
            self.n_sweeps += self._at_model.n_chains * n_steps
        words = self._at_model.words
        if not self.alone and not self.equilibrated:
            words = words[self._labels(self._at_model) == self.number]
            if len(words) < 2:
                self._at_model = None
                return False
        self.words.append(words)
        chains = self.path.anneal(len(words), n_steps, words)
        self.n_sweeps += len(words) * n_steps
        self.reverse = chains.log_weights + self.path.log_z_base
        return True

    @property
    def reverse_part(self) -> Part:
        """Estimate from the reverse run."""
        if not self.reverse.size:  # no chain stayed in the mode
            return Part(self.part.value, math.inf)
        return Part(*reverse_estimate(self.forward, self.reverse))

    def _labels(self, chains: Sampler) -> NDArray[np.intp]:
        self.n_sweeps += chains.n_chains * LABELLING
        return assign_modes(time_averages(chains.run(np.ones(SETTLING))), self.rates)


def share_of(branches: list[Branch]) -> Floats:
    """Share of Z in each branch, by the last forward runs, shape (n_branches,)."""
    values = np.array([branch.part.value for branch in branches])
    return np.asarray(np.exp(values - np.logaddexp.reduce(values)))


def total(parts: list[Part]) -> Part:
    """The sum of independent parts."""
    values = np.array([part.value for part in parts])
    value = float(np.logaddexp.reduce(values))
    errors = np.array([part.stderr for part in parts])
    # A part that no chain reached has no error of its own, and no weight.
    weighted = np.exp(values - value) * np.where(np.isneginf(values), 0.0, errors)
    return Part(value, float(np.sqrt((weighted**2).sum())))


def branches_of(
    theta: Parameters,
    modes: tuple[FoundMode, ...],
    n_chains: int,
    rng: np.random.Generator,
    progress: bool | None = None,
) -> list[Branch]:
    """A branch for each mode that can matter, from a base at the mode's own rates.

    A mode that a short annealing finds to be below ``_NEGLIGIBLE`` of the heaviest one has no
    branch of its own: its words belong to the nearest of the others. Light modes have fewer chains.
    """
    heaviest = max(mode.log_mass for mode in modes)
    kept = [mode for mode in modes if mode.log_mass >= heaviest + math.log(_NEGLIGIBLE)]
    rates = np.stack([mode.rates for mode in kept])
    branches = []
    for number, mode in enumerate(kept):
        light = mode.log_mass < heaviest + math.log(_LIGHT)
        logits = np.log(mode.rates) - np.log1p(-mode.rates)
        path = AnnealingPath(theta, logits, rng, progress)
        chains = max(2, n_chains // 4) if light else n_chains
        branches.append(Branch(path, mode, number, rates, mode.words, False, chains))
    return branches


def start_from_samples(
    theta: Parameters, branches: list[Branch], samples: Bits, rng: np.random.Generator
) -> Floats:
    """Let reverse chains start from samples of their mode; the share of each, (n_branches,)."""
    labels = labels_of(theta, branches, samples, rng)
    for branch in branches:
        own = samples[labels == branch.number]
        if len(own) >= _ENOUGH:
            branch.starts, branch.equilibrated = own, True
    return np.bincount(labels, minlength=len(branches)) / len(samples)


def labels_of(
    theta: Parameters, branches: list[Branch], words: Bits, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Number of the branch that each word belongs to, as for final words of annealed chains."""
    chains = Sampler(theta, len(words), seed=new_seed(rng), initial=words)
    return assign_modes(time_averages(chains.run(np.ones(SETTLING))), branches[0].rates)
