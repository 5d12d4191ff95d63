"""Annealed importance sampling of log Z of sums of terms, checked from three sides.

Forward from independent units, in reverse from words of the model (docs/method.md, section 5), and
by words that a search finds: coordinate ascent from data words and from busy ones, and short chains
from there. Of those words the mass is known up to Z. Where annealed chains see them less often than
that, a mode was missed, and log Z has not converged.
"""

from __future__ import annotations

import math
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..packing import packed, unique_packed, unpacked
from ..validation import Bits, Floats
from ._importance_weights import ROUNDING, doubt_of, effective_sample_size, log_mean
from ._local_terms import LocalTerms
from ._result import LogPartition
from ._term_chains import TermChains, climbed

#: Forward chains, steps of the first run and of the last.
_CHAINS, _FIRST, _LAST = 512, 256, 16384
#: Sweeps of reverse chains from data words before they go back.
_SETTLING = 400
#: What log Z may be off by, nats: 0.02 bits.
_TOLERANCE = 0.02 * math.log(2.0)
#: Chains that start at what a search has found, sweeps of each, and share of the mass in words of
#: theirs that annealed chains may miss.
_SEARCHERS, _SEARCHES, _STRAY = 256, 32, 0.01


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
    samples = TermChains(terms, starts, rng).run(np.ones(_SETTLING)).words
    found = _searched(terms, samples, rng)
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
            words = up.run(np.ones(1)).words
            missed = _missed(terms, found, words, forward, value)
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
    known = float(np.logaddexp.reduce(terms.log_weights(found)))
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


def _searched(terms: LocalTerms, samples: Bits, rng: np.random.Generator) -> Bits:
    """Distinct words around the peaks that a search finds from busy and from usual words."""
    half = _SEARCHERS // 2
    starts = np.concatenate([busy_words(terms.n_units, half, rng), samples[:half]])
    chains = TermChains(terms, climbed(terms, starts), rng)
    seen = [packed(chains.words)]
    seen += [packed(chains.run(np.ones(1)).words) for _ in range(_SEARCHES)]
    keys = np.concatenate(seen, axis=1)
    return unpacked(np.ascontiguousarray(keys[:, unique_packed(keys)[0]]), terms.n_units)


def _missed(
    terms: LocalTerms, found: Bits, words: Bits, log_weights: Floats, log_z: float
) -> str | None:
    """Whether words that a search found hold more of the mass than annealed chains saw there."""
    held = terms.log_weights(found) - log_z
    total = float(np.logaddexp.reduce(held))
    if total > ROUNDING + math.log1p(_STRAY):
        return f"known words alone hold exp({total:.3g}) times as much as the whole estimate"
    shares = np.exp(log_weights - log_weights.max())
    shares /= shares.sum()
    known = {key.tobytes() for key in packed(found).T}
    inside = np.array([key.tobytes() in known for key in packed(words).T])
    seen = float(shares[inside].sum())
    error = math.sqrt(float((shares**2 * (inside - seen) ** 2).sum()))
    excess = math.exp(total) - seen
    if excess > _STRAY and excess > 4.0 * error:
        return f"chains missed {excess:.1%} of the mass, in words that a search found"
    return None
