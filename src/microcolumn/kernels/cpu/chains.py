"""Chains of collapsed Gibbs sampling: tables and states of the two kernels, and which is used.

Both draw the same words. Chains go one by one where units are many and coupled: a kernel with
chains side by side carries a flip of any of them through the fields of all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...validation import Bits, Floats
from ..arrays import ModelArrays
from ..simd.lanes import WIDTH
from .gibbs import CHAINS, Chains, GibbsTables, advance
from .sparse_gibbs import BLOCK, SparseChains, SparseTables, advance_sparse

#: Largest exponent: products of (1 + exp z) stay in the range of a double.
_LARGEST_LOG = 600.0
#: Units from which on coupled chains go one by one, without hidden units and with few.
_MANY_UNITS, _MANY_WITH_HIDDEN, _FEW_HIDDEN = 64, 256, 32
#: Share of couplings that are not zero up to which they are listed.
_SPARSE = 0.2
#: Site updates times table entries of about a fifth of a second.
_CALL_OPERATIONS = 4e8


class GibbsChains:
    """Chains of one model, with the path between it and an independent base model.

    All hidden units of the model have weights. Chains start from ``words`` (n_chains, n_units); the
    base has the log odds ``base_logits`` (n_units,). A draw depends on ``seed``, of 64 bits, the
    chain, the sweep and the site alone. By default chains are swept ``one_by_one`` where that is
    faster; it needs couplings.
    """

    def __init__(
        self,
        model: ModelArrays,
        words: NDArray[np.generic],
        base_logits: Floats,
        seed: int,
        one_by_one: bool | None = None,
    ) -> None:
        self._one_by_one = _suits_single_chains(model) if one_by_one is None else one_by_one
        self.n_chains, self.n_units = words.shape
        self._seed, self._n_sweeps = np.uint64(seed), 0
        start, base = words.astype(np.float64), np.array(base_logits, dtype=np.float64)
        self.tables: GibbsTables | SparseTables
        self.state: Chains | SparseChains
        if self._one_by_one:
            self.tables, self.state = _single_chains(model, base, start)
        else:
            self.tables, self.state = _tables(model, base), _chains(start, model.n_hidden)

    @property
    def words(self) -> Bits:
        """Current word of each chain, shape (n_chains, n_units)."""
        x = self.state.x
        if not self._one_by_one:
            x = x.transpose(0, 2, 1).reshape(-1, self.n_units)
        return x[: self.n_chains, : self.n_units].astype(np.uint8)

    @property
    def log_weights(self) -> Floats:
        """Accumulated log importance weight of each chain (nats), shape (n_chains,)."""
        return self.state.log_weights.reshape(-1)[: self.n_chains].copy()

    @property
    def sweeps_per_call(self) -> int:
        """Sweeps of about a fifth of a second, so that Ctrl-C and progress bars respond."""
        n_units, n_hidden = self.tables.weights.shape
        return max(1, int(_CALL_OPERATIONS / (self.state.x.size * (n_units + n_hidden + 50))))

    def advance(self, path: Floats, backwards: bool) -> None:
        """Sweep once per row (beta, increment) of ``path``: beta = 0 samples the base, 1 the model.

        After each sweep its increment times log p~(x) - log p~_base(x) is added to the log weight.
        ``backwards`` scans units in descending order, which reverses the ascending scan.
        """
        move = advance_sparse if self._one_by_one else advance
        move(self.state, self.tables, path, backwards, self._seed, self._n_sweeps)
        self._n_sweeps += len(path)


def _suits_single_chains(model: ModelArrays) -> bool:
    if model.J is None or model.n_units < _MANY_UNITS:
        return False
    if model.W is None or model.n_hidden == 0:
        return True
    few = model.n_units >= _MANY_WITH_HIDDEN and model.n_hidden <= _FEW_HIDDEN
    return few and float(np.abs(model.W).sum(axis=1).max()) < _LARGEST_LOG


def _single_chains(
    model: ModelArrays, base_logits: Floats, words: Floats
) -> tuple[SparseTables, SparseChains]:
    assert model.J is not None
    n_chains, n_units = words.shape
    units = 0, -n_units % BLOCK
    listed = np.count_nonzero(model.J) < _SPARSE * model.J.size
    rows, linked = np.nonzero(model.J) if listed else (np.zeros(0, np.intp),) * 2
    (W, _), (weights, hidden_biases) = model.hidden, model.hidden_in_rows(WIDTH)
    tables = SparseTables(
        biases=np.pad(model.b, units),
        base_logits=np.pad(base_logits, units),
        couplings=np.zeros((0, 0)) if listed else np.pad(2.0 * model.J, ((0, 0), units)),
        first_link=np.searchsorted(rows, np.arange(n_units + 1)),
        linked=linked.astype(np.int32),
        links=2.0 * model.J[rows, linked],
        weights=weights,
        hidden_biases=hidden_biases,
        has_weights=np.asarray(W.any(axis=1)),
        up=np.ascontiguousarray(np.pad(np.expm1(W).T, ((0, 0), units))),
        down=np.ascontiguousarray(np.pad(np.expm1(-W).T, ((0, 0), units))),
        potential=np.zeros(0) if model.v is None else model.v.copy(),
    )
    x = np.pad(words, ((0, 0), units))
    inputs = np.zeros((n_chains, hidden_biases.size))
    return tables, SparseChains(x, np.zeros_like(x), inputs, np.zeros(n_chains))


def _chains(words: Floats, n_hidden: int) -> Chains:
    """Chains side by side, in groups."""
    n_chains, n_units = words.shape
    n_groups = -(-n_chains // CHAINS)
    padded = np.pad(words, ((0, n_groups * CHAINS - n_chains), (0, 0)))
    x = padded.reshape(n_groups, CHAINS, n_units).transpose(0, 2, 1)
    return Chains(
        x=np.ascontiguousarray(x),
        fields=np.zeros(x.shape),
        inputs=np.zeros((n_groups, n_hidden, CHAINS)),
        hidden_log=np.zeros((n_groups, CHAINS)),
        log_weights=np.zeros((n_groups, CHAINS)),
    )


def _tables(model: ModelArrays, base_logits: Floats) -> GibbsTables:
    """Tables for chains side by side."""
    weights, hidden_biases = (array.copy() for array in model.hidden)
    highest = hidden_biases + np.maximum(weights, 0.0).sum(axis=0)
    lowest = hidden_biases + np.minimum(weights, 0.0).sum(axis=0)
    careful = bool(np.any(highest > _LARGEST_LOG) or np.any(lowest < -_LARGEST_LOG))
    exponents = np.zeros_like(weights) if careful else weights
    return GibbsTables(
        biases=model.b.copy(),
        couplings=np.zeros((0, 0)) if model.J is None else model.J.copy(),
        weights=weights,
        hidden_biases=hidden_biases,
        up=np.exp(exponents),
        down=np.exp(-exponents),
        block_ends=_block_ends(np.logaddexp(0.0, highest)),
        careful=careful,
        base_logits=base_logits,
        potential=np.zeros(0) if model.v is None else model.v.copy(),
    )


def _block_ends(largest_logs: Floats) -> NDArray[np.int64]:
    """Ends of blocks of consecutive hidden units whose largest log product stays in range."""
    ends: list[int] = []
    total = 0.0
    for i, largest in enumerate(largest_logs):
        if i > 0 and total + largest > _LARGEST_LOG:
            ends.append(i)
            total = 0.0
        total += float(largest)
    if len(largest_logs):
        ends.append(len(largest_logs))
    return np.array(ends, dtype=np.int64)
