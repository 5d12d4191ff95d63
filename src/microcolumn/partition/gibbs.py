"""Collapsed Gibbs sampling of many chains, and paths of annealing (docs/method.md, section 5)."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit
from tqdm import tqdm

from ..errors import BadArgument
from ..kernels import GibbsChains
from ..parameters import Parameters
from ..validation import (
    Bits,
    Floats,
    check_binary,
    check_entries,
    one_of,
    random_generator,
    real_vector,
    whole_number,
)

RandomState = int | np.random.Generator | None
Base = Literal["rates", "uniform"]

#: Seconds before a progress bar appears.
_PROGRESS_DELAY = 3.0


class Sampler:
    """Chains of one model, with the path between it and an independent base model.

    A draw depends on ``seed`` (64 bits), the chain, the sweep and the site. The base at beta = 0
    has ``base_logits`` (n_units,), by default fair coins. Chains start from the words ``initial``
    (n_chains, n_units), by default silent.
    """

    def __init__(
        self,
        theta: Parameters,
        n_chains: int,
        *,
        seed: int,
        base_logits: ArrayLike | None = None,
        initial: ArrayLike | None = None,
    ) -> None:
        live, _ = theta.drop_dead_units()
        logits = np.zeros(theta.n_visible) if base_logits is None else base_logits
        words = np.zeros((n_chains, theta.n_visible))
        if initial is not None:
            words[:] = initial
        start = words, np.asarray(logits), seed
        self._chains = (
            GibbsChains(live.arrays, *start)
            if live.term is None
            else live.term.chains(live.b, *start)
        )
        self.n_chains, self.n_units = n_chains, theta.n_visible

    @property
    def words(self) -> Bits:
        """Current word of each chain, shape (n_chains, n_units)."""
        return self._chains.words

    @property
    def log_weights(self) -> Floats:
        """Accumulated log importance weight of each chain (nats), shape (n_chains,)."""
        return self._chains.log_weights

    def run(
        self,
        betas: ArrayLike,
        increments: ArrayLike | None = None,
        *,
        backwards: bool = False,
        progress: bool | None = None,
        label: str = "Gibbs",
    ) -> Sampler:
        """Sweep once per inverse temperature: beta = 0 samples the base, 1 the model.

        After each sweep its increment times log p~(x) - log p~_base(x) is added to the log weight.
        ``backwards`` scans units in descending order, which reverses the ascending scan.
        """
        path = np.zeros((np.size(betas), 2))
        path[:, 0] = betas
        if increments is not None:
            path[:, 1] = increments
        step = self._chains.sweeps_per_call
        with tqdm(
            total=len(path),
            desc=label,
            unit="sweep",
            delay=_PROGRESS_DELAY,
            leave=False,
            disable=None if progress is None else not progress,
        ) as bar:
            for start in range(0, len(path), step):
                part = path[start : start + step]
                self._chains.advance(part, backwards)
                bar.update(len(part))
        return self


def new_seed(rng: np.random.Generator) -> int:
    """A fresh 64-bit key for a :class:`Sampler`."""
    return int(rng.integers(2**64, dtype=np.uint64))


class AnnealingPath(NamedTuple):
    """Models between an independent base (beta = 0) and a model (beta = 1), and chains along it."""

    theta: Parameters
    base_logits: Floats
    rng: np.random.Generator
    progress: bool | None = None

    @property
    def log_z_base(self) -> float:
        """Of the base, nats."""
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


def gibbs_samples(
    theta: Parameters,
    n_samples: int,
    *,
    n_sweeps: int = 1000,
    thin: int = 10,
    n_chains: int | None = None,
    initial: ArrayLike | None = None,
    random_state: RandomState = 0,
    progress: bool | None = None,
) -> Bits:
    """Words sampled from a model by collapsed single-site Gibbs sampling.

    Parameters
    ----------
    theta : Parameters
        The model.
    n_samples : int
        Number of words.
    n_sweeps : int
        Burn-in of each chain: sweeps over all units before the first word is taken. The default
        suits models that mix within some hundred sweeps. If the mass lies on separate modes, no
        burn-in is long enough, and the modes keep the shares of the initial words.
    thin : int
        Sweeps between two words of the same chain.
    n_chains : int, optional
        Number of independent chains; one per word by default, up to 512.
    initial : array_like, shape (n_words, n_units), optional
        Words to start from, for example data, taken in turn; by default each chain starts from
        independent units at the rates of their biases.
    random_state : int, Generator or None
        Source of the seed.
    progress : bool, optional
        Show a bar once it takes longer than a few seconds; by default on a terminal only.

    Returns
    -------
    ndarray, shape (n_samples, n_units), uint8
        Ordered by time, then chain: words of different chains are independent, those of one
        chain are ``thin`` sweeps apart.

    Examples
    --------
    >>> theta = Parameters(b=[-2.0, 1.0], J=[[0.0, 0.5], [0.5, 0.0]])
    >>> gibbs_samples(theta, 4, random_state=0).shape
    (4, 2)
    """
    chains = min(whole_number("n_samples", n_samples), 512) if n_chains is None else n_chains
    for name, value in (("n_samples", n_samples), ("thin", thin), ("n_chains", chains)):
        whole_number(name, value, least=1)
    whole_number("n_sweeps", n_sweeps, least=0)
    rng = random_generator(random_state)
    start = None
    if initial is not None:
        start = words_of_units(initial, theta.n_visible, "initial")
        start = start[np.arange(chains) % len(start)]
    sampler = Sampler(theta, chains, seed=new_seed(rng), base_logits=theta.b, initial=start)
    if start is None:
        sampler.run([0.0])
    sampler.run(np.ones(n_sweeps), progress=progress, label="Gibbs burn-in")
    n_rounds = -(-n_samples // chains)
    rounds = [sampler.run(np.ones(thin if k else 0)).words for k in range(n_rounds)]
    return np.concatenate(rounds)[:n_samples]


def words_of_units(X: ArrayLike, n_units: int, name: str) -> Bits:
    """Check that ``X`` is a filled binary matrix with one column per unit."""
    words = check_binary(X)
    if words.shape[1] != n_units:
        raise BadArgument(
            name, f"has {words.shape[1]} columns for {n_units} units", "pass one per unit"
        )
    return words
