"""Sums over single flips of words whose log odds are moved from bin to bin by a known drive.

With Delta_n(x) the change of log p~ along a flip of bit n without the drive, d the drive of the bit
in this bin of time and s_n its scale (docs/method.md, "Stimulus drive"),

    Delta_n(x, t) = Delta_n(x) + (1 - 2 x_n) * s_n * d_n(t).

So all that has hidden units or couplings in it is a matter of distinct words, and bins of time
are visited one unit at a time. Units share nothing there: each finds its own best scale.
"""

import math

from numba import prange

from ..compile import kernel, subroutine
from .l1_descent import gate

#: A scale is found when Newton's step is this short: the next one would be its square.
_STEP, _MOST_STEPS = 1e-7, 100


@subroutine
def _term(flow, delta):
    """A flip's term, and its first and second derivative."""
    if flow:
        term = math.exp(0.5 * delta)
        return term, 0.5 * term, 0.25 * term
    active, silent, softplus = gate(delta)
    return softplus, active, active * silent


@subroutine
def _slopes(flow, change, turned, word, drive, row, scale):
    """First and second derivative of the sum of a unit's terms along its scale."""
    first, second = 0.0, 0.0
    for t in range(word.size):
        u = word[t]
        d = -drive[row[t]] if turned[u] else drive[row[t]]
        _, slope, bend = _term(flow, change[u] + scale * d)
        first += slope * d
        second += bend * d * d
    return first, second


@subroutine
def _best_scale(flow, change, turned, word, drive, row, start, largest):
    """Newton's method on a convex function, kept inside the bracket that its slopes tell."""
    low, high, scale = 0.0, largest, start
    for _ in range(_MOST_STEPS):
        first, second = _slopes(flow, change, turned, word, drive, row, scale)
        if first > 0.0:
            high = scale
        else:
            low = scale
        trial = scale - first / second if second > 0.0 else (scale if first == 0.0 else math.nan)
        if not (low <= trial <= high):
            # An end of the whole range is where it may stay; any other end was left already.
            at_end = (first > 0.0 and low == 0.0) or (first <= 0.0 and high == largest)
            trial = (low if first > 0.0 else high) if at_end else 0.5 * (low + high)
        step = abs(trial - scale)
        scale = trial
        if step < _STEP:
            break
    return scale


# Terms of all bins of time at the best scale of each unit's drive, and what they pull with.
# Cost: an exponential per (bin of time, unit) for each step of Newton's method, two at the end.
# Pinned to brute force and to scipy's minimiser by tests/objectives/test_driven.py.
@kernel(parallel=True)
def driven_terms(flow, change, words, counts, word, drive, row, fit, largest, scale, value, pull):
    """Fill ``value`` (n_units,) and ``pull`` (n_units, n_words); find ``scale`` where ``fit``.

    Sums are over bins of time, ``counts`` (n_words,) of each word: bin t holds word ``word[t]``
    under the drive ``drive[:, row[t]]``.
    ``scale`` (n_units,) holds where to start, in [0, ``largest``].
    """
    for n in prange(scale.size):
        turned = words[:, n].copy()
        if fit[n]:
            scale[n] = _best_scale(
                flow, change[n], turned, word, drive[n], row, scale[n], largest
            )  # fmt: skip
        total = 0.0
        if scale[n] == 0.0:  # every bin of a word is like any other
            for u in range(counts.size):
                term, slope, _ = _term(flow, change[n, u])
                total += counts[u] * term
                pull[n, u] = counts[u] * slope
        else:
            pull[n, :] = 0.0
            for t in range(word.size):
                u = word[t]
                d = -drive[n, row[t]] if turned[u] else drive[n, row[t]]
                term, slope, _ = _term(flow, change[n, u] + scale[n] * d)
                total += term
                pull[n, u] += slope
        value[n] = total
