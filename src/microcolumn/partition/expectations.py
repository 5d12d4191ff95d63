"""Exact expectations under a model: the gradient of log Z (METHOD section 5)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ..kernels.cpu.moments import LANE_UNITS, moment_chunks
from ..kernels.cpu.pair_moments import LOW_UNITS, pair_moment_chunks
from ..kernels.cpu.threads import threads_for
from ..kernels.simd.lanes import WIDTH
from ..parameters import Floats, Parameters
from .sides import pick_side, transposed
from .split import (
    Shape,
    Slice,
    Split,
    Tables,
    in_rows,
    runs,
    slice_of,
    split_units,
    sums_over_states,
    tables_of,
)

_MOMENTS = Shape(
    inner=(4, 6, 8),
    min_inner=4,
    max_outer=9,
    max_table=1 << 14,
    state_operations=16.0,
    hidden_operations=9.0,
)
_PAIR_MOMENTS = Shape(
    inner=(4, 8, 10),
    min_inner=8,
    max_outer=10,
    max_table=1 << 14,
    state_operations=4.0,
    hidden_operations=0.0,
)
_REMEDY = "fit with objective='mpf', which needs no expectations"
#: Entries of the moments of all chunks of one slice: a few megabytes.
_SLICE_ENTRIES = 1 << 20
#: Input of the hidden units that pad a row: off beyond doubt.
_OFF = -1e4


def exact_expectations(theta: Parameters) -> tuple[float, Parameters]:
    """Find log Z and its gradient, the expectations under the model, from one pass over all states.

    Parameters
    ----------
    theta : Parameters
        The model. Without couplings the states of the live hidden units are summed instead of
        the words where they are fewer.

    Returns
    -------
    log_z : float
        Nats.
    gradient : Parameters
        ``b`` holds E[x_n], ``J`` E[x_n x_m] off the diagonal, ``W`` E[x_n sigmoid(z_i)] and ``c``
        E[sigmoid(z_i)]; ``sum(gradient.J * dJ)`` is the change of log Z for a symmetric step dJ.

    Examples
    --------
    >>> log_z, gradient = exact_expectations(Parameters(b=[0.0, 0.0], J=np.zeros((2, 2))))
    >>> gradient.b.round(12).tolist(), gradient.J.round(12).tolist()
    ([0.5, 0.5], [[0.0, 0.25], [0.25, 0.0]])
    """
    live, log_factor = theta.only_live()
    # Only words give E[x_n x_m], unless the units are independent.
    needs_words = theta.J is not None and live.W is not None
    if pick_side(live, "visible" if needs_words else "auto", _REMEDY)[0] == "visible":
        log_z, moments = _sum_moments(live)
    else:
        log_z, moments = _hidden_side(live)
    return log_z + log_factor, _gradient(theta, moments)


@dataclass(frozen=True, slots=True)
class _Moments:
    """E[x_n x_m] with E[x_n] on the diagonal, E[x_n sigmoid(z_i)] and E[sigmoid(z_i)]."""

    units: Floats
    cross: Floats
    hidden: Floats


def _gradient(theta: Parameters, moments: _Moments) -> Parameters:
    """Bring the dead hidden units back: they are independent of everything."""
    rates = np.diagonal(moments.units).copy()
    J = None
    if theta.J is not None:
        J = moments.units - np.diag(rates)
    if theta.W is None or theta.c is None:
        return Parameters(b=rates, J=J)
    c = expit(theta.c)
    W = np.outer(rates, c)
    c[theta.live] = moments.hidden
    W[:, theta.live] = moments.cross
    return Parameters(b=rates, J=J, W=W, c=c)


def _hidden_side(live: Parameters) -> tuple[float, _Moments]:
    """Exchange the roles: E[x_n h_i] is the same from either side; E[x_n x_m] is not needed."""
    if live.W is None:
        rates = expit(live.b)
        units = np.outer(rates, rates)
        np.fill_diagonal(units, rates)
        log_z = float(np.logaddexp(0.0, live.b).sum())
        return log_z, _Moments(units, np.zeros((live.n_units, 0)), np.zeros(0))
    log_z, gradient = exact_expectations(transposed(live))
    assert gradient.W is not None
    assert gradient.c is not None
    return log_z, _Moments(np.diag(gradient.c), gradient.W.T, gradient.b)


def _sum_moments(theta: Parameters) -> tuple[float, _Moments]:
    shape = _MOMENTS if theta.n_hidden else _PAIR_MOMENTS
    split = split_units(theta, shape)
    tables = tables_of(theta, split)
    n_sums = split.inner.size + split.outer.size + theta.n_hidden + 1
    size = max(1, min(split.n_chunks, _SLICE_ENTRIES // n_sums**2))
    n_operations = split.chunk_states * (
        shape.state_operations + shape.hidden_operations * split.n_inner_hidden
    )
    scale, sums = -math.inf, np.zeros(())
    for chunks in runs(split.n_chunks, size):
        part = slice_of(theta, split, chunks)
        with threads_for(chunks.size * n_operations):
            logs, added = _slice_sums(tables, split, part)
        higher = max(scale, logs)
        sums = sums * math.exp(scale - higher) + added * math.exp(logs - higher)
        scale = higher
    log_z = scale + math.log(sums[0, 0]) - split.n_free * math.log(2.0)
    return log_z, _in_model_order(sums / sums[0, 0], split, theta.n_units)


def _slice_sums(tables: Tables, split: Split, part: Slice) -> tuple[float, Floats]:
    """Sums of (1, b, a, c) times (1, b, a, c, sigmoid(z)) over a slice, divided by exp(scale).

    Returns
    -------
    scale : float
        Nats.
    sums : ndarray, shape (1 + n_units, 1 + n_units + n_hidden)
        Free units included; blocks that symmetry gives are left out.
    """
    n_a, n_b, n_hidden = split.outer.size, split.inner.size, split.hidden.size
    logs, outer, outer_pairs, inner_pairs, inner_hidden = _run_kernel(tables, split, part)
    logs = logs + part.log_weight
    scale = float(logs.max())
    weights = np.exp(logs - scale)
    of_b, of_a = slice(1, 1 + n_b), slice(1 + n_b, 1 + n_b + n_a)
    n_units = n_b + n_a + split.fixed.size
    of_c, of_z = slice(1 + n_b + n_a, 1 + n_units), slice(1 + n_units, None)
    sums = np.zeros((1 + n_units, 1 + n_units + n_hidden))
    # einsum adds up in one fixed order, which a threaded matrix product need not do.
    across = np.einsum("k,knf->nf", weights, outer)
    sums[0, 0] = across[0, 0]
    sums[0, of_z] = across[0, 1 + n_b : 1 + n_b + n_hidden]
    sums[of_b, of_b] = np.einsum("k,knm->nm", weights, inner_pairs)
    sums[of_b, of_z] = np.einsum("k,kni->ni", weights, inner_hidden)
    sums[of_a, of_a] = np.einsum("k,knm->nm", weights, outer_pairs)
    sums[of_a, of_b] = across[1:, 1 : 1 + n_b]
    sums[of_a, of_z] = across[1:, 1 + n_b : 1 + n_b + n_hidden]
    fixed = part.states * weights[:, None]
    sums[of_c, of_b] = np.einsum("kc,kf->cf", fixed, outer[:, 0, 1 : 1 + n_b])
    sums[of_c, of_z] = np.einsum("kc,kf->cf", fixed, outer[:, 0, 1 + n_b : 1 + n_b + n_hidden])
    sums[of_c, of_a] = np.einsum("kc,kn->cn", fixed, outer[:, 1:, 0])
    sums[of_c, of_c] = np.einsum("kc,kd->cd", fixed, part.states * outer[:, 0, :1])
    return scale, sums


def _run_kernel(
    tables: Tables, split: Split, part: Slice
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    n_chunks, n_a, n_b = part.log_weight.size, split.outer.size, split.inner.size
    n_hidden = split.hidden.size
    logs = np.empty(n_chunks)
    outer_pairs, inner_pairs = np.empty((n_chunks, n_a, n_a)), np.empty((n_chunks, n_b, n_b))
    inner_hidden = np.empty((n_chunks, n_b, n_hidden))
    if n_hidden == 0:
        outer = np.empty((n_chunks, 1 + n_a, 1 + n_b))
        pair_moment_chunks(
            tables.log_outer,
            tables.log_inner,
            part.outer_fields,
            part.inner_fields,
            *_boosts(tables.fields, LOW_UNITS),
            outer,
            outer_pairs,
            inner_pairs,
            logs,
        )
    else:
        outer = np.empty((n_chunks, 1 + n_a, _padded(1 + n_b + n_hidden)))
        moment_chunks(
            tables.log_outer,
            tables.log_inner,
            tables.centres,
            part.outer_fields,
            part.inner_fields,
            *_boosts(tables.fields, LANE_UNITS),
            _pad_hidden(tables.outer_inputs, 0.0),
            _pad_hidden(part.hidden_inputs, _OFF),
            in_rows(np.exp(tables.inner_inputs), tables.inner_inputs.shape[0] // WIDTH),
            outer,
            outer_pairs,
            inner_pairs,
            inner_hidden,
            logs,
        )
    return logs, outer, outer_pairs, inner_pairs, inner_hidden


def _boosts(fields: Floats, n_low: int) -> tuple[Floats, Floats]:
    """Products of g_j(a)**b_j over the first ``n_low`` inner units, and over the others."""
    low, high = (sums_over_states(part) for part in (fields.T[:n_low], fields.T[n_low:]))
    return np.exp(np.ascontiguousarray(low.T)), np.exp(np.ascontiguousarray(high.T))


def _padded(size: int) -> int:
    return -(-size // WIDTH) * WIDTH


def _pad_hidden(inputs: Floats, fill: float) -> Floats:
    """Add hidden units with input ``fill`` up to a whole number of rows."""
    missing = _padded(inputs.shape[1]) - inputs.shape[1]
    return np.pad(inputs, ((0, 0), (0, missing)), constant_values=fill)


def _in_model_order(sums: Floats, split: Split, n_units: int) -> _Moments:
    """Undo the split: units and hidden units in the model's order, free units dropped."""
    order = np.concatenate([split.inner, split.outer, split.fixed])
    lower = np.tril(sums[1:, 1 : 1 + order.size])
    pairs = lower + np.tril(lower, -1).T
    units = np.zeros((n_units + 1, n_units + 1))
    units[np.ix_(order, order)] = pairs
    cross = np.zeros((n_units + 1, split.hidden.size))
    cross[np.ix_(order, split.hidden)] = sums[1:, 1 + order.size :]
    hidden = np.zeros(split.hidden.size)
    hidden[split.hidden] = sums[0, 1 + order.size :]
    return _Moments(units[:n_units, :n_units], cross[:n_units], hidden)
