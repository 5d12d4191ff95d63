"""How units are divided: every unit once, tables that agree with the model, the range bound."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.energy import log_weight
from microcolumn.kernels.cpu.enumeration import (
    RANGE_NATS,
    KernelLimits,
    PaddedModel,
    plan_enumeration,
)
from microcolumn.kernels.states import states
from microcolumn.parameters import Parameters

LIMITS = KernelLimits(inner=(4, 8), max_outer=6, max_table=1 << 12, per_state=1.0, per_hidden=2.0)


@settings(deadline=None, max_examples=40)
@given(
    coupled=st.booleans(),
    n_units=st.integers(1, 24),
    n_hidden=st.integers(1, 40),
    scale=st.sampled_from([0.1, 3.0, 20.0, 300.0]),
    seed=st.integers(0, 2**31),
)
def test_every_unit_is_in_one_group_and_the_range_bound_holds(
    coupled, n_units, n_hidden, scale, seed, random_arrays
):
    model = PaddedModel.of(random_arrays(n_units, n_hidden, scale, seed, coupled=coupled))
    plan = plan_enumeration(model, LIMITS)
    assert plan.suits(model)
    units = np.concatenate([plan.inner, plan.outer, plan.fixed])
    np.testing.assert_array_equal(np.sort(units[units < n_units]), np.arange(n_units))
    assert (units == n_units).sum() == plan.n_free
    tables = plan.tables(model)
    half_range = np.abs(tables.fields).max(axis=0).sum() if coupled else 0.0
    half_range += 0.5 * np.abs(tables.inner_inputs).sum(axis=1).max()
    assert half_range <= RANGE_NATS * (1 + 1e-12)


@pytest.mark.parametrize("coupled", [False, True])
def test_the_tables_add_up_to_the_log_weight_of_every_word(coupled, random_arrays):
    arrays = random_arrays(13, 5, seed=1, coupled=coupled)
    model = PaddedModel.of(arrays)
    plan = plan_enumeration(model, LIMITS)
    tables = plan.tables(model)
    numbers = np.random.default_rng(0).integers(0, 1 << 30, size=(50, 3))
    c, a, b = (
        numbers[:, k] % (1 << group.size)
        for k, group in enumerate((plan.fixed, plan.outer, plan.inner))
    )
    part = plan.fixed_units(model, c)
    A, B = states(plan.outer.size, a), states(plan.inner.size, b)
    value = part.log_weight + tables.log_outer[a] + tables.log_inner[b] - tables.log_midpoints[b]
    value += (A * part.outer_fields).sum(axis=1)
    value += (B * part.inner_fields).sum(axis=1)
    assert (tables.fields is not None) == coupled
    if coupled:
        value += (B * tables.fields[a]).sum(axis=1)
    z = part.hidden_inputs + tables.outer_inputs[a]
    z[:, : plan.n_inner_hidden] += tables.inner_inputs[b]
    value += np.logaddexp(0.0, z).sum(axis=1)
    words, theta = np.zeros((50, 14)), Parameters.trusted(*arrays)
    words[:, plan.inner], words[:, plan.outer], words[:, plan.fixed] = B, A, part.states
    np.testing.assert_allclose(value, log_weight(theta, words[:, :13]), rtol=0, atol=1e-12)
