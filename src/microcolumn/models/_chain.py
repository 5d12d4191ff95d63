"""A Markov chain of modes on spike trains: forward, backward, and the most likely path."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ..kernels.loops.markov import backward, forward, most_likely_path
from ..kernels.loops.threads import threads_for
from ..objectives.sparse_words import listed_words
from ..timeline import Places
from ..validation import Floats
from ..words import Words
from ._components import Components

#: Runs of bins are dealt to so many parts, whatever the number of threads.
_PARTS = 16


class Trains(NamedTuple):
    """Bins in time order, cut into runs of adjacent ones."""

    listed: csr_array  # the distinct words
    word: NDArray[np.int32]  # word of each bin, a place among them, (n_bins,)
    runs: Places  # first bin of each run, then the number of bins, (n_runs + 1,)
    first: Places  # first run of each part of the work, parts being about equal, (n_parts + 1,)

    @classmethod
    def of(cls, words: Words, listed: csr_array | None = None) -> Self:
        """Runs of words of single bins; one ends with its epoch and where bins are missing."""
        gaps = np.flatnonzero(np.diff(words.bins) != 1) + 1
        starts = np.union1d(words.epoch_starts, gaps)
        runs = np.append(starts, words.n_bins)
        wanted = words.n_bins * np.arange(1, _PARTS) / _PARTS
        cuts = np.searchsorted(runs[:-1], wanted)
        first = np.unique(np.concatenate([[0], cuts, [starts.size]]))
        listed = listed_words(words.X) if listed is None else listed
        return cls(listed, words.index, runs, first)


class Chain(NamedTuple):
    """Modes, where they start and how they follow each other."""

    components: Components  # emissions: components of equal weight 1
    start: Floats  # (n_modes,)
    transitions: Floats  # (n_modes, n_modes)

    @classmethod
    def of(cls, modes: Floats, start: Floats, transitions: Floats) -> Self:
        """From probabilities of spikes (n_modes, n_bits), of the first mode and of the next."""
        return cls(Components.of(modes, np.zeros(len(modes))), start, transitions)

    def filtered(self, trains: Trains) -> tuple[Floats, Floats]:
        """Probability of each mode given the bins up to now, (n_bins, n_modes).

        Also the log probability of each bin given the earlier bins of its run, nats, (n_bins,).
        """
        _, filtered, log_p, _ = self._forward(trains)
        return filtered, log_p

    def sums(self, trains: Trains) -> tuple[float, Floats, Floats, tuple[Floats, Floats]]:
        """Log-likelihood (nats), and expected counts given the whole runs.

        These are spikes (n_modes, n_bits) and bins (n_modes,) of each mode, and then runs that
        start in each mode (n_modes,) and bins in a row of each pair of them (n_modes, n_modes).
        """
        emissions, filtered, log_p, scale = self._forward(trains)
        n_parts, n_modes, listed = trains.first.size - 1, self.start.size, trains.listed
        spikes = np.zeros((n_parts, listed.shape[1], n_modes))
        shares, starts = np.zeros((n_parts, n_modes)), np.zeros((n_parts, n_modes))
        pairs = np.zeros((n_parts, n_modes, n_modes))
        transposed = np.ascontiguousarray(self.transitions.T)
        with threads_for(2.0 * self._operations(trains)):
            backward(
                *trains[1:], emissions, transposed, scale, listed.indptr, listed.indices, filtered,
                spikes, shares, starts, pairs,
            )  # fmt: skip
        counts = starts.sum(axis=0), pairs.sum(axis=0) * self.transitions
        return float(log_p.sum()), spikes.sum(axis=0).T, shares.sum(axis=0), counts

    def best_path(self, trains: Trains) -> NDArray[np.intp]:
        """Most likely modes of each run, shape (n_bins,)."""
        path = np.empty(trains.word.size, dtype=np.intp)
        log_emissions = self.components.log_joint(trains.listed)
        log_start, log_transitions = np.log(self.start), np.log(self.transitions)
        with threads_for(self._operations(trains)):
            most_likely_path(*trains[1:], log_emissions, log_start, log_transitions, path)
        return path

    def _forward(self, trains: Trains) -> tuple[Floats, Floats, Floats, Floats]:
        """Emissions, what ``filtered`` returns, and how likely each bin was, as kernels need it.

        Emissions are probabilities of each word in each mode, divided by the largest of the word.
        """
        emissions = self.components.log_joint(trains.listed)
        tops: Floats = emissions.max(axis=1)
        emissions -= tops[:, None]
        np.exp(emissions, out=emissions)
        n_bins = trains.word.size
        filtered, scale = np.empty((n_bins, self.start.size)), np.empty(n_bins)
        with threads_for(self._operations(trains)):
            forward(*trains[1:], emissions, self.start, self.transitions, filtered, scale)
        return emissions, filtered, np.log(scale) + tops[trains.word], scale

    def _operations(self, trains: Trains) -> float:
        """Multiply-adds of a recursion."""
        return float(trains.word.size) * self.start.size**2


def long_run(transitions: Floats) -> Floats:
    """Probability of each mode in the long run, where all transitions are possible, (n_modes,).

    Modes are taken out one by one, with their visits passed on to the others; there is no
    subtraction, so that rare modes keep their digits (Grassmann, Taksar & Heyman 1985).
    """
    left, n = transitions.copy(), len(transitions)
    for k in range(n - 1, 0, -1):
        left[:k, k] /= left[k, :k].sum()
        left[:k, :k] += np.outer(left[:k, k], left[k, :k])
    visits = np.ones(n)
    for k in range(1, n):
        visits[k] = visits[:k] @ left[:k, k]
    shares: Floats = visits / visits.sum()
    return shares
