"""What each mode holds of a model's mass, and which modes the data show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..packing import unique_rows
from ..parameters import Parameters
from ..validation import Bits, Floats
from ._branches import Branch, share_of
from ._gibbs import Sampler, new_seed
from ._modes import FoundMode, nearest, time_averages
from ._result import Mode


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
