"""Words that are spread over all numbers of active units (docs/method.md, section 5).

Chains run under a further potential of the number of active units, which sends some of them where
chains of the model itself would hardly ever be. The masses of all numbers follow from the rates of
flips between them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from ..energy import log_symmetric, log_weight
from ..kernels import flip_changes
from ..kernels.loops.poisson_binomial import draw_given_total
from ..objectives import Draws, Spread, WordPool
from ..objectives.sampled_likelihood import scaled
from ..packing import packed, unpacked
from ..parameters import Parameters
from ..partition.gibbs import Sampler, new_seed
from ..validation import Bits, Floats, chunks
from ..words import Words
from ._sampler_settings import SamplerSettings

#: Flips of words that are looked at together.
_FLIPS_AT_ONCE = 1 << 21
Numbers = NDArray[np.intp]
Keys = NDArray[np.uint64]  # words, packed, shape (n_integers, n_words)


def with_potential(theta: Parameters, bias: Floats) -> Parameters:
    """A model with a further potential of the number of active units, (n_units + 1,)."""
    v = bias + (0.0 if theta.v is None else theta.v)
    return Parameters.trusted(theta.b, theta.J, theta.W, theta.c, v, theta.hidden)


def target_of(words: Words) -> Floats:
    """Log shares of the numbers of active units that words are spread over, (n_units + 1,)."""
    numbers = np.arange(words.n_dims + 1)
    shares = 1.0 / np.maximum(numbers, words.X.sum(axis=1, dtype=np.intp).max(initial=1)) ** 2.0
    return np.asarray(np.log(shares / shares.sum()))


@dataclass(frozen=True, slots=True, eq=False)
class SpreadDraws:
    """Words of a model that are spread over the numbers of active units."""

    draws: Draws  # words, as of the model with a further potential
    bias: Floats  # that potential, (n_units + 1,)
    # Log probability of each number of active units under the model itself, (n_units + 1,).
    log_p: Floats
    variance: float  # of the model's log Z

    @property
    def shares(self) -> Floats:
        """Share of the words that each number of active units has, shape (n_units + 1,)."""
        log_shares = self.log_p + self.bias
        return np.asarray(np.exp(log_shares - np.logaddexp.reduce(log_shares)))


def independent_words(rng: np.random.Generator, b: Floats, totals: Numbers) -> Bits:
    """Words (n_words, n_units) of independent units with biases ``b``, given their active ones."""
    log_sums, words = log_symmetric(b), np.zeros((totals.size, b.size), dtype=np.uint8)
    for total in np.unique(totals[totals > 0]):
        drawn = np.ones((np.count_nonzero(totals == total), b.size), dtype=np.uint8)
        if total < b.size:
            # Given their number, units do not depend on what is added to all biases.
            chances = expit(b + log_sums[total - 1] - log_sums[total])
            draw_given_total(chances, int(total), rng.random(drawn.shape), drawn)
        words[totals == total] = drawn
    return words


def _bias(log_p: Floats, target: Floats, n_draws: int, settings: SamplerSettings) -> Floats:
    """Potential under which draws follow the model, but for some that ``target`` spreads."""
    share = min(settings.spread_draws / n_draws, 0.5)
    rare = np.maximum(log_p, settings.negligible)
    return np.logaddexp(math.log1p(-share), math.log(share) + target - rare)


def spread_pool(
    draws: tuple[Draws, ...], theta: Parameters, bias: Floats, settings: SamplerSettings
) -> WordPool:
    """Words of several rounds, the last of which were drawn from ``theta`` under ``bias``."""
    pool = WordPool.of(draws)
    by_number = np.bincount(pool.words.n_active, pool.n_drawn, bias.size).astype(np.float64)
    group = _groups(by_number, settings.group_draws)
    log_shares = pool.log_shares_of(pool.log_masses(theta), group[pool.words.n_active])
    return replace(pool, spread=Spread(bias, group, log_shares))


def _groups(by_number: Floats, least: float) -> Numbers:
    """Group of each number of active units: consecutive ones with so many draws together."""
    groups, group, total = np.zeros(by_number.size, dtype=np.intp), 0, 0.0
    for number, n_draws in enumerate(by_number):
        groups[number] = group
        total += n_draws
        if total >= least:
            group, total = group + 1, 0.0
    groups[groups == group] = max(group - 1, 0)  # the last one has fewer
    return groups


def log_p_of_number(pool: WordPool, masses: Floats) -> Floats:
    """Log probability of each number of active units, by the log masses of a pool, (n_units + 1,).

    Those of a group of numbers are distinguished by the potential that has spread them.
    """
    assert pool.spread is not None
    bias, group, _ = pool.spread
    by_word = group[pool.words.n_active]
    tops, flat = scaled(masses + bias[pool.words.n_active], by_word)
    sums = np.bincount(by_word, flat)
    sizes = np.bincount(group)
    middles = np.bincount(group, np.arange(group.size)) / sizes
    heights = tops + np.log(sums / sizes)
    log_p = np.interp(np.arange(group.size), middles, heights) - bias
    return np.asarray(log_p - np.logaddexp.reduce(log_p))


def next_draws(
    rng: np.random.Generator,
    pool: WordPool,
    theta: Parameters,
    target: Floats,
    n_draws: int,
    settings: SamplerSettings,
) -> SpreadDraws:
    """Words of a model next to that of the last ones in the pool."""
    masses = pool.log_masses(theta)
    bias = _bias(log_p_of_number(pool, masses), target, n_draws, settings)
    shares = masses + bias[pool.words.n_active]
    chains = resampled(rng, pool, np.exp(shares - shares.max()), settings)
    keys = draw(rng, with_potential(theta, bias), chains, n_draws, settings)
    return _weighed(theta, keys, bias, settings)


def first_draws(
    rng: np.random.Generator,
    theta: Parameters,
    words: Words,
    n_draws: int,
    settings: SamplerSettings,
) -> SpreadDraws:
    """Words of any model from independent ones on; the potential is found until it spreads them."""
    target = target_of(words)
    logits = logit(np.clip(words.rates, 1e-3, 1.0 - 1e-3))
    log_p = log_symmetric(logits)
    log_p -= np.logaddexp.reduce(log_p)
    shares = np.exp(log_p + _bias(log_p, target, n_draws, settings))
    totals = rng.choice(shares.size, size=settings.n_chains, p=shares / shares.sum())
    initial = independent_words(rng, logits, totals)
    for _ in range(settings.most_flattenings):
        bias = _bias(log_p, target, n_draws, settings)
        keys = draw(rng, with_potential(theta, bias), initial, n_draws, settings)
        drawn = _weighed(theta, keys, bias, settings)
        before, log_p = log_p, drawn.log_p
        holds_mass = np.maximum(before, log_p) > settings.negligible
        if np.abs(log_p - before)[holds_mass].max() < settings.flat:
            break
        initial = unpacked(keys[:, -len(initial) :], theta.n_visible)
    return drawn


def _weighed(theta: Parameters, keys: Keys, bias: Floats, settings: SamplerSettings) -> SpreadDraws:
    """Draws under a potential, with what chains say of the masses of numbers of active units."""
    draws = Draws.of(with_potential(theta, bias), keys, math.log(keys.shape[1]))
    rates = FlipRates.of(draws.theta, draws.keys, draws.counts)
    log_masses, variance = masses_of_numbers(draws.theta, rates)
    potential = _balanced(bias, log_masses, rates, settings)
    log_p = log_masses - bias
    log_p -= np.logaddexp.reduce(log_p)
    balanced = replace(draws, theta=with_potential(theta, potential))
    return SpreadDraws(balanced, potential, log_p, variance)


def _balanced(
    bias: Floats, log_masses: Floats, rates: FlipRates, settings: SamplerSettings
) -> Floats:
    """The potential by which draws count for the model, where chains missed shares of numbers."""
    by_number = np.bincount(rates.n_active, rates.counts, bias.size).astype(np.float64)
    group = _groups(by_number, settings.group_draws)
    tops, masses = scaled(log_masses, group)
    totals = tops + np.log(np.bincount(group, masses))
    return bias + (np.log(np.bincount(group, by_number)) - totals)[group]


class FlipRates(NamedTuple):
    """Active units of words, how often they were drawn, and sums of their rates of flips."""

    n_active: Numbers
    counts: Floats
    up: Floats
    down: Floats

    @classmethod
    def of(cls, theta: Parameters, keys: Keys, counts: Floats) -> FlipRates:
        """Of packed words (n_integers, n_words) under a model."""
        n_units, arrays = theta.n_visible, theta.arrays
        n_active = np.empty(counts.size, dtype=np.intp)
        up, down = np.empty((2, counts.size))
        for part in chunks(counts.size, n_units, _FLIPS_AT_ONCE):
            bits = unpacked(keys[:, part], n_units)
            flips = expit(flip_changes(arrays, bits, range(n_units)))
            n_active[part] = bits.sum(axis=1, dtype=np.intp)
            down[part] = np.einsum("ij,ij->i", flips, bits)
            up[part] = flips.sum(axis=1) - down[part]
        return cls(n_active, counts, up, down)

    def only(self, places: Numbers) -> FlipRates:
        """Of some of the words."""
        n_active, counts, up, down = self
        return FlipRates(n_active[places], counts[places], up[places], down[places])


def masses_of_numbers(theta: Parameters, rates: FlipRates) -> tuple[Floats, float]:
    """Log mass of each number of active units, (n_units + 1,), and the variance of log Z.

    From the mean rates of flips up and down, relative to the silent word, whose mass is known.
    """
    n_units, (n_active, counts, up, down) = theta.n_visible, rates
    n_drawn = np.bincount(n_active, counts, n_units + 1)
    ups = np.bincount(n_active, counts * up, n_units + 1)
    downs = np.bincount(n_active, counts * down, n_units + 1)
    is_known = (ups[:-1] > 0.0) & (downs[1:] > 0.0)
    numbers, known = np.arange(n_units), np.flatnonzero(is_known)
    means_up, means_down = ups[known] / n_drawn[known], downs[known + 1] / n_drawn[known + 1]
    # Beyond the busiest words masses fall: what no word shows is not known to hold any.
    ratios = np.interp(numbers, known, np.log(means_up / means_down), right=-1.0)
    silent = float(log_weight(theta, np.zeros((1, n_units), dtype=np.uint8))[0])
    log_masses: Floats = silent + np.concatenate([[0.0], np.cumsum(ratios)])
    # How much of Z a small change of each mean moves, and how much the words of a number vary.
    log_p = log_masses - (theta.v if theta.v is not None else 0.0)
    p = np.exp(log_p - log_p.max())
    above = np.append(np.cumsum(p[::-1])[::-1] / p.sum(), 0.0)
    mean_up, mean_down = (each / np.maximum(n_drawn, 1.0) for each in (ups, downs))
    moved = above[n_active + 1] * _relative(up, mean_up[n_active])
    moved -= above[n_active] * _relative(down, mean_down[n_active])
    variance = float((counts * (moved / n_drawn[n_active]) ** 2).sum())
    return log_masses, variance


def _relative(values: Floats, means: Floats) -> Floats:
    """Relative deviations from means, zero where these are."""
    return np.divide(values, means, out=np.ones_like(values), where=means > 0.0) - 1.0


def weights_of(
    theta: Parameters, rates: FlipRates, bias: Floats, settings: SamplerSettings
) -> Floats:
    """What words of chains under a potential count for the model, shape (n_words,)."""
    log_masses, _ = masses_of_numbers(with_potential(theta, bias), rates)
    balanced = _balanced(bias, log_masses, rates, settings)
    return np.asarray(np.exp(balanced.min() - balanced)[rates.n_active])


def grown(rng: np.random.Generator, words: Bits, n_active: Numbers) -> Bits:
    """Words with units added at random up to as many active ones as others have, in any order."""
    scores = rng.random(words.shape) - words  # active units come first
    ranks = np.argsort(np.argsort(scores, axis=1), axis=1)
    return (words | (ranks < rng.permutation(n_active)[:, None])).astype(np.uint8)


def draw(
    rng: np.random.Generator,
    theta: Parameters,
    initial: Bits,
    n_draws: int,
    settings: SamplerSettings,
) -> Keys:
    """Words of the model from chains that start at ``initial``, packed."""
    sampler = Sampler(theta, len(initial), seed=new_seed(rng), initial=initial)
    sampler.run(np.ones(settings.settling))
    n_snapshots = max(n_draws // len(initial), 1)
    snapshots = [packed(sampler.run(np.ones(settings.between)).words) for _ in range(n_snapshots)]
    return np.concatenate(snapshots, axis=1)


def resampled(
    rng: np.random.Generator, pool: WordPool, shares: Floats, settings: SamplerSettings
) -> Bits:
    """Words of the pool as often as their share of the mass asks for, one per chain."""
    heights = (np.arange(settings.n_chains) + rng.random()) / settings.n_chains
    edges = np.cumsum(shares)
    places = np.searchsorted(edges / edges[-1], heights)
    return unpacked(pool.keys[:, places], pool.words.n_units)
