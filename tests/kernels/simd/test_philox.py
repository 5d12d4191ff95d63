"""Philox4x32-10 against the published answers, a scalar reference and tests of randomness."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numba import njit
from scipy import stats

from microcolumn.kernels.simd.lanes import WIDTH
from microcolumn.kernels.simd.memory import load, store
from microcolumn.kernels.simd.philox import philox4x32, uniforms

# kat_vectors of Random123 1.14: counter, key, answer.
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


def _filled_by(function):
    """A kernel that calls a function of the counters of so many chains side by side."""

    @njit
    def fill(counters, k0, k1, out):
        for i in range(0, counters.shape[1], WIDTH):
            first, second = load(counters, (0, i)), load(counters, (1, i))
            third, fourth = load(counters, (2, i)), load(counters, (3, i))
            rows = function(first, second, third, fourth, k0, k1)
            for j in range(4):
                store(out, (j, i), rows[j])

    return fill


_blocks, _uniforms = _filled_by(philox4x32), _filled_by(uniforms)


def _words(counters, key):
    counters = np.ascontiguousarray(counters, dtype=np.uint64)
    words = np.empty_like(counters)
    _blocks(counters, np.uint64(key[0]), np.uint64(key[1]), words)
    return words


def _draws(n_chains, n_sweeps, n_blocks, key):
    """Uniforms for a grid of counters, shape (n_chains, n_sweeps, 4 * n_blocks)."""
    grid = np.meshgrid(np.arange(n_chains), np.arange(n_sweeps), np.arange(n_blocks), indexing="ij")
    flat = [axis.ravel() for axis in grid]
    counters = np.array([*flat, np.zeros_like(flat[0])], dtype=np.uint64)
    draws = np.empty(counters.shape)
    _uniforms(counters, np.uint64(key[0]), np.uint64(key[1]), draws)
    return draws.T.reshape(n_chains, n_sweeps, 4 * n_blocks)


def _reference(counter, key):
    """Philox4x32-10 in Python integers, as printed in the paper."""
    c, k = list(counter), list(key)
    for _ in range(10):
        product0, product1 = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [
            (product1 >> 32) ^ c[1] ^ k[0],
            product1 & 0xFFFFFFFF,
            (product0 >> 32) ^ c[3] ^ k[1],
            product0 & 0xFFFFFFFF,
        ]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_blocks_match_the_published_known_answers(counter, key, answer):
    words = _words(np.tile(np.array(counter)[:, None], WIDTH), key)
    np.testing.assert_array_equal(words, np.tile(np.array(answer, np.uint64)[:, None], WIDTH))


word32 = st.integers(0, 2**32 - 1)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(word32, word32, word32, word32), min_size=8, max_size=8), word32, word32)
def test_every_lane_matches_the_scalar_definition(counters, k0, k1):
    words = _words(np.array(counters, dtype=np.uint64).T, (k0, k1))
    expected = [_reference(counter, (k0, k1)) for counter in counters]
    np.testing.assert_array_equal(words.T, expected)


def test_uniforms_are_built_from_the_words_of_a_block():
    counters = np.arange(4 * WIDTH, dtype=np.uint64).reshape(4, WIDTH)
    draws = np.empty(counters.shape)
    _uniforms(counters, np.uint64(3), np.uint64(4), draws)
    words = [[int(w) for w in row] for row in _words(counters, (3, 4))]
    for j in range(4):
        for lane in range(WIDTH):
            mantissa = (words[j][lane] << 20) | (words[(j + 1) % 4][lane] & 0xFFFFF)
            assert draws[j, lane] == (2 * mantissa + 1) / 2**53


def test_uniforms_are_uniform_and_stay_inside_the_open_interval():
    draws = _draws(64, 64, 16, key=(11, 0)).ravel()
    assert draws.min() > 0
    assert draws.max() < 1
    assert stats.kstest(draws, "uniform").pvalue > 1e-3
    low_bits = np.modf(draws * 2.0**32)[0]
    assert stats.kstest(low_bits, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("axis", [0, 1, 2], ids=["chains", "sweeps", "sites"])
@pytest.mark.parametrize("lag", [1, 2, 3, 4])
def test_draws_of_neighbouring_counters_are_uncorrelated(axis, lag):
    draws = _draws(64, 64, 16, key=(5, 6)) - 0.5
    n = draws.shape[axis]
    ahead = np.take(draws, np.arange(lag, n), axis=axis)
    behind = np.take(draws, np.arange(n - lag), axis=axis)
    correlation = 12 * np.mean(ahead * behind)
    assert abs(correlation) < 4 / np.sqrt(ahead.size)


def test_keys_that_differ_in_one_bit_give_unrelated_draws():
    base = _draws(32, 32, 8, key=(0, 0)) - 0.5
    for key in [(1, 0), (0, 1), (1 << 31, 0)]:
        other = _draws(32, 32, 8, key=key) - 0.5
        assert abs(12 * np.mean(base * other)) < 4 / np.sqrt(base.size)
