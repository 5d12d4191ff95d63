"""Tables and chains of the two Gibbs kernels: chains side by side, or one by one.

Both draw the same words. Chains go one by one where units are many and coupled: a kernel with
chains side by side carries a flip of any of them through the fields of all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..kernels.cpu.gibbs import CHAINS, Chains, GibbsTables
from ..kernels.cpu.sparse_gibbs import BLOCK, SparseChains, SparseTables
from ..kernels.simd.lanes import WIDTH
from ..parameters import Parameters
from ..validation import Floats

#: Largest exponent: products of (1 + exp z) stay in the range of a double.
_LARGEST_LOG = 600.0
#: Units from which on coupled chains go one by one, without hidden units and with few.
_MANY_UNITS, _MANY_WITH_HIDDEN, _FEW_HIDDEN = 64, 256, 32
#: Share of couplings that are not zero up to which they are listed.
_SPARSE = 0.2
#: Bias of the hidden units that pad a row: certainly off.
_OFF = -1e4


def suits_single_chains(theta: Parameters) -> bool:
    """Whether chains of a model, whose hidden units are all live, are faster one by one."""
    if theta.J is None or theta.v is not None or theta.n_visible < _MANY_UNITS:
        return False
    if theta.W is None or theta.n_hidden == 0:
        return True
    few = theta.n_visible >= _MANY_WITH_HIDDEN and theta.n_hidden <= _FEW_HIDDEN
    return few and float(np.abs(theta.W).sum(axis=1).max()) < _LARGEST_LOG


def single_chains(
    theta: Parameters, base_logits: Floats, words: Floats
) -> tuple[SparseTables, SparseChains]:
    """Chains one by one at ``words`` (n_chains, n_units), of a model with couplings."""
    assert theta.J is not None
    (n_chains, n_units), n_hidden = words.shape, theta.n_hidden
    units = 0, -n_units % BLOCK
    hidden = 0, -n_hidden % WIDTH
    listed = np.count_nonzero(theta.J) < _SPARSE * theta.J.size
    rows, linked = np.nonzero(theta.J) if listed else (np.zeros(0, np.intp),) * 2
    W = np.zeros((n_units, 0)) if theta.W is None else theta.W
    c = np.zeros(0) if theta.c is None else theta.c
    tables = SparseTables(
        biases=np.pad(theta.b, units),
        base_logits=np.pad(base_logits, units),
        couplings=np.zeros((0, 0)) if listed else np.pad(2.0 * theta.J, ((0, 0), units)),
        first_link=np.searchsorted(rows, np.arange(n_units + 1)),
        linked=linked.astype(np.int32),
        links=2.0 * theta.J[rows, linked],
        weights=np.pad(W, ((0, 0), hidden)),
        hidden_biases=np.pad(c, hidden, constant_values=_OFF),
        has_weights=np.asarray(W.any(axis=1)),
        up=np.ascontiguousarray(np.pad(np.expm1(W).T, ((0, 0), units))),
        down=np.ascontiguousarray(np.pad(np.expm1(-W).T, ((0, 0), units))),
    )
    x = np.pad(words, ((0, 0), units))
    inputs = np.zeros((n_chains, n_hidden + hidden[1]))
    return tables, SparseChains(x, np.zeros_like(x), inputs, np.zeros(n_chains))


def chains_side_by_side(
    theta: Parameters, base_logits: Floats, words: Floats
) -> tuple[GibbsTables, Chains]:
    """Chains in groups at ``words`` (n_chains, n_units), of a model whose hidden units are live."""
    n_chains, n_units = words.shape
    n_groups = -(-n_chains // CHAINS)
    padded = np.pad(words, ((0, n_groups * CHAINS - n_chains), (0, 0)))
    x = padded.reshape(n_groups, CHAINS, n_units).transpose(0, 2, 1)
    chains = Chains(
        x=np.ascontiguousarray(x),
        fields=np.zeros(x.shape),
        inputs=np.zeros((n_groups, theta.n_hidden, CHAINS)),
        hidden_log=np.zeros((n_groups, CHAINS)),
        log_weights=np.zeros((n_groups, CHAINS)),
    )
    return _tables(theta, base_logits), chains


def _tables(theta: Parameters, base_logits: Floats) -> GibbsTables:
    n_units = theta.n_visible
    couplings = np.zeros((0, 0)) if theta.J is None else theta.J.copy()
    if theta.W is None or theta.c is None:
        weights, hidden_biases = np.zeros((n_units, 0)), np.zeros(0)
    else:
        weights, hidden_biases = theta.W.copy(), theta.c.copy()
    highest = hidden_biases + np.maximum(weights, 0.0).sum(axis=0)
    lowest = hidden_biases + np.minimum(weights, 0.0).sum(axis=0)
    careful = bool(np.any(highest > _LARGEST_LOG) or np.any(lowest < -_LARGEST_LOG))
    exponents = np.zeros_like(weights) if careful else weights
    return GibbsTables(
        biases=theta.b.copy(),
        couplings=couplings,
        weights=weights,
        hidden_biases=hidden_biases,
        up=np.exp(exponents),
        down=np.exp(-exponents),
        block_ends=_block_ends(np.logaddexp(0.0, highest)),
        careful=careful,
        base_logits=base_logits,
        potential=np.zeros(0) if theta.v is None else theta.v.copy(),
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
