"""Sums over active bits against matrix products."""

import numpy as np

from microcolumn.kernels.cpu.inputs import sums_of_active


def test_rows_of_active_bits_are_added_up():
    rng = np.random.default_rng(1)
    words = (rng.random((20, 7)) < 0.4).astype(np.uint8)
    rows, start, out = rng.normal(size=(7, 5)), rng.normal(size=5), np.empty((20, 5))
    sums_of_active(words, rows, start, out)
    np.testing.assert_allclose(out, start + words @ rows, rtol=1e-13, atol=1e-13)
