"""Exact expectations under a model: the gradient of log Z (docs/method.md, section 5)."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit

from ..kernels.cpu.counted import counted_moment_chunks
from ..kernels.cpu.moments import LANE_UNITS, moment_chunks
from ..kernels.cpu.pair_moments import LOW_UNITS, pair_moment_chunks
from ..kernels.loops.threads import threads_for
from ..kernels.simd.lanes import WIDTH
from ..parameters import Parameters
from ..validation import Floats
from ._cost import MOMENTS_RATE, pick_side, transposed, warn_if_long
from ._counted import CountTables, boosts
from ._enumeration import (
    EnumerationPlan,
    FixedUnits,
    KernelLimits,
    Tables,
    in_rows,
    plan_enumeration,
)
from ._listed import listed_expectations
from ._table_sums import table_expectations

_MOMENTS = KernelLimits(
    inner=(4, 6, 8), min_inner=4, max_outer=9, max_table=1 << 14, per_state=16.0, per_hidden=9.0
)
_PAIR_MOMENTS = KernelLimits(
    inner=(4, 8, 10), min_inner=8, max_outer=10, max_table=1 << 14, per_state=4.0, per_hidden=0.0
)
_COUNTED_MOMENTS = KernelLimits(
    inner=(4, 8), min_inner=8, max_outer=10, max_table=1 << 14, per_state=4.0, per_hidden=0.0
)
#: Entries of the moments of all chunks of one batch: a few megabytes.
_BATCH_ENTRIES = 1 << 20
#: States that are listed rather than summed by a kernel, which takes a millisecond to prepare.
MOST_LISTED = 1 << 11
#: Input of the hidden units that pad a row: certainly off.
_OFF = -1e4
_REMEDY = "estimate them from the words that gibbs_samples draws"


def exact_expectations(
    theta: Parameters, *, most_listed: int = MOST_LISTED
) -> tuple[float, Parameters]:
    """Find log Z and its gradient, the expectations under the model, from one pass over all states.

    Parameters
    ----------
    theta : Parameters
        The model. Without couplings the sum runs over words or over states of the live hidden
        units, whichever are fewer.
    most_listed : int
        Up to so many states are listed, more are summed by a kernel.

    Returns
    -------
    log_z : float
        Nats.
    gradient : Parameters
        ``b`` holds E[x_n], ``J`` E[x_n x_m] off the diagonal, ``W`` E[x_n sigmoid(z_i)] and ``c``
        E[sigmoid(z_i)]; ``sum(gradient.J * dJ)`` is the change of log Z for a symmetric step dJ.
        ``v`` holds the probability of each number of active units.

    Examples
    --------
    >>> log_z, gradient = exact_expectations(Parameters(b=[0.0, 0.0], J=np.zeros((2, 2))))
    >>> gradient.b.round(12).tolist(), gradient.J.round(12).tolist()
    ([0.5, 0.5], [[0.0, 0.25], [0.25, 0.0]])
    """
    if theta.tables is not None:
        pick_side(theta, "visible", _REMEDY)  # refuses what would take too long
        return table_expectations(theta)
    if theta.is_gaussian:
        pairwise, log_factor = theta.as_pairs()
        log_z, found = exact_expectations(pairwise, most_listed=most_listed)
        return log_z + log_factor, theta.pulled_back(found, 1.0)
    if theta.v is not None:
        # Refuses what would take days.
        warn_if_long(pick_side(theta, "visible", _REMEDY)[1], MOMENTS_RATE, _REMEDY)
        return _sum_moments(theta, most_listed)
    live, log_factor = theta.only_live()
    # Only words give E[x_n x_m], unless the units are independent.
    needs_words = theta.J is not None and live.W is not None
    side, n_operations = pick_side(live, "visible" if needs_words else "auto", _REMEDY)
    warn_if_long(n_operations, MOMENTS_RATE, _REMEDY)
    if side == "visible":
        log_z, found = _sum_moments(live, most_listed)
    elif live.W is None:
        rates = expit(live.b)
        pairs = np.outer(rates, rates)
        np.fill_diagonal(pairs, 0.0)
        log_z = float(np.logaddexp(0.0, live.b).sum())
        found = Parameters.trusted(rates, pairs, None, None)
    else:  # with the roles exchanged E[x_n h_i] is the same
        log_z, found = exact_expectations(transposed(live), most_listed=most_listed)
        found = transposed(found)
    J = None if theta.J is None else found.J
    if theta.W is None or theta.c is None:
        return log_z + log_factor, Parameters.trusted(found.b, J, None, None)
    # Dead hidden units are independent of everything.
    c = expit(theta.c)
    W = np.outer(found.b, c)
    if found.W is not None:
        c[theta.live], W[:, theta.live] = found.c, found.W
    return log_z + log_factor, Parameters.trusted(found.b, J, W, c)


def _sum_moments(theta: Parameters, most_listed: int) -> tuple[float, Parameters]:
    """Log Z and expectations from a sum over words; every hidden unit is live."""
    if 2.0**theta.n_visible <= most_listed:
        return listed_expectations(theta)
    limits = _MOMENTS if theta.n_hidden else _PAIR_MOMENTS
    if theta.v is not None:
        limits = _COUNTED_MOMENTS
    plan = plan_enumeration(theta, limits)
    tables = plan.tables()
    n_sums = plan.inner.size + plan.outer.size + theta.n_hidden + 1
    batch_size = max(1, min(plan.n_chunks, _BATCH_ENTRIES // n_sums**2))
    per_state = limits.per_state + limits.per_hidden * plan.n_inner_hidden
    scale, sums = -math.inf, np.zeros(())
    for chunks in plan.batches(batch_size):
        with threads_for(chunks.size * plan.states_per_chunk * per_state):
            logs, added = _batch_sums(tables, plan, plan.fixed_units(chunks))
        higher = max(scale, logs)
        sums = sums * math.exp(scale - higher) + added * math.exp(logs - higher)
        scale = higher
    log_z = scale + math.log(sums[0, 0]) - plan.n_free * math.log(2.0)
    return log_z, _in_model_order(sums / sums[0, 0], plan)


def _batch_sums(tables: Tables, plan: EnumerationPlan, part: FixedUnits) -> tuple[float, Floats]:
    """Scale, and sums of (1, b, a, c) times (1, b, a, c, sigmoid(z)) over a batch over exp(scale).

    Their shape is (1 + n_units, 1 + n_units + n_hidden), with free units; blocks that follow by
    symmetry are left out. With a potential there is one more column for each number of active
    units: sums over the states that have it, in the first row.
    """
    n_a, n_b, n_hidden = plan.outer.size, plan.inner.size, plan.hidden.size
    logs, outer, outer_pairs, inner_pairs, inner_hidden, by_count = _run_kernel(tables, plan, part)
    logs = logs + part.log_weight
    scale = float(logs.max())
    weights = np.exp(logs - scale)
    of_b, of_a = slice(1, 1 + n_b), slice(1 + n_b, 1 + n_b + n_a)
    n_units = n_b + n_a + plan.fixed.size
    of_c, of_z = slice(1 + n_b + n_a, 1 + n_units), slice(1 + n_units, 1 + n_units + n_hidden)
    sums = np.zeros((1 + n_units, 1 + n_units + n_hidden + by_count.shape[1]))
    # einsum adds up in one fixed order, which a threaded matrix product need not do.
    across = np.einsum("k,knf->nf", weights, outer)
    sums[0, 0] = across[0, 0]
    sums[0, of_z] = across[0, 1 + n_b : 1 + n_b + n_hidden]
    sums[0, of_z.stop :] = np.einsum("k,kn->n", weights, by_count)
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
    tables: Tables, plan: EnumerationPlan, part: FixedUnits
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
    n_chunks, n_a, n_b = part.log_weight.size, plan.outer.size, plan.inner.size
    n_hidden = plan.hidden.size
    logs = np.empty(n_chunks)
    outer_pairs, inner_pairs = np.empty((n_chunks, n_a, n_a)), np.empty((n_chunks, n_b, n_b))
    inner_hidden = np.empty((n_chunks, n_b, n_hidden))
    by_count = np.empty((n_chunks, 0 if plan.model.v is None else plan.model.v.size))
    if by_count.size:
        outer = np.empty((n_chunks, 1 + n_a, 1 + n_b))
        counted_moment_chunks(
            tables.log_outer,
            tables.log_inner,
            part.outer_fields,
            part.inner_fields,
            *CountTables.of(plan, tables).arguments(part),
            outer,
            outer_pairs,
            inner_pairs,
            by_count,
            logs,
        )
    elif n_hidden == 0:
        outer = np.empty((n_chunks, 1 + n_a, 1 + n_b))
        pair_moment_chunks(
            tables.log_outer,
            tables.log_inner,
            part.outer_fields,
            part.inner_fields,
            *boosts(tables.fields, LOW_UNITS),
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
            *boosts(tables.fields, LANE_UNITS),
            _pad_hidden(tables.outer_inputs, 0.0),
            _pad_hidden(part.hidden_inputs, _OFF),
            in_rows(np.exp(tables.inner_inputs), tables.inner_inputs.shape[0] // WIDTH),
            outer,
            outer_pairs,
            inner_pairs,
            inner_hidden,
            logs,
        )
    return logs, outer, outer_pairs, inner_pairs, inner_hidden, by_count


def _padded(size: int) -> int:
    return -(-size // WIDTH) * WIDTH


def _pad_hidden(inputs: Floats, fill: float) -> Floats:
    """Add hidden units with input ``fill`` up to a whole number of rows."""
    missing = _padded(inputs.shape[1]) - inputs.shape[1]
    return np.pad(inputs, ((0, 0), (0, missing)), constant_values=fill)


def _in_model_order(sums: Floats, plan: EnumerationPlan) -> Parameters:
    """Units and hidden units in the model's order, free units dropped."""
    n_units, n_hidden = plan.n_units, plan.hidden.size
    order = np.concatenate([plan.inner, plan.outer, plan.fixed])
    lower = np.tril(sums[1:, 1 : 1 + order.size])
    units = np.zeros((n_units + 1, n_units + 1))
    units[order[:, None], order] = lower + np.tril(lower, -1).T
    of_z = slice(1 + order.size, 1 + order.size + n_hidden)
    cross = np.zeros((n_units + 1, n_hidden))
    cross[order[:, None], plan.hidden] = sums[1:, of_z]
    hidden = np.zeros(n_hidden)
    hidden[plan.hidden] = sums[0, of_z]
    rates = np.diagonal(units)[:n_units].copy()
    pairs = units[:n_units, :n_units] - np.diag(rates)
    if plan.model.v is not None:
        return Parameters.trusted(rates, pairs, None, None, sums[0, of_z.stop :])
    if n_hidden == 0:
        return Parameters.trusted(rates, pairs, None, None)
    return Parameters.trusted(rates, pairs, cross[:n_units], hidden)
