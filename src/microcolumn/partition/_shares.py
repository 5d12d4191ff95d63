"""What each mode holds of a model's mass, and which modes the data show."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..packing import unique_rows
from ..parameters import Parameters
from ..validation import Bits, Floats
from ._branches import Branch, branches_of, share_of, start_from_samples
from ._cost import operations
from ._gibbs import Sampler, new_seed
from ._modes import FoundMode, find_modes, nearest, time_averages
from ._result import Mode
from ._samples import exact_samples

#: Up to so many multiply-adds of the exact sum, shares are those of exact samples, which then take
#: a fraction of a second; and the number of samples.
_SAMPLED_OPERATIONS, _N_SAMPLES = 2.0**26, 2000
#: Otherwise chains of each annealing, and steps until the error is small.
_N_CHAINS, _STEPS = 500, (1000, 2000, 4000, 8000)
#: Share of the mass that no mode accounts for and that is worth a mention.
_MISSING = 0.01


def modes_of(
    theta: Parameters, branches: list[Branch], words: Bits | None, rng: np.random.Generator
) -> tuple[Mode, ...]:
    """The modes of annealed branches, the heaviest first; seen if any of ``words`` lies there."""
    shares = share_of(branches)
    errors = np.array([branch.part.stderr for branch in branches])
    modes = [branch.mode for branch in branches]
    seen = [None] * len(modes) if words is None else seen_modes(theta, modes, words, rng).tolist()
    found = []
    for k, mode in enumerate(modes):
        # A share changes by (1 - share) with its own part, and by -share with each of the others.
        slopes = (np.arange(len(modes)) == k) - shares
        stderr = float(shares[k] * np.sqrt(np.nansum((slopes * errors * (shares > 0.0)) ** 2)))
        found.append(Mode(float(shares[k]), stderr, mode.n_active, seen[k]))
    return tuple(sorted(found, key=lambda mode: -mode.share))


def modes_of_exact_sum(
    theta: Parameters, log_z: float, words: Bits, rng: np.random.Generator
) -> tuple[Mode, ...]:
    """Modes of a model whose log Z (nats) is known, the heaviest first.

    Shares come from exact samples where these are quick, else from annealing each mode. Mass that
    no mode accounts for then is listed as one more, which no word has seen.
    """
    live, log_factor = theta.only_live()
    modes = find_modes(live, words, rng)
    if len(modes) == 1:
        seen = seen_modes(live, modes, words, rng)
        return (Mode(1.0, 0.0, modes[0].n_active, bool(seen[0])),)
    branches = branches_of(live, modes, _N_CHAINS, rng)
    if operations(live) <= _SAMPLED_OPERATIONS:
        samples = exact_samples(live, _N_SAMPLES, rng)
        shares = start_from_samples(live, branches, samples, rng)
        errors = np.sqrt(shares * (1.0 - shares) / _N_SAMPLES)
    else:
        shares, errors = _annealed_shares(branches, log_z - log_factor)
    seen = seen_modes(live, [branch.mode for branch in branches], words, rng)
    found = [
        Mode(float(share), float(error), branch.mode.n_active, bool(near))
        for branch, share, error, near in zip(branches, shares, errors, seen, strict=True)
    ]
    rest, error = 1.0 - float(shares.sum()), float(np.sqrt((errors**2).sum()))
    if rest > max(_MISSING, 4.0 * error):
        found.append(Mode(rest, error, math.nan, False))
    return tuple(sorted(found, key=lambda mode: -mode.share))


def _annealed_shares(branches: list[Branch], log_z: float) -> tuple[Floats, Floats]:
    """Share of Z in each branch and its standard error, with steps doubled until it is small."""
    for n_steps in _STEPS:
        for branch in branches:
            branch.run_forward(n_steps)
        shares = np.exp([branch.part.value - log_z for branch in branches])
        errors = shares * [
            branch.part.stderr if share > 0.0 else 0.0
            for branch, share in zip(branches, shares, strict=True)
        ]
        if np.sqrt((errors**2).sum()) < _MISSING / 4.0:
            break
    return shares, errors


def seen_modes(
    theta: Parameters, modes: Sequence[FoundMode], words: Bits, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Whether any of the given words lies in each mode, shape (n_modes,).

    A word lies in a mode if it is no less probable at the mode's rates than the mode's own words
    are, and if a chain that starts from it stays there. The first alone would find a word that
    leaves at once; the second one that is on the way.
    """
    distinct, _ = unique_rows(words)
    rates = np.stack([mode.rates for mode in modes])
    labels = np.zeros(len(distinct), dtype=np.intp)
    if len(modes) > 1:
        chains = Sampler(theta, len(distinct), seed=new_seed(rng), initial=distinct)
        labels = nearest(time_averages(chains), rates)
    seen = np.zeros(len(modes), dtype=bool)
    for k, mode in enumerate(modes):
        least = _log_likelihood(mode.words, mode.rates).min()
        close = _log_likelihood(distinct, mode.rates) >= least
        seen[k] = bool(np.any(close & (labels == k)))
    return seen


def _log_likelihood(words: Bits, rates: Floats) -> Floats:
    """Log probability of words under independent units at the rates of a mode, nats."""
    value: Floats = words @ (np.log(rates) - np.log1p(-rates)) + np.log1p(-rates).sum()
    return value
