"""Changes of log p~ by flips against the energy of the flipped words."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.energy import log_weight
from microcolumn.kernels import flip_changes
from microcolumn.kernels.cpu.flip_changes import log_factors_of_flips, sums_of_active
from microcolumn.kernels.simd.lanes import WIDTH
from microcolumn.parameters import Parameters

PARTS = ("", "J", "W", "v", "JW", "Jv", "Wv", "JWv")


def model(parts, n_units, n_hidden, scale, seed):
    rng = np.random.default_rng(seed)
    J = np.triu(rng.normal(size=(n_units, n_units)), 1) * scale
    return Parameters.trusted(
        rng.normal(size=n_units) * scale,
        J + J.T if "J" in parts else None,
        rng.normal(size=(n_units, n_hidden)) * scale if "W" in parts else None,
        rng.normal(size=n_hidden) * scale if "W" in parts else None,
        rng.normal(size=n_units + 1) * scale if "v" in parts else None,
    )


def by_energy(theta, words, units):
    flipped = [words ^ np.eye(theta.n_visible, dtype=np.uint8)[unit] for unit in units]
    here = log_weight(theta, words)
    return np.column_stack([log_weight(theta, there) - here for there in flipped])


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(PARTS),
    st.integers(1, 12),
    st.integers(1, 20),
    st.sampled_from([0.1, 1.0, 20.0]),
    st.integers(0, 999),
)
def test_changes_are_differences_of_energies(parts, n_units, n_hidden, scale, seed):
    theta = model(parts, n_units, n_hidden, scale, seed)
    rng = np.random.default_rng(seed)
    words = (rng.random((9, n_units)) < 0.4).astype(np.uint8)
    units = rng.permutation(n_units)[: rng.integers(1, n_units + 1)].tolist()
    np.testing.assert_allclose(
        flip_changes(theta.arrays, words, units),
        by_energy(theta, words, units),
        rtol=1e-10,
        atol=1e-12 * (1.0 + scale * n_units * n_hidden),
    )


@pytest.mark.parametrize("weight", [599.0, 5000.0])
def test_weights_of_hundreds_stay_finite_and_right(weight):
    theta = Parameters(b=[0.5, 0.0], W=[[weight, 1.0], [-weight, 2.0]], c=[-weight, 0.3])
    words = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=np.uint8)
    expected = by_energy(theta, words, [0, 1])
    np.testing.assert_allclose(flip_changes(theta.arrays, words, [0, 1]), expected, rtol=1e-11)


def test_many_words_are_handled_a_part_at_a_time(monkeypatch):
    theta, words = model("JWv", 6, 4, 1.0, 0), np.tile(np.eye(6, dtype=np.uint8), (9, 1))
    words.setflags(write=False)
    whole = flip_changes(theta.arrays, words, [4, 1])
    monkeypatch.setattr("microcolumn.validation._MOST_ELEMENTS", 20)
    np.testing.assert_array_equal(flip_changes(theta.arrays, words, [4, 1]), whole)


def run(z, bits, W, rows_per_log):
    padding = [(0, 0), (0, -z.shape[1] % WIDTH)]
    padded, W = np.pad(z, padding), np.pad(W, padding)
    out = np.empty(bits.shape)
    factors = np.exp(np.stack([W, -W]))
    log_factors_of_flips(padded, bits, factors, rows_per_log, np.empty_like(padded), out)
    return out


def by_hand(z, bits, W):
    flipped = z[:, None, :] + (1.0 - 2.0 * bits)[:, :, None] * W
    return (np.logaddexp(0.0, flipped) - np.logaddexp(0.0, z)[:, None, :]).sum(axis=2)


@pytest.mark.parametrize("n_hidden", [1, 8, 30])
@pytest.mark.parametrize(("scale", "rows_per_log"), [(1.0, 1), (1.0, 100), (20.0, 2), (150.0, 1)])
def test_flips_change_the_hidden_units_as_softplus_says(n_hidden, scale, rows_per_log):
    rng = np.random.default_rng(n_hidden)
    z, W = rng.normal(size=(25, n_hidden)) * scale, rng.normal(size=(4, n_hidden)) * scale
    bits = (rng.random((25, 4)) < 0.4).astype(np.uint8)
    expected = by_hand(z, bits, W)
    np.testing.assert_allclose(
        run(z, bits, W, rows_per_log), expected, rtol=1e-12, atol=1e-12 * scale
    )


def test_rows_of_active_bits_are_added_up():
    rng = np.random.default_rng(1)
    words = (rng.random((20, 7)) < 0.4).astype(np.uint8)
    rows, start, out = rng.normal(size=(7, 5)), rng.normal(size=5), np.empty((20, 5))
    sums_of_active(words, rows, start, out)
    np.testing.assert_allclose(out, start + words @ rows, rtol=1e-13, atol=1e-13)
