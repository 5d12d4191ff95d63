"""The kernel of flips against softplus written out."""

import numpy as np
import pytest

from microcolumn.kernels.cpu.flip_changes import log_factors_of_flips, sums_of_active
from microcolumn.kernels.simd.lanes import WIDTH


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
