"""Hidden Markov chains over the words of spike trains (Rabiner 1989, Proc IEEE 77).

Bins are in time order and fall into runs, at whose first bin the chain starts anew. ``index``
(n_bins,) is the word of each bin, run r holds the bins ``runs[r]`` to ``runs[r + 1]``, and part g
of the work holds the runs ``first[g]`` to ``first[g + 1]``. ``emissions`` (n_words, n_modes) are
probabilities of each word in each mode, divided by the largest of the word.
"""

import numpy as np
from numba import prange

from ..compile import kernel, subroutine

_FAST = {"reassoc", "contract"}


@subroutine(fastmath=_FAST)
def _product(vector, matrix, out):
    """Fill ``out`` with vector @ matrix."""
    for j in range(out.size):
        out[j] = 0.0
    for i in range(vector.size):
        factor, row = vector[i], matrix[i]
        for j in range(out.size):
            out[j] += factor * row[j]


# Probability of each mode given the bins up to now, and of each bin given those before it.
# Cost: one multiply-add per bin and pair of modes.
# Pinned to a sum over all paths by tests/models/test_markov.py.
@kernel(parallel=True, fastmath=_FAST)
def forward(index, runs, first, emissions, start, transitions, filtered, scale):
    """Fill ``filtered`` (n_bins, n_modes) and ``scale`` (n_bins,).

    ``scale`` is p(bin | earlier bins of the run), divided by the word's largest emission.
    """
    for part in prange(first.size - 1):
        predicted = np.empty(start.size)
        for run in range(first[part], first[part + 1]):
            predicted[:] = start
            for t in range(runs[run], runs[run + 1]):
                total, now, emission = 0.0, filtered[t], emissions[index[t]]
                for i in range(start.size):
                    now[i] = predicted[i] * emission[i]
                    total += now[i]
                scale[t] = total
                inverse = 1.0 / total
                for i in range(start.size):
                    now[i] *= inverse
                _product(now, transitions, predicted)


@subroutine(fastmath=_FAST)
def _add(row, out):
    for i in range(row.size):
        out[i] += row[i]


# Probability of each mode in each bin given the whole run, and its sums: over bins (``shares``),
# over bins in which each unit is active (``spikes``), over first bins (``starts``) and over pairs
# of bins in a row (``pairs``, still to be multiplied by the transitions).
# Cost: two multiply-adds per bin and pair of modes, one addition per active bit and mode.
# Pinned to a sum over all paths by tests/models/test_markov.py.
@kernel(parallel=True, fastmath=_FAST)
def backward(
    index, runs, first, emissions, transposed, scale, offsets, active, filtered, spikes, shares,
    starts, pairs,
):  # fmt: skip
    """Turn ``filtered`` into the probabilities given the whole run, and add to the sums.

    ``transposed`` has the transitions into each mode as rows. Active bits of words are listed as
    in a sparse matrix. Sums have one part per part of the work: (n_parts, n_units, n_modes),
    (n_parts, n_modes) twice and (n_parts, n_modes, n_modes).
    """
    n_modes = transposed.shape[0]
    for part in prange(first.size - 1):
        later, weighted = np.empty(n_modes), np.empty(n_modes)
        for run in range(first[part], first[part + 1]):
            later[:] = 1.0
            begin = runs[run]
            for t in range(runs[run + 1] - 1, begin - 1, -1):
                word, inverse, now = index[t], 1.0 / scale[t], filtered[t]
                for i in range(n_modes):
                    now[i] *= later[i]
                    weighted[i] = emissions[word, i] * later[i] * inverse
                _add(now, shares[part])
                for k in range(offsets[word], offsets[word + 1]):
                    _add(now, spikes[part, active[k]])
                if t == begin:
                    _add(now, starts[part])
                    continue
                for i in range(n_modes):
                    before, row = filtered[t - 1, i], pairs[part, i]
                    for j in range(n_modes):
                        row[j] += before * weighted[j]
                _product(weighted, transposed, later)


# Most likely modes of each run (Viterbi).
# Cost: one addition and comparison per bin and pair of modes; two bytes per bin and mode.
# Pinned to the best of all paths by tests/models/test_markov.py.
@kernel(parallel=True)
def most_likely_path(index, runs, first, log_emissions, log_start, log_transitions, path):
    """Fill ``path`` (n_bins,)."""
    n_modes = log_start.size
    for part in prange(first.size - 1):
        best, following = np.empty(n_modes), np.empty(n_modes)
        for run in range(first[part], first[part + 1]):
            begin, end = runs[run], runs[run + 1]
            came_from = np.empty((end - begin, n_modes), dtype=np.int16)
            for j in range(n_modes):
                best[j] = log_start[j] + log_emissions[index[begin], j]
            for t in range(begin + 1, end):
                for j in range(n_modes):
                    top, place = best[0] + log_transitions[0, j], 0
                    for i in range(1, n_modes):
                        value = best[i] + log_transitions[i, j]
                        if value > top:
                            top, place = value, i
                    following[j] = top + log_emissions[index[t], j]
                    came_from[t - begin, j] = place
                best, following = following, best
            mode = np.argmax(best)
            for t in range(end - 1, begin - 1, -1):
                path[t] = mode
                mode = came_from[t - begin, mode]
