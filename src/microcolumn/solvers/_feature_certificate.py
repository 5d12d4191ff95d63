"""Judge a sampled fit of features by fresh chains that had no part in it."""

from __future__ import annotations

import numpy as np

from ..layout import Layout
from ..objectives._feature_likelihood import Features
from ..partition._term_chains import TermChains
from ..penalties import L1
from ..validation import Bits, Floats
from ._certificate import CLEARLY, MOST_MEAN_SQUARE, Certificate, gain_of

#: Fresh chains, sweeps before their first word, words of each and sweeps between them.
_CHAINS, _SETTLING, _WORDS, _BETWEEN = 2048, 200, 32, 4
#: Groups of each half of the chains, by which the error of the gain is found.
_GROUPS = 8


def feature_certificate(
    features: Features,
    x: Floats,
    means: Floats,
    l1: float,
    layout: Layout,
    data: Bits,
    base_logits: Floats,
    rng: np.random.Generator,
    n_rounds: int,
    n_sites: float,
) -> Certificate:
    """How far ``x`` is from the optimum, by chains from data and chains from independent units.

    The same judgement as :func:`.sampled_certificate` gives of the paper's family.
    """
    terms, half = features.terms(x), _CHAINS // 2
    from_data = TermChains(terms, data[rng.integers(len(data), size=half)], rng)
    annealed = TermChains(terms, np.zeros((half, features.n_units), np.uint8), rng, base_logits)
    annealed.run(np.linspace(0.0, 1.0, _SETTLING))
    halves = [_chain_means(features, chains) for chains in (from_data, annealed)]
    every = np.concatenate(halves)
    # What no chain ever shows has no variance there. At the optimum it would have the data's.
    single = np.maximum(means * (1.0 - means), 1e-12)
    variance = np.maximum(every.var(axis=0, ddof=1) / _CHAINS, single / (_CHAINS * _WORDS))
    errors = np.sqrt(variance)
    slopes = every.mean(axis=0) - means
    L1(l1).add_slopes(x, layout, slopes)
    # Zeros are judged where they clearly should not be zero: noise alone moves none of them.
    is_judged = (x != 0.0) | (np.arange(x.size) < features.n_units)
    is_judged |= np.abs(slopes) > CLEARLY * errors
    apart = halves[0].mean(axis=0) - halves[1].mean(axis=0)
    mean_square = float(((slopes / errors)[is_judged] ** 2).mean())
    agree = float(((apart / (2.0 * errors))[is_judged] ** 2).mean())
    groups = every.reshape(2 * _GROUPS, -1, x.size).mean(axis=1) - every.mean(axis=0) + slopes
    gain, gain_stderr = gain_of(groups[:, is_judged], single[is_judged])
    return Certificate(
        converged=max(mean_square, agree) <= MOST_MEAN_SQUARE,
        optimality=float(np.abs(slopes).max()),
        mean_square_z=mean_square,
        n_moments=int(is_judged.sum()),
        chains_agree=agree,
        gradient_norm=float(np.linalg.norm(slopes[is_judged])),
        noise_norm=float(np.linalg.norm(errors[is_judged])),
        gain=gain,
        gain_stderr=gain_stderr,
        n_rounds=n_rounds,
        n_sites=n_sites,
    )


def _chain_means(features: Features, chains: TermChains) -> Floats:
    """Means of bits and features over the words of each chain, shape (n_chains, size)."""
    chains.run(np.ones(_SETTLING))
    total = np.zeros((len(chains.words), features.size))
    for _ in range(_WORDS):
        total += features.design(chains.run(np.ones(_BETWEEN)).words).toarray()
    return total / _WORDS
