"""What each mode holds of a model's mass, and which modes the data show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..packing import unique_rows
from ..parameters import Parameters
from ..validation import Bits, Floats
from ._branches import Branch, branches_of, labels_of, share_of
from ._samples import exact_samples
from .cost import USUAL, PartitionSettings, operations
from .gibbs import Sampler, new_seed
from .modes import FoundMode, assign_modes, find_modes, time_averages
from .result import Mode

#: Exact samples, and the most bits in which one near a word differs from it.
_N_SAMPLES, _NEAR = 2000, 2
#: Otherwise chains of each annealing, and steps until the error is small.
_N_CHAINS, _STEPS = 500, (1000, 2000, 4000, 8000)
#: Share of the mass that no mode accounts for and that is worth a mention.
_MISSING = 0.01
#: Words from which on the largest number of active units among them says what is never seen.
_ENOUGH_WORDS = 500


def modes_of(
    theta: Parameters, branches: list[Branch], words: Bits | None, rng: np.random.Generator
) -> tuple[Mode, ...]:
    """The modes of annealed branches, the heaviest first; seen if any of ``words`` lies there."""
    shares = share_of(branches)
    errors = np.array([branch.part.stderr for branch in branches])
    seen: Sequence[bool | None] = [None] * len(branches)
    if words is not None:
        seen = seen_modes(theta, [branch.mode for branch in branches], words, rng)
    limit = math.inf if words is None else most_active(words)
    parts = []
    for k, branch in enumerate(branches):
        # A share changes by (1 - share) with its own part, and by -share with each of the others.
        slopes = (np.arange(len(branches)) == k) - shares
        stderr = float(shares[k] * np.sqrt(np.nansum((slopes * errors * (shares > 0.0)) ** 2)))
        whole = Mode(float(shares[k]), stderr, branch.mode.n_active, seen[k])
        parts += _cut(whole, *_weighted(branch), limit)
    return tuple(sorted(parts, key=lambda mode: -mode.share))


def modes_of_exact_sum(
    theta: Parameters,
    log_z: float,
    words: Bits,
    rng: np.random.Generator,
    settings: PartitionSettings = USUAL,
) -> tuple[Mode, ...]:
    """Modes of a model whose log Z (nats) is known, the heaviest first.

    Where exact samples lie near the words all of it counts as one mode. Mass that no mode accounts
    for is listed as one more, which no word has seen.
    """
    live, log_factor = theta.drop_dead_units()
    are_quick = operations(live) <= settings.quick_samples
    if are_quick:
        [own] = rng.spawn(1)  # the search draws the same whether or not it was needed
        samples = exact_samples(live, _N_SAMPLES, own)
        if _far(samples, words).mean() < 0.5 * _MISSING:
            return (Mode(1.0, 0.0, float(samples.sum(axis=1).mean()), True),)
    modes = find_modes(live, words, rng, most=settings.most_modes)
    limit = most_active(words)
    if len(modes) == 1 and (modes[0].words.sum(axis=1) <= limit).all():
        seen = seen_modes(live, modes, words, rng)
        return (Mode(1.0, 0.0, modes[0].n_active, seen[0]),)
    branches = branches_of(live, modes, _N_CHAINS, rng)
    if are_quick:
        labels = labels_of(live, branches, samples, rng)
        shares = np.bincount(labels, minlength=len(branches)) / _N_SAMPLES
        errors = np.sqrt(shares * (1.0 - shares) / _N_SAMPLES)
        parts = [(samples[labels == k], np.ones((labels == k).sum())) for k in range(len(branches))]
    else:
        shares, errors = _annealed_shares(branches, log_z - log_factor)
        parts = [_weighted(branch) for branch in branches]
    listed = []
    kept = [branch.mode for branch in branches]
    for k, near in enumerate(seen_modes(live, kept, words, rng)):
        whole = Mode(float(shares[k]), float(errors[k]), branches[k].mode.n_active, near)
        listed += _cut(whole, *parts[k], limit)
    rest, error = 1.0 - float(shares.sum()), float(np.sqrt((errors**2).sum()))
    if rest > max(_MISSING, 4.0 * error):
        listed.append(Mode(rest, error, math.nan, False))
    return tuple(sorted(listed, key=lambda mode: -mode.share))


def _far(samples: Bits, words: Bits) -> NDArray[np.bool_]:
    """Whether each sample differs from all words in more than ``_NEAR`` bits, or a sixth of all."""
    distinct = unique_rows(words)[0].astype(np.float64)
    x = samples.astype(np.float64)
    # Products of ±1 count the bits that agree minus those that differ.
    agreeing = (2.0 * x - 1.0) @ (2.0 * distinct - 1.0).T
    nearest_word = 0.5 * (samples.shape[1] - agreeing.max(axis=1))
    return np.asarray(nearest_word > min(_NEAR, samples.shape[1] // 6))


def most_active(words: Bits) -> float:
    """Number of active units above which a word counts as never seen (method, section 5)."""
    most = int(words.sum(axis=1, dtype=np.int64).max())
    margin = math.ceil(words.shape[1] / 10) if len(words) >= _ENOUGH_WORDS else most + 2
    return most + margin


def _cut(whole: Mode, words: Bits, weights: Floats, limit: float) -> list[Mode]:
    """A mode as its weighted words describe it, in two where some are busier than any seen.

    Chains may go to and fro between words like the data and busier ones, so that both are one
    mode; the share of the busier ones is false all the same.
    """
    total = weights.sum()
    if not total:
        return [whole]
    active, weights = words.sum(axis=1), weights / total
    busy = active > limit
    share = float(weights[busy].sum())
    if not (whole.seen and share):
        return [replace(whole, n_active=float(weights @ active))]
    deviation = float(np.sqrt((weights**2 * (busy - share) ** 2).sum()))
    parts = []
    for inside in (~busy, busy):
        part = float(weights[inside].sum())
        if part > 0.0:
            stderr = math.hypot(part * whole.stderr, whole.share * deviation)
            mean = float(weights[inside] @ active[inside] / part)
            parts.append(Mode(whole.share * part, stderr, mean, inside is not busy))
    return parts


def _weighted(branch: Branch) -> tuple[Bits, Floats]:
    """Words where the forward chains of a branch ended, and their weights, zero outside of it."""
    largest = max(float(branch.forward.max()), -1e300)  # where none is in it, all weights are zero
    return branch.words[0], np.exp(branch.forward - largest)


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
) -> list[bool]:
    """Whether any of the given words lies in each mode.

    It is no less probable at the mode's rates than the mode's own words are, and a chain from it
    stays there. The first alone would find a word that leaves at once; the second one on the way.
    """
    distinct, _ = unique_rows(words)
    rates = np.stack([mode.rates for mode in modes])
    labels = np.zeros(len(distinct), dtype=np.intp)
    if len(modes) > 1:
        chains = Sampler(theta, len(distinct), seed=new_seed(rng), initial=distinct)
        labels = assign_modes(time_averages(chains), rates)
    seen = []
    for k, mode in enumerate(modes):
        least = _log_likelihood(mode.words, mode.rates).min()
        close = _log_likelihood(distinct, mode.rates) >= least
        seen.append(bool(np.any(close & (labels == k))))
    return seen


def _log_likelihood(words: Bits, rates: Floats) -> Floats:
    """Log probability of words under independent units at the rates of a mode, nats."""
    return np.asarray(words @ (np.log(rates) - np.log1p(-rates)) + np.log1p(-rates).sum())
