"""The parts of the MPF kernel that its objective hides: tables, and the two ways through it."""

import numpy as np
import pytest

from microcolumn.kernels.cpu.mpf import sum_over_flips
from microcolumn.kernels.cpu.mpf_tables import (
    LARGEST_FIELD,
    LARGEST_PRODUCT,
    ActiveBits,
    FlowSizes,
    Workspace,
)

N_UNITS, N_HIDDEN, N_WORDS = 13, 70, 150


@pytest.fixture
def parameters():
    rng = np.random.default_rng(0)
    J = np.triu(rng.normal(size=(N_UNITS, N_UNITS)), 1)
    W = rng.normal(size=(N_UNITS, N_HIDDEN)) * 0.3
    return rng.normal(size=N_UNITS), J + J.T, W, rng.normal(size=N_HIDDEN)


@pytest.fixture
def words():
    rng = np.random.default_rng(1)
    X = rng.random((N_WORDS, N_UNITS)) < 0.3
    word, active = np.nonzero(X)
    half_weights = rng.uniform(0.1, 1.0, N_WORDS) / N_WORDS
    return ActiveBits(
        offsets=np.searchsorted(word, np.arange(N_WORDS + 1)),
        active=active.astype(np.int32),
        half_weights=half_weights,
        log_half_weights=np.log(half_weights),
        weights=2.0 * half_weights,
        borders=np.array([0, N_WORDS]),
    )


def workspace(parameters):
    space = Workspace(FlowSizes.of(N_UNITS, N_HIDDEN, True, N_UNITS), N_WORDS)
    space.lay_out(*parameters)
    return space


def run(space, words, logistic=False):
    buffers = space.sums, space.scratch, space.lists
    sum_over_flips(logistic, words, space.model, space.shape, *buffers)
    return [np.array(space.value()), *space.gradient(1.0)]


def assert_same(found, expected, tolerance):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * np.abs(other).max())


def test_bounds_are_what_no_word_can_exceed(parameters):
    b, J, W, _ = parameters
    tables = workspace(parameters).tables
    np.testing.assert_allclose(tables.field_reach, np.abs(J).max(axis=1))
    np.testing.assert_allclose(tables.product_reach, np.abs(W).sum(axis=1))
    np.testing.assert_allclose(tables.weight_reach[:N_HIDDEN], np.abs(W).max(axis=0))
    assert tables.bounds[0] == pytest.approx(LARGEST_FIELD - np.abs(b).max() / 2)
    assert tables.bounds[1] == pytest.approx(LARGEST_PRODUCT - np.abs(W).sum(axis=1).max())


@pytest.mark.parametrize("logistic", [False, True])
def test_the_careful_way_agrees_with_the_plain_one(parameters, words, logistic):
    space = workspace(parameters)
    plain = run(space, words, logistic)
    space.tables.bounds[0] = -np.inf
    assert_same(run(space, words, logistic), plain, 1e-13)


@pytest.mark.parametrize("logistic", [False, True])
@pytest.mark.parametrize("limit", [0.0, 3.0, 20.0])
def test_cutting_products_into_blocks_changes_nothing(parameters, words, logistic, limit):
    space = workspace(parameters)
    plain = run(space, words, logistic)
    space.tables.bounds[[0, 2]] = -np.inf, limit
    assert_same(run(space, words, logistic), plain, 1e-13)


def test_where_chunks_begin_changes_only_the_order_of_sums(parameters, words):
    space = workspace(parameters)
    whole = run(space, words)
    space.sums = np.zeros((4, space.sums.shape[1]))
    space.scratch, space.lists = np.tile(space.scratch, (4, 1)), np.tile(space.lists, (4, 1))
    cut = words._replace(borders=np.array([0, 1, 1, 94, N_WORDS]))
    assert_same(run(space, cut), whole, 1e-13)
