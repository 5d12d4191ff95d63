"""Words from which a search for modes begins (docs/method.md, section 5)."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.special import expit

from ..packing import unique_rows
from ..parameters import Parameters
from ..validation import Bits

#: Words of the data that the search starts from, at most; a quarter of them, if there are more,
#: are those with the most active units.
_MOST_DATA = 512
#: Probability of a unit to be active in random words, and words of each.
_DENSITIES, _RANDOM = (0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95), 8
#: Leading eigenvectors of the couplings whose signs are tried.
_EIGENVECTORS = 8
#: Single units or hidden units whose patterns are tried, at most.
_MOST_PATTERNS = 192


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
    """Units that the pairwise forces favour together.

    Signs of the leading eigenvectors, and each unit with those that it is coupled to: to all of
    them, and to those as strongly as half of its largest coupling. Hidden units couple the units
    that they share, so they count too, as they do when they are undecided.
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
