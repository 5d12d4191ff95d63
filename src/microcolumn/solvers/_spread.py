"""Words that are spread over all numbers of active units (docs/method.md, section 5).

Chains of a pairwise model of many units hardly ever see words that are far busier than the data,
although these hold as much mass as the penalty allows. So chains run under a further potential of
the number of active units, which sends a share of them everywhere. It follows the model from
independent units, where everything is known, step by step: the mass of a band of numbers after a
step follows from the words of the band before it and after it, so that chains need to mix within
bands alone.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from ..kernels.loops.poisson_binomial import draw_given_total, log_symmetric
from ..objectives import Draws, Spread, WordPool
from ..objectives._sampled_likelihood import scaled
from ..packing import packed, unpacked
from ..parameters import Parameters
from ..partition._gibbs import Sampler, new_seed
from ..validation import Bits, Floats
from ..words import Words
from ._log_ratio import log_ratio
from ._sampler_settings import SamplerSettings

Keys = NDArray[np.uint64]  # words, packed, shape (n_integers, n_words)


def potential_of(theta: Parameters) -> Floats:
    """The potential of a model, zeros where it has none, shape (n_units + 1,)."""
    return np.zeros(theta.n_visible + 1) if theta.v is None else theta.v


def with_potential(theta: Parameters, bias: Floats) -> Parameters:
    """A model with a further potential of the number of active units, (n_units + 1,)."""
    v = potential_of(theta) + bias
    return Parameters.trusted(theta.b, theta.J, theta.W, theta.c, v, theta.hidden)


def target_of(words: Words) -> Floats:
    """Log shares of the numbers of active units that words are spread over, (n_units + 1,).

    The same for all numbers that the data show; beyond they fall with the square, as the work for
    a word grows with it.
    """
    numbers = np.arange(words.n_dims + 1)
    shares = 1.0 / np.maximum(numbers, words.X.sum(axis=1, dtype=np.intp).max(initial=1)) ** 2.0
    target: Floats = np.log(shares / shares.sum())
    return target


def independent_draws(
    rng: np.random.Generator, b: Floats, target: Floats, n_draws: int, settings: SamplerSettings
) -> tuple[Draws, Floats]:
    """Exact words of independent units with biases ``b``, spread; the potential that does it."""
    n_units, log_sums = b.size, np.empty(b.size + 1)
    log_symmetric(b, log_sums)
    log_z = float(np.logaddexp(0.0, b).sum())
    bias = _bias(log_sums - log_z, target, n_draws, settings)
    edges = np.cumsum(np.exp(log_sums - log_z + bias))
    heights = (np.arange(n_draws) + rng.random()) / n_draws
    counts = np.bincount(np.searchsorted(edges / edges[-1], heights), minlength=n_units + 1)
    words = np.zeros((n_draws, n_units), dtype=np.uint8)
    last = 0
    for total in np.flatnonzero(counts):
        drawn = words[last : last + counts[total]]
        last += counts[total]
        if total == n_units:
            drawn[:] = 1
        elif total:
            # Given their number, units do not depend on what is added to all biases.
            chances = expit(b + log_sums[total - 1] - log_sums[total])
            draw_given_total(chances, int(total), rng.random(drawn.shape), drawn)
    J = np.zeros((n_units, n_units))
    theta = Parameters.trusted(b, J, None, None, bias)
    return Draws.of(theta, packed(words), log_z + math.log(edges[-1])), bias


def _bias(log_p: Floats, target: Floats, n_draws: int, settings: SamplerSettings) -> Floats:
    """Potential under which so many draws follow the model, but for a share spread by ``target``."""
    share = min(settings.spread_draws / n_draws, 0.5)
    rare = np.maximum(log_p, settings.least_log_share)
    bias: Floats = np.logaddexp(math.log1p(-share), math.log(share) + target - rare)
    return bias


def spread_pool(
    draws: tuple[Draws, ...], theta: Parameters, bias: Floats, settings: SamplerSettings
) -> WordPool:
    """Words of several rounds, the last of which were drawn from ``theta`` under ``bias``."""
    pool = WordPool.of(draws)
    by_number = np.bincount(pool.words.n_active, pool.n_drawn, bias.size)
    group = _groups(by_number, settings.group_draws)
    log_shares = pool.log_shares_of(pool.log_masses(theta), group[pool.words.n_active])
    return replace(pool, spread=Spread(bias, group, log_shares))


def _groups(by_number: Floats, least: float) -> NDArray[np.intp]:
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

    Those of a group of numbers are told from each other by the potential that has spread them.
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
    normalised: Floats = log_p - np.logaddexp.reduce(log_p)
    return normalised


def next_draws(
    rng: np.random.Generator,
    pool: WordPool,
    last: Draws,
    theta: Parameters,
    target: Floats,
    n_draws: int,
    settings: SamplerSettings,
    *,
    is_close: bool = False,
) -> tuple[Draws, Floats, float, float]:
    """Words of a model next to that of the ``last`` ones, spread.

    Returns the words, the potential that stands for how they are spread, the variance of log Z
    that the step adds, and how many sites were updated.
    """
    masses = pool.log_masses(theta)
    log_p = log_p_of_number(pool, masses)
    bias = _bias(log_p, target, n_draws, settings)
    shares = masses + bias[pool.words.n_active]
    chains = resampled(rng, pool, np.exp(shares - shares.max()), settings)
    keys, n_sites = draw(rng, with_potential(theta, bias), chains, n_draws, settings)
    new = Draws.of(with_potential(theta, bias), keys, math.log(n_draws))
    # Masses of bands of numbers, each by its own words alone.
    k_last, k_new = last.words.n_active, new.words.n_active
    n_last = np.bincount(k_last, last.counts, bias.size)
    n_new = np.bincount(k_new, new.counts, bias.size)
    band = _groups(np.minimum(n_last, n_new), settings.band_draws)
    back = new.words.log_weights(new.theta) - new.words.log_weights(last.theta)
    ahead = last.words.log_weights(new.theta) - last.words.log_weights(last.theta)
    variance, log_n = 0.0, math.log(last.n_draws)
    for number in range(int(band.max()) + 1):
        old, own = band[k_last] == number, band[k_new] == number
        ahead_there = np.zeros(0) if is_close else ahead[old]
        n_ahead = np.zeros(0) if is_close else last.counts[old]
        ratio, error = log_ratio(ahead_there, back[own], n_ahead, new.counts[own])
        mass = last.log_mass + math.log(last.counts[old].sum()) - log_n + ratio
        there = band == number
        bias[there] += math.log(new.counts[own].sum()) - mass
        variance += float(np.exp(log_p[there]).sum()) ** 2 * error
    return replace(new, theta=with_potential(theta, bias)), bias, variance, n_sites


def annealed_draws(
    rng: np.random.Generator,
    theta: Parameters,
    words: Words,
    target: Floats,
    n_draws: int,
    settings: SamplerSettings,
) -> tuple[Draws, Floats, float, float]:
    """Words of any model, spread, on a path from independent units at the rates of the data.

    Returns the same as :func:`next_draws`.
    """
    base = Parameters.trusted(logit(np.clip(words.rates, 1e-3, 1.0 - 1e-3)), None, None, None)
    last, bias = independent_draws(rng, base.b, target, n_draws, settings)
    there, reached, variance, n_sites = base, 0.0, 0.0, 0.0
    while reached < 1.0:
        pool = spread_pool((last,), there, bias, settings)
        step = 1.0 - reached
        while pool.share(_between(base, theta, reached + step)) < settings.step_share:
            step *= 0.7
        reached = 1.0 if step > 0.99 * (1.0 - reached) else reached + step
        there = _between(base, theta, reached)
        last, bias, more, sites = next_draws(rng, pool, last, there, target, n_draws, settings)
        variance, n_sites = variance + more, n_sites + sites
    return last, bias, variance, n_sites


def grown(rng: np.random.Generator, words: Bits, n_active: NDArray[np.intp]) -> Bits:
    """Words with units added at random up to as many active ones as others have, in any order."""
    scores = rng.random(words.shape) - words  # active units come first
    ranks = np.argsort(np.argsort(scores, axis=1), axis=1)
    more: Bits = (words | (ranks < rng.permutation(n_active)[:, None])).astype(np.uint8)
    return more


def weights_by_band(
    draws: Draws, bias: Floats, n_active: NDArray[np.intp], settings: SamplerSettings
) -> Floats:
    """What words of other chains count that ran under the same potential, by their active units.

    Bands of numbers have the masses that ``draws`` say: chains need to mix within bands alone.
    """
    n_drawn = np.bincount(draws.words.n_active, draws.counts, bias.size)
    n_words = np.bincount(n_active.ravel(), minlength=bias.size).astype(np.float64)
    band = _groups(np.minimum(n_drawn, n_words), settings.band_draws)
    ratios = np.bincount(band, n_drawn) / np.bincount(band, n_words)
    weights: Floats = np.exp(bias.min() - bias)[n_active] * ratios[band][n_active]
    return weights


def _between(base: Parameters, theta: Parameters, part: float) -> Parameters:
    """A model on the straight line from independent units to ``theta``."""
    b = base.b + part * (theta.b - base.b)
    J, v = (None if each is None else part * each for each in (theta.J, theta.v))
    return Parameters.trusted(b, J, None, None, v)


def draw(
    rng: np.random.Generator,
    theta: Parameters,
    initial: Bits,
    n_draws: int,
    settings: SamplerSettings,
) -> tuple[Keys, float]:
    """Words of the model from chains that start at ``initial``, packed; sites updated."""
    sampler = Sampler(theta, len(initial), seed=new_seed(rng), initial=initial)
    sampler.run(np.ones(settings.settling))
    n_snapshots = max(n_draws // len(initial), 1)
    snapshots = [packed(sampler.run(np.ones(settings.between)).words) for _ in range(n_snapshots)]
    n_sweeps = settings.settling + n_snapshots * settings.between
    return np.concatenate(snapshots, axis=1), float(n_sweeps * len(initial) * theta.n_visible)


def resampled(
    rng: np.random.Generator, pool: WordPool, shares: Floats, settings: SamplerSettings
) -> Bits:
    """Words of the pool as often as their share of the mass asks for, one per chain."""
    heights = (np.arange(settings.n_chains) + rng.random()) / settings.n_chains
    edges = np.cumsum(shares)
    places = np.searchsorted(edges / edges[-1], heights)
    return unpacked(pool.keys[:, places], pool.words.n_units)
