"""Gibbs chains of models that are sums of functions of a few units each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..kernels.cpu.local_terms import TermTables, advance, ascend
from ..validation import Bits, Floats
from ._local_terms import LocalTerms

#: Passes of coordinate ascent: it ends long before.
_PASSES = 200
#: Chains that draw words, sweeps on the way to the model, as many there, and between two words.
_MOST_CHAINS, _ANNEALING, _BETWEEN = 4096, 300, 10


class TermChains:
    """Chains of one model, with the path between it and an independent base model.

    Parameters
    ----------
    terms : LocalTerms
        The model.
    initial : ndarray of uint8, shape (n_chains, n_units)
        Words to start from.
    rng : numpy.random.Generator
        Source of each chain's own stream.
    base_logits : ndarray, shape (n_units,), optional
        Of the base at beta = 0; by default fair coins.
    """

    def __init__(
        self,
        terms: LocalTerms,
        initial: Bits,
        rng: np.random.Generator,
        base_logits: Floats | None = None,
    ) -> None:
        logits = np.zeros(terms.n_units) if base_logits is None else base_logits
        self._model = tables_of(terms, logits)
        self.words: Bits = np.array(initial, dtype=np.uint8)
        self.log_weights: Floats = np.zeros(len(initial))
        self._states: NDArray[np.uint64] = rng.integers(
            1, 2**64, size=(len(initial), 4), dtype=np.uint64
        )

    def run(
        self, betas: Floats, increments: Floats | None = None, *, backwards: bool = False
    ) -> TermChains:
        """Sweep once per inverse temperature: beta = 0 samples the base, 1 the model.

        After each sweep its increment times log p~(x) - base'x is added to the log weight.
        ``backwards`` scans units in descending order, which reverses the ascending scan.
        """
        path = np.zeros((len(betas), 2))
        path[:, 0] = betas
        if increments is not None:
            path[:, 1] = increments
        advance(self.words, self.log_weights, self._states, self._model, path, backwards)
        return self


def n_chains_of(n_words: int) -> int:
    """Chains that draw so many words."""
    return min(n_words, _MOST_CHAINS)


def drawn_words(
    terms: LocalTerms, n_words: int, base_logits: Floats, rng: np.random.Generator
) -> Bits:
    """Words of the model by chains that are annealed from independent units.

    Words of one chain are ten sweeps apart; there is one chain per word, up to 4096, and chains
    take turns.
    """
    n_chains = n_chains_of(n_words)
    chains = TermChains(terms, np.zeros((n_chains, terms.n_units), np.uint8), rng, base_logits)
    chains.run(np.minimum(np.arange(2 * _ANNEALING) / _ANNEALING, 1.0))
    n_rounds = -(-n_words // n_chains)
    rounds = [chains.run(np.ones(_BETWEEN if k else 0)).words.copy() for k in range(n_rounds)]
    return np.concatenate(rounds)[:n_words]


def climbed(terms: LocalTerms, words: Bits) -> Bits:
    """Local maxima of log p~ that single flips lead to from some words, same shape."""
    peaks: Bits = np.array(words, dtype=np.uint8)
    ascend(peaks, tables_of(terms, np.zeros(terms.n_units)), _PASSES)
    return peaks


def tables_of(terms: LocalTerms, base_logits: Floats) -> TermTables:
    """Tables of the kernels, with the terms of each unit listed."""
    term, place = np.nonzero(terms.inputs >= 0)
    units = terms.inputs[term, place]
    order = np.argsort(units, kind="stable")
    ends = np.cumsum(np.bincount(units, minlength=terms.n_units))
    return TermTables(
        biases=np.ascontiguousarray(terms.b),
        inputs=np.ascontiguousarray(terms.inputs),
        steps=terms.steps,
        tables=np.ascontiguousarray(terms.tables),
        first=np.concatenate([[0], ends]).astype(np.intp),
        term=term[order].astype(np.int32),
        step=terms.steps[place[order]],
        base_logits=np.array(base_logits, dtype=np.float64),
    )
