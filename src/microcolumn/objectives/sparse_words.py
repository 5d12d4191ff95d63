"""Words as lists of their active bits, with what a model says of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import kernels
from ..energy import FreeTerm, log_weight, term_moments
from ..packing import active_bits, packed, unpacked
from ..parameters import Parameters
from ..validation import Bits, Floats, chunks


def listed_words(bits: Bits) -> sparse.csr_array:
    """Binary words as a sparse matrix, shape (n_words, n_bits)."""
    n_active, active = active_bits(bits)
    offsets = np.concatenate([np.zeros(1, dtype=np.intp), n_active]).cumsum()
    return sparse.csr_array((np.ones(active.size), active, offsets), shape=bits.shape)


class SparseWords:
    """Words whose active bits are listed once for many evaluations.

    ``keys`` are the words packed, shape (n_integers, n_words). ``active`` has the active bits of
    all words one after the other, ``offsets`` (n_words + 1,) where those of each word begin, and
    ``n_active`` (n_words,) their number.
    """

    def __init__(self, keys: NDArray[np.uint64], n_units: int) -> None:
        self.keys, parts = keys, chunks(keys.shape[1], n_units)
        listed = [active_bits(unpacked(keys[:, part], n_units)) for part in parts]
        n_active, active = zip((np.zeros(1, np.intp), np.zeros(0, np.int32)), *listed, strict=True)
        self.offsets, self.active = np.concatenate(n_active).cumsum(), np.concatenate(active)
        self.n_active = np.diff(self.offsets)
        self._words = kernels.SparseWords(self.offsets, self.active, n_units)
        self.n_words, self.n_units = self.offsets.size - 1, n_units
        self._listed: tuple[Floats, sparse.csr_array] | None = None  # functions and their values

    @classmethod
    def of(cls, words: Bits) -> SparseWords:
        """From binary words, shape (n_words, n_units)."""
        return cls(packed(words), words.shape[1])

    def log_weights(self, theta: Parameters) -> Floats:
        """Unnormalised log probability of each word (nats), shape (n_words,)."""
        live, log_factor = theta.as_pairs() if theta.is_gaussian else (theta, 0.0)
        out: Floats = self._words.log_weights(live.arrays) + log_factor
        if theta.term is not None and theta.term.is_linear:
            out += self._slopes(theta.term) @ theta.term.total
        elif theta.term is not None:
            for part in chunks(self.n_words, self.n_units):
                out[part] = log_weight(theta, unpacked(self.keys[:, part], self.n_units))
        return out

    def sums(self, theta: Parameters, weights: Floats) -> tuple[Floats, Parameters]:
        """Log weights (nats, (n_words,)), and weighted sums of the slopes of log p~.

        These are the sums over words of weight times x, xx', x sigmoid(z)' and sigmoid(z), as
        ``Parameters``; for a potential also the weight of the words with each number of active
        bits. ``weights`` has shape (n_words,).
        """
        if theta.is_gaussian:
            pairs, constant = theta.as_pairs()
            log_weights, sums = self.sums(pairs, weights)
            return log_weights + constant, theta.pulled_back(sums, weights.sum())
        term = theta.term
        if term is not None and not term.is_linear:
            return self.log_weights(theta), self._term_moments(theta, weights)
        log_weights, arrays = self._words.sums(theta.arrays, weights)
        if term is not None:
            slopes = self._slopes(term)
            log_weights = log_weights + slopes @ term.total
            term = term.with_strengths(slopes.T @ weights)
        return log_weights, _as_parameters(theta, arrays, term)

    def mass_moments(
        self, theta: Parameters, log_measure: Floats, frequent: int
    ) -> tuple[Floats, float, Parameters]:
        """Log masses of words that stand for others, that of all, and mean slopes by mass.

        The mass of a word is exp(log_measure) p~, and ``log_measure`` (n_words,) is in nats. The
        word ``frequent`` is one of large mass, to which others are compared.
        """
        term = theta.term
        if theta.is_gaussian:
            pairs, constant = theta.as_pairs()
            masses, total, means = self.mass_moments(pairs, log_measure + constant, frequent)
            return masses, total, theta.pulled_back(means, 1.0)
        if term is not None and not term.is_linear:
            masses = log_measure + self.log_weights(theta)
            total = float(np.logaddexp.reduce(masses))
            return masses, total, self._term_moments(theta, np.exp(masses - total))
        if term is not None:
            log_measure = log_measure + self._slopes(term) @ term.total
        masses, total, arrays = self._words.mass_moments(theta.arrays, log_measure, frequent)
        if term is not None:
            term = term.with_strengths(self._slopes(term).T @ np.exp(masses - total))
        return masses, total, _as_parameters(theta, arrays, term)

    def _term_moments(self, theta: Parameters, weights: Floats) -> Parameters:
        """Weighted sums of slopes where a term's depend on its parameters."""
        parts = chunks(self.n_words, self.n_units)
        words = ((unpacked(self.keys[:, at], self.n_units), weights[at]) for at in parts)
        return term_moments(theta, words)

    def _slopes(self, term: FreeTerm) -> sparse.csr_array:
        """Slopes of a linear term for the words, kept for models with other strengths of it."""
        if self._listed is None or self._listed[0] is not term.fixed:
            parts = []
            for part in chunks(self.n_words, max(term.strengths.size, self.n_units)):
                bits = unpacked(self.keys[:, part], self.n_units)
                parts.append(sparse.csr_array(term.slopes(bits)))
            self._listed = term.fixed, sparse.csr_array(sparse.vstack(parts))
        return self._listed[1]


def _as_parameters(
    theta: Parameters, sums: kernels.ModelArrays, term: FreeTerm | None
) -> Parameters:
    """Sums in place of the arrays of a model."""
    return Parameters.trusted(sums.b, sums.J, sums.W, sums.c, sums.v, theta.hidden, term)
