"""Modes of a model: places where Gibbs chains stay (docs/method.md, section 5).

A mode may be narrow, one word that outweighs all others, or broad, many words of low weight. So
ascent to the most probable word nearby and chains of the model itself both run from many starts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.special import expit

from ..energy import log_weight
from ..packing import unique_rows
from ..parameters import Parameters
from ..validation import Bits, Floats
from .cost import USUAL
from .gibbs import AnnealingPath, Sampler, new_seed
from .importance_weights import log_mean

#: Sweeps at a temperature so low that each is a coordinate ascent, and that temperature's inverse.
_ASCENT, _COLD = 16, 1e4
#: Sweeps from hot to the model's own temperature, and chains that take this way.
_COOLING, _COOLED = 64, 64
#: Sweeps to settle; and snapshots of the time average, with the sweeps between two of them.
SETTLING, _SNAPSHOTS, _BETWEEN = 32, 24, 4
#: Sweeps after which a chain shows which mode it is in.
LABELLING = SETTLING + _SNAPSHOTS * _BETWEEN
#: Places that are told apart at first, and chains that show whether each is stayed in.
_MOST_PLACES, _WITNESSES = 48, 32
#: Share of the chains that must still be there for a place to be a mode.
_RETENTION = 0.9
#: Rates of a mode are kept this far from 0 and 1: a base that forbids words cannot reach them.
_CLIP = 2e-3
#: Words of the data that the search starts from, at most; a quarter of them, if there are more,
#: are those with the most active units.
_MOST_DATA = 512
#: Probability of a unit to be active in random words, and words of each.
_DENSITIES, _RANDOM = (0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95), 8
#: Leading eigenvectors of the couplings whose signs are tried.
_EIGENVECTORS = 8
#: Single units or hidden units whose patterns are tried, at most.
_MOST_PATTERNS = 192


class FoundMode(NamedTuple):
    """A place where chains stay.

    ``rates`` (n_units,) are those of its chains, kept away from 0 and 1; ``peak`` (n_units,) is
    the most probable word that ascent from there reaches; ``words`` (n_words, n_units) are of its
    chains; ``log_mass`` is a rough estimate of its part of log Z, nats (0 of the only mode).
    """

    rates: Floats
    peak: Bits
    words: Bits
    log_mass: float = 0.0

    @property
    def n_active(self) -> float:
        """Mean number of active units."""
        return float(self.words.sum(axis=1).mean())

    @property
    def place(self) -> str:
        """How to call it in a sentence."""
        return f"with {self.n_active:.1f} of {self.rates.size} units active"


def find_modes(
    theta: Parameters,
    words: Bits | None = None,
    rng: np.random.Generator | int | None = None,
    *,
    most: int = USUAL.most_modes,
) -> tuple[FoundMode, ...]:
    """Search for the modes of a model, from 1 to ``most``, those with the most mass first.

    It starts from ``words`` (n_words, n_units), such as data or those of chains that have run for
    long, besides those that the parameters suggest. Modes do not depend on the number of threads.

    Examples
    --------
    >>> J = np.full((20, 20), 0.4) - 0.4 * np.eye(20)
    >>> modes = find_modes(Parameters(b=np.full(20, -7.7), J=J), rng=0)
    >>> sorted(int(mode.peak.sum()) for mode in modes)
    [0, 20]
    """
    generator = np.random.default_rng(rng)
    live, _ = theta.drop_dead_units()
    if live.is_independent:
        return (_independent(live, generator),)
    starts = starting_words(live, words, generator)
    peaks = unique_rows(_ascended(live, starts, generator))[0]
    cooled = Sampler(live, _COOLED, seed=new_seed(generator))
    cooled.run(np.linspace(0.0, 1.0, _COOLING))
    chains = np.concatenate([peaks, starts, cooled.words])
    sampler = Sampler(live, len(chains), seed=new_seed(generator), initial=chains)
    averages = time_averages(sampler.run(np.ones(SETTLING)))
    places = _distinct_places(averages)
    if len(places) == 1:
        modes = [FoundMode(_clipped(averages.mean(axis=0)), peaks[0], sampler.words)]
    else:
        modes = _stayed_in(live, averages, places, sampler.words, generator)
    if len(modes) > 1:  # the mass is what a short annealing from the rates of each one finds
        masses = (annealed_shortly(live, mode.rates, generator)[0] for mode in modes)
        modes = [mode._replace(log_mass=m) for mode, m in zip(modes, masses, strict=True)]
    ranked = sorted(modes, key=lambda mode: -mode.log_mass)[:most]
    highest = []
    for mode in ranked:  # with the most probable word that ascent from its words reaches
        ascended = _ascended(live, mode.words, generator)
        highest.append(mode._replace(peak=ascended[np.argmax(log_weight(live, ascended))]))
    return tuple(highest)


def starting_words(theta: Parameters, data: Bits | None, rng: np.random.Generator) -> Bits:
    """Distinct words that lie in as many different places as can be guessed from the parameters.

    Hidden units are all live; ``data`` (n_words, n_units) are words that were seen.
    """
    n = theta.n_visible
    densities = np.repeat(_DENSITIES, _RANDOM)[:, None]
    parts: list[Bits] = [
        np.ones((1, n), dtype=np.uint8),
        np.zeros((1, n), dtype=np.uint8),
        _hidden_patterns(theta),
        _coupled_patterns(theta),
        *([] if theta.term is None else [theta.term.best_words(n, _MOST_PATTERNS)]),
        (rng.random((densities.size, n)) < densities).astype(np.uint8),
        (rng.random((4 * _RANDOM, n)) < expit(theta.b)).astype(np.uint8),
    ]
    if data is not None:
        parts.append(_of_data(data, rng))
    return unique_rows(np.concatenate(parts))[0]


def _of_data(data: Bits, rng: np.random.Generator) -> Bits:
    """Distinct words of the data: all of them, or the busiest and others at random."""
    distinct, _ = unique_rows(data)
    if len(distinct) <= _MOST_DATA:
        return distinct
    busiest = np.argsort(-distinct.sum(axis=1, dtype=np.int64), kind="stable")[: _MOST_DATA // 4]
    picked = rng.integers(len(data), size=_MOST_DATA - len(busiest))
    return np.concatenate([distinct[busiest], data[picked]])


def _hidden_patterns(theta: Parameters) -> Bits:
    """Units that each hidden unit activates (all, and the stronger half), and those it silences."""
    if theta.W is None:
        return np.zeros((0, theta.n_visible), dtype=np.uint8)
    strongest = np.argsort(-np.abs(theta.W).sum(axis=0), kind="stable")[:_MOST_PATTERNS]
    weights = theta.W[:, strongest].T
    signed = np.concatenate([weights, -weights])
    strong = signed > 0.5 * signed.max(axis=1, keepdims=True, initial=0.0)
    return np.concatenate([signed > 0.0, strong]).astype(np.uint8)


def _coupled_patterns(theta: Parameters) -> Bits:
    """Units that the pairwise forces favour together, also those through undecided hidden units.

    Signs of the leading eigenvectors, and each unit with those that it is coupled to: to all of
    them, and to those as strongly as half of its largest coupling.
    """
    J = theta.J if theta.term is None else theta.term.over(theta.b).couplings
    couplings = np.zeros((theta.n_visible,) * 2) if J is None else J.copy()
    if theta.W is not None:
        couplings += theta.W @ theta.W.T / 8.0
    np.fill_diagonal(couplings, 0.0)
    if not couplings.any():
        return np.zeros((0, theta.n_visible), dtype=np.uint8)
    n = len(couplings)
    last = max(0, n - _EIGENVECTORS), n - 1
    leading = eigh(couplings, subset_by_index=last)[1].T
    patterns = [leading > 0.0, leading < 0.0]
    strongest = np.argsort(-np.abs(couplings).sum(axis=0), kind="stable")[:_MOST_PATTERNS]
    rows = couplings[strongest]
    own = np.arange(theta.n_visible) == strongest[:, None]
    largest = rows.max(axis=1, keepdims=True)
    patterns += [(rows > 0.0) | own, (rows >= 0.5 * largest) & (rows > 0.0) | own]
    return np.concatenate(patterns).astype(np.uint8)


def time_averages(sampler: Sampler) -> Floats:
    """Mean activity of each chain over its next sweeps, shape (n_chains, n_units)."""
    total = np.zeros((sampler.n_chains, sampler.n_units))
    for _ in range(_SNAPSHOTS):
        total += sampler.run(np.ones(_BETWEEN)).words
    return total / _SNAPSHOTS


def assign_modes(averages: Floats, rates: Floats) -> NDArray[np.intp]:
    """Number of the mode that each time average lies in, from the ``rates`` (n_modes, n_units)."""
    log_likelihoods = averages @ np.log(rates).T + (1.0 - averages) @ np.log1p(-rates).T
    return np.asarray(np.argmax(log_likelihoods, axis=1))


def _independent(theta: Parameters, rng: np.random.Generator) -> FoundMode:
    """The one mode of a model without interactions."""
    rates = 1.0 / (1.0 + np.exp(-theta.b))
    words = (rng.random((_WITNESSES, theta.n_visible)) < rates).astype(np.uint8)
    return FoundMode(_clipped(rates), (theta.b > 0.0).astype(np.uint8), words)


def _ascended(theta: Parameters, words: Bits, rng: np.random.Generator) -> Bits:
    """Words of a local maximum of log p~ that ascent by single flips reaches from each word."""
    chains = Sampler(theta, len(words), seed=new_seed(rng), initial=words)
    return chains.run(np.full(_ASCENT, _COLD)).words


def _distinct_places(averages: Floats) -> NDArray[np.intp]:
    """Chains, one of each place, whose time averages differ by more than they fluctuate."""
    leaders: list[int] = []
    spread = averages * (1.0 - averages)
    for k in range(len(averages)):
        if len(leaders) == _MOST_PLACES:
            break
        apart = np.abs(averages[leaders] - averages[k])
        noise = (spread[leaders] + spread[k]).sum(axis=1)
        far = (apart**2).sum(axis=1) > 1.0 + 0.125 * noise
        if np.all(far | (apart.max(axis=1, initial=0.0) > 0.95)):
            leaders.append(k)
    return np.array(leaders)


def _stayed_in(
    theta: Parameters,
    averages: Floats,
    places: NDArray[np.intp],
    words: Bits,
    rng: np.random.Generator,
) -> list[FoundMode]:
    """Modes among the places: those where most chains still are after as many sweeps again.

    The place that is left most is given up, one at a time, and its chains count for the nearest of
    the others: of many pieces of one mode, between which chains move, one is left in the end.
    """
    rates = _clipped(averages[places])
    started = assign_modes(averages, rates)
    # Chains of each place, in turn until there are enough of them.
    seeds = np.concatenate(
        [
            np.resize(members, _WITNESSES)
            for k in range(len(rates))
            if (members := np.flatnonzero(started == k)).size
        ]
    )
    sampler = Sampler(theta, len(seeds), seed=new_seed(rng), initial=words[seeds])
    before = time_averages(sampler)
    after = time_averages(sampler.run(np.ones(SETTLING)))
    places = assign_modes(before, rates)
    modes = np.arange(len(rates))
    while True:
        # Those of a place that was given up say nothing about the place that is nearest to it.
        last = modes[assign_modes(after, rates[modes])]
        counts = np.bincount(places, minlength=len(rates))[modes]
        stayed = np.bincount(places[places == last], minlength=len(rates))[modes]
        retention = np.where(counts > 0, stayed / np.maximum(counts, 1), -1.0)
        worst = int(np.argmin(retention))
        if len(modes) == 1 or retention[worst] >= _RETENTION:
            break
        modes = np.delete(modes, worst)
    final = sampler.words
    return [
        FoundMode(_clipped(after[last == k].mean(axis=0)), final[0], final[last == k])
        for k in modes
        if (last == k).any()
    ]


def annealed_shortly(
    theta: Parameters, rates: Floats, rng: np.random.Generator
) -> tuple[float, float]:
    """Log mass that 64 chains find in 100 steps from a base at some rates, and its error (nats)."""
    path = AnnealingPath(theta, np.log(rates) - np.log1p(-rates), rng)
    value, stderr = log_mean(path.anneal(64, 100).log_weights)
    return value + path.log_z_base, stderr


def _clipped(rates: Floats) -> Floats:
    return np.clip(rates, _CLIP, 1.0 - _CLIP)
