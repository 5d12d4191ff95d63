"""Functions of a few units each: their values for words, and chains of further terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...validation import Bits, Floats
from ..arrays import PotentialArrays, TableArrays
from ..loops.threads import threads_for
from .potentials import ChainPotentials, advance as advance_potentials
from .tables import ChainTables, advance, pattern_weights, values

#: Site updates times functions of a unit of about a fifth of a second.
_CALL_OPERATIONS = 2e8


def table_values(tables: TableArrays, words: Bits) -> Floats:
    """Value of each function for each word, shape (n_words, n_functions)."""
    out = np.empty((len(words), len(tables.inputs)))
    with threads_for(float(len(words)) * tables.inputs.size):
        values(words, *tables, out)
    return out


def pattern_sums(tables: TableArrays, words: Bits, weights: Floats) -> Floats:
    """Summed weight of the words with each pattern of each function, the shape of the tables."""
    out = np.zeros(tables.tables.shape)
    with threads_for(float(len(words)) * tables.inputs.size):
        pattern_weights(words, weights, tables.inputs, out)
    return out


class SiteChains:
    """Chains that a kernel moves by Gibbs steps of single units, as :class:`.GibbsChains`.

    Each chain has a random stream of its own, by the 64 bits of ``seed``. ``advance`` is the kernel
    and ``model`` what it needs; a step costs about ``per_site`` operations.
    """

    def __init__(
        self,
        advance: Callable[..., None],
        model: Any,
        per_site: float,
        words: NDArray[np.generic],
        seed: int,
    ) -> None:
        self._advance, self._model, self._per_site = advance, model, per_site
        self._words, self._log_weights = words.astype(np.uint8), np.zeros(len(words))
        streams = np.random.default_rng(seed)
        self._states = streams.integers(1, 2**64, size=(len(words), 4), dtype=np.uint64)

    @property
    def words(self) -> Bits:
        """Current word of each chain, shape (n_chains, n_units)."""
        return self._words.copy()

    @property
    def log_weights(self) -> Floats:
        """Accumulated log importance weight of each chain (nats), shape (n_chains,)."""
        return self._log_weights.copy()

    @property
    def sweeps_per_call(self) -> int:
        """Sweeps of about a fifth of a second, so that Ctrl-C and progress bars respond."""
        return max(1, int(_CALL_OPERATIONS / (self._words.size * self._per_site)))

    def advance(self, path: Floats, backwards: bool) -> None:
        """Sweep once per row (beta, increment) of ``path``, as :meth:`.GibbsChains.advance`."""
        chains = self._words, self._log_weights, self._states
        self._advance(*chains, self._model, path, backwards)


def table_chains(
    b: Floats, tables: TableArrays, words: NDArray[np.generic], base_logits: Floats, seed: int
) -> SiteChains:
    """Chains of biases ``b`` (n_units,) and functions of a few units."""
    per_site = 10.0 + tables.inputs.size / b.size
    return SiteChains(advance, _chain_tables(b, tables, base_logits), per_site, words, seed)


def potential_chains(
    b: Floats,
    potentials: PotentialArrays,
    words: NDArray[np.generic],
    base_logits: Floats,
    seed: int,
) -> SiteChains:
    """Chains of biases ``b`` (n_units,) and potentials of sums over units."""
    axes, *others = potentials
    arrays = b, base_logits, axes.T, *others
    model = ChainPotentials(*(np.ascontiguousarray(array) for array in arrays))
    per_site = 10.0 + 20.0 * len(axes) + 0.1 * len(model.couplings)
    return SiteChains(advance_potentials, model, per_site, words, seed)


def _chain_tables(b: Floats, tables: TableArrays, base_logits: Floats) -> ChainTables:
    """Tables of the kernel, with the functions of each unit listed."""
    function, place = np.indices(tables.inputs.shape).reshape(2, -1)
    units = tables.inputs.ravel()
    order = np.argsort(units, kind="stable")
    ends = np.cumsum(np.bincount(units, minlength=b.size))
    return ChainTables(
        biases=np.ascontiguousarray(b),
        inputs=np.ascontiguousarray(tables.inputs),
        tables=np.ascontiguousarray(tables.tables),
        first=np.concatenate([[0], ends]).astype(np.intp),
        function=function[order].astype(np.int32),
        step=np.int32(1) << place[order].astype(np.int32),
        base_logits=np.array(base_logits, dtype=np.float64),
    )
