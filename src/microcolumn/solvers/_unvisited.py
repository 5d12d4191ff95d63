"""Words of modes that chains do not visit (docs/method.md, section 5)."""

from __future__ import annotations

import math

import numpy as np

from ..objectives import Draws
from ..packing import packed
from ..parameters import Parameters
from ..partition.gibbs import Sampler, new_seed
from ..partition.modes import annealed_shortly, assign_modes, find_modes
from ..validation import Bits, Floats
from ._sampler_settings import SamplerSettings


def unvisited_modes(
    rng: np.random.Generator,
    theta: Parameters,
    chains: Bits,
    log_z: float,
    settings: SamplerSettings,
) -> tuple[bool, tuple[Draws, ...]]:
    """Words of all modes that hold more than chains there say; whether one holds a real share."""
    some = chains[:: max(len(chains) // 64, 1)]
    modes = find_modes(theta, some, rng, most=settings.most_modes)
    rates = np.stack([mode.rates for mode in modes])
    visits = np.bincount(assign_modes(chains.astype(np.float64), rates), minlength=len(modes))
    is_real, unvisited, (live, log_factor) = False, [], theta.drop_dead_units()
    for k, (mode, n_chains) in enumerate(zip(modes, visits, strict=True)):
        is_only = len(modes) == 1  # whose mass the search has not found
        mass = annealed_shortly(live, mode.rates, rng)[0] if is_only else mode.log_mass
        mass += log_factor
        share = math.exp(min(mass - log_z, 700.0))
        if share < settings.unvisited_factor * n_chains / len(chains):
            continue
        is_real |= share > settings.unvisited_share
        initial = mode.words[np.arange(settings.mode_draws) % len(mode.words)]
        sampler = Sampler(theta, settings.mode_draws, seed=new_seed(rng), initial=initial)
        words = np.concatenate([sampler.run(np.ones(4)).words, mode.peak[None]])
        unvisited.append(Draws.of(theta, packed(words), mass, np.roll(rates, -k, axis=0)))
    return is_real, tuple(unvisited)


def has_underrated_mode(
    rng: np.random.Generator,
    theta: Parameters,
    words: Bits,
    log_z: float,
    log_p: Floats,
    least_share: float,
    settings: SamplerSettings,
) -> bool:
    """Whether a mode holds a real share of the mass, and more than words that are spread say.

    From one mode to another chains pass so rarely that the masses which they find may be far off.
    ``log_p``, shape (n_units + 1,), is what they say of each number of active units.
    """
    modes = find_modes(theta, words, rng, most=settings.most_modes)
    for mode in modes if len(modes) > 1 else ():
        share = math.exp(min(mode.log_mass - log_z, 700.0))
        seen = float(np.exp(np.logaddexp.reduce(log_p[int(mode.n_active / 2) :])))
        if share > max(least_share, settings.underrated_factor * seen):
            return True
    return False
