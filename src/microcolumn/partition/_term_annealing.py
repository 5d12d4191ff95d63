"""Annealed importance sampling of log Z of sums of terms, checked from three sides.

Forward from independent units, in reverse from words of the model (docs/method.md, section 5), and
by words that a search finds: coordinate ascent from usual words and from busy ones, then short
chains from there. Of those words the mass is known up to Z. Where they alone hold more than Z, or
where chains from data never saw words of theirs that they should have seen ten times, a mode was
missed, and log Z has not converged.
"""

from __future__ import annotations

import math
import time
import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ..packing import packed, unique_packed, unpacked
from ..validation import Bits, Floats
from ._importance_weights import doubt_of, effective_sample_size, log_mean
from ._local_terms import LocalTerms
from ._result import LogPartition
from ._term_chains import TermChains, climbed

Keys = NDArray[np.uint64]  # words, packed, shape (n_integers, n_words)

#: Forward chains, steps of the first run and of the last.
_CHAINS, _FIRST, _LAST = 512, 256, 16384
#: Sweeps of reverse chains from data words before they go back.
_SETTLING = 400
#: What log Z may be off by, nats: 0.02 bits.
_TOLERANCE = 0.02 * math.log(2.0)
#: Chains that start at what a search has found, sweeps of each, words that each chain from data
#: shows, and share of the mass that these may miss.
_SEARCHERS, _SEARCHES, _SNAPSHOTS, _STRAY = 256, 32, 16, 0.01
#: Visits that are expected of a word which none of many chains sees only by being elsewhere.
_VISITS = 10.0


def annealed_log_partition(
    terms: LocalTerms,
    rates: Floats,
    data: Bits,
    rng: np.random.Generator,
    *,
    last: int = _LAST,
) -> LogPartition:
    """Log Z, nats, with forward and reverse runs whose steps double until they agree.

    Parameters
    ----------
    terms : LocalTerms
        The model.
    rates : ndarray, shape (n_units,)
        Of the independent base, neither 0 nor 1.
    data : ndarray of uint8, shape (n_words, n_units)
        Words from which reverse chains and searches start, drawn as often as they occur.
    rng : numpy.random.Generator
        Source of all draws.
    last : int
        Most steps.

    Returns
    -------
    LogPartition
        With ``converged`` False, and a ConvergenceWarning that says why, where the runs do not
        agree or words are known that they missed.
    """
    started = time.perf_counter()
    logits = np.log(rates) - np.log1p(-rates)
    log_base = -float(np.log1p(-rates).sum())
    starts = data[rng.integers(len(data), size=2 * _CHAINS)]
    usual = TermChains(terms, starts, rng).run(np.ones(_SETTLING))
    visited = np.concatenate(
        [packed(usual.run(np.ones(1)).words) for _ in range(_SNAPSHOTS)], axis=1
    )
    samples = usual.words
    found = searched(terms, samples, rng, _SEARCHERS, _SEARCHES)
    trace: list[tuple[int, float, float]] = []
    n_steps, doubt, n_sweeps = _FIRST, "", 0
    while True:
        betas = np.arange(n_steps) / n_steps
        up = TermChains(terms, np.zeros((_CHAINS, terms.n_units), np.uint8), rng, logits)
        up.run(betas, np.full(n_steps, 1.0 / n_steps))
        forward = log_base + up.log_weights
        value, stderr = log_mean(forward)
        settled = stderr < _TOLERANCE and bool(trace) and abs(value - trace[-1][1]) < _TOLERANCE
        trace.append((n_steps, value, stderr))
        n_sweeps += n_steps * _CHAINS
        if settled or n_steps >= last:
            down = TermChains(terms, samples, rng, logits)
            back = np.concatenate([[1.0], betas[:0:-1]])
            down.run(back, np.full(n_steps, 1.0 / n_steps), backwards=True)
            reverse = log_base + down.log_weights
            n_sweeps += 2 * n_steps * _CHAINS
            missed = _missed(terms, found, visited, value)
            doubt = doubt_of(forward, reverse, settled, _TOLERANCE) or missed or ""
            if not doubt or n_steps >= last:
                break
        n_steps *= 2
    if doubt:
        warnings.warn(
            f"annealed importance sampling has not converged after {n_steps} steps of {_CHAINS} "
            f"chains: {doubt}; take fewer units or a larger penalty",
            ConvergenceWarning,
            stacklevel=2,
        )
    negative, reverse_stderr = log_mean(-reverse)
    known = float(np.logaddexp.reduce(terms.log_weights(unpacked(found, terms.n_units))))
    return LogPartition(
        value=value,
        stderr=stderr,
        method="ais",
        n_operations=float(n_sweeps) * (2.0 * terms.inputs.size + 50.0 * terms.n_units),
        seconds=time.perf_counter() - started,
        converged=not doubt,
        effective_sample_size=effective_sample_size(forward),
        reverse=-negative,
        reverse_stderr=reverse_stderr,
        n_steps=n_steps,
        trace=tuple(trace),
        lower_bound=known,
    )


def busy_words(n_units: int, n_words: int, rng: np.random.Generator) -> Bits:
    """Words with all shares of active units, all and none of them included."""
    shares = np.linspace(0.0, 1.0, n_words)
    words: Bits = (rng.random((n_words, n_units)) < shares[:, None]).astype(np.uint8)
    return words


def searched(
    terms: LocalTerms, usual: Bits, rng: np.random.Generator, n_chains: int, n_sweeps: int
) -> Keys:
    """Distinct words around the peaks that a search finds from busy and from usual words, packed.

    Half of ``n_chains`` chains climb from busy words, half from ``usual`` ones, before they make
    ``n_sweeps`` sweeps.
    """
    half = n_chains // 2
    starts = np.concatenate([busy_words(terms.n_units, half, rng), usual[:half]])
    chains = TermChains(terms, climbed(terms, starts), rng)
    seen = [packed(chains.words)]
    seen += [packed(chains.run(np.ones(1)).words) for _ in range(n_sweeps)]
    keys = np.concatenate(seen, axis=1)
    return np.ascontiguousarray(keys[:, unique_packed(keys)[0]])


def unseen_share(
    terms: LocalTerms, found: Keys, visited: Keys, n_visits: int, log_z: float
) -> float:
    """Share of Z in words that a search found and that chains should have seen, but did not.

    Only words count of which ``n_visits`` draws would have shown ten: lighter ones are missed by
    chance.
    """
    known = {key.tobytes() for key in visited.T}
    unseen = np.array([key.tobytes() not in known for key in found.T], dtype=bool)
    if not unseen.any():
        return 0.0
    words = unpacked(np.ascontiguousarray(found[:, unseen]), terms.n_units)
    log_shares = np.minimum(terms.log_weights(words) - log_z, 700.0)
    heavy = log_shares > math.log(_VISITS / n_visits)
    return float(np.exp(log_shares[heavy]).sum())


def _missed(terms: LocalTerms, found: Keys, visited: Keys, log_z: float) -> str | None:
    """What words that a search found say against the estimate, as a clause; None if nothing."""
    weights = terms.log_weights(unpacked(found, terms.n_units))
    excess = float(np.logaddexp.reduce(weights)) - log_z
    if excess > math.log1p(_STRAY):
        return f"known words alone hold exp({excess:.3g}) times as much as the whole estimate"
    share = unseen_share(terms, found, visited, visited.shape[1], log_z)
    if share > _STRAY:
        return f"chains missed {share:.1%} of the mass, in words that a search found"
    return None
