"""The kernels for coincidences against all pairs of spikes, one by one, in whole microseconds."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from threads import on_one_and_all

from microcolumn.kernels.loops.coincidences import coincidences, pooled_coincidences

#: Times come in steps of half a bin, so that many lags lie on edges; microseconds.
WIDTH_US = 2000
N_BINS = 4


@st.composite
def spikes(draw):
    """Merged spikes of up to 4 units: microseconds in order, units, and the end of their epochs."""
    times = sorted(draw(st.lists(st.integers(0, 30).map(lambda k: 500 * k), max_size=25)))
    units = [draw(st.integers(0, 3)) for _ in times]
    borders = [*sorted(draw(st.lists(st.integers(0, len(times)), max_size=2))), len(times)]
    stops = [next(border for border in borders if border > a) for a in range(len(times))]
    return np.array(times, dtype=np.int64), np.array(units, dtype=np.uint32), np.array(stops)


def halves(lag_us):
    """Twice the share of each bin in a lag: exact, in integers."""
    row = np.zeros(N_BINS + 1, dtype=np.int64)
    bin_, rest = divmod(2 * lag_us + WIDTH_US, 2 * WIDTH_US)
    if bin_ <= N_BINS and rest == 0 and bin_ > 0:
        row[[bin_ - 1, bin_]] = 1
    elif bin_ < N_BINS:
        row[bin_] = 2
    return row


def arguments(found):
    times, units, stops = found
    return times * 1e-6, units, stops.astype(np.int64)


def table_of(found):
    units = found[1]
    out = np.full((4, 4, N_BINS + 1), -1, dtype=np.int64)
    members = np.argsort(units, kind="stable")
    offsets = np.concatenate(([0], np.cumsum(np.bincount(units, minlength=4))))
    coincidences(*arguments(found), members, offsets, WIDTH_US * 1e-6, out)
    return out


@given(spikes())
@settings(deadline=None, max_examples=60)
def test_tables_equal_all_pairs_of_spikes_counted_one_by_one(found):
    times, units, stops = found
    expected = np.zeros((4, 4, N_BINS + 1), dtype=np.int64)
    for a in range(times.size):
        for b in range(a + 1, stops[a]):
            expected[units[a], units[b]] += halves(times[b] - times[a])
    np.testing.assert_array_equal(table_of(found), expected)


@given(spikes(), st.integers(0, 25), st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_blocks_add_up_to_the_pairs_of_different_units(found, border, every):
    times, units, stops = found
    border = min(border, times.size)
    expected = np.zeros((2, N_BINS + 1), dtype=np.int64)
    for a in (*range(0, border, every), *range(border, times.size, every)):
        for b in range(a + 1, stops[a]):
            if units[a] != units[b]:
                expected[int(a >= border)] += halves(times[b] - times[a])
    out = np.full((2, N_BINS + 1), -1, dtype=np.int64)
    blocks = np.array([0, border, times.size])
    pooled_coincidences(*arguments(found), blocks, every, WIDTH_US * 1e-6, out)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("lag_ns", "row"),
    [
        (999_999.0, [2, 0, 0]),
        (999_999.6, [1, 1, 0]),
        (1_000_000.0, [1, 1, 0]),
        (1_000_000.4, [1, 1, 0]),
        (1_000_001.0, [0, 2, 0]),
        (2_999_999.0, [0, 2, 0]),
        (3_000_000.0, [0, 1, 1]),
        (3_000_001.0, [0, 0, 0]),
    ],
)
@pytest.mark.parametrize("start", [0.0, 7200.0])
def test_edges_are_half_a_nanosecond_thick_on_either_side(lag_ns, row, start):
    times = np.array([start, start + lag_ns * 1e-9])
    out = np.empty((1, 3), dtype=np.int64)
    units, stops = np.array([0, 1], dtype=np.uint32), np.array([2, 2])
    pooled_coincidences(times, units, stops, np.array([0, 2]), 1, 0.002, out)
    np.testing.assert_array_equal(out[0], row)


def test_tables_do_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(0)
    times = np.sort(rng.integers(0, 2_000_000, 20_000))
    found = times, rng.integers(0, 4, times.size).astype(np.uint32), np.full(times.size, times.size)
    np.testing.assert_array_equal(*on_one_and_all(lambda: table_of(found)))
