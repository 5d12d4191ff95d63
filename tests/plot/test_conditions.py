"""Plots of two conditions show what differs, and where."""

import numpy as np
import pytest
from drawing import axes

import microcolumn as mc
from microcolumn.plot import contrast

UNITS = mc.Units("abc", depth_um=[200.0, 300.0, 900.0], layer=["II", "II", "IV"])


@pytest.fixture(scope="module")
def result():
    """The first unit fires less in the second condition, the second follows it less."""
    rng = np.random.default_rng(0)
    X = (rng.random((2, 4000, 3)) < [[[0.4, 0.2, 0.2]], [[0.2, 0.2, 0.2]]]).astype(int)
    X[0, :, 1] |= X[0, :, 0] & (rng.random(4000) < 0.5)
    words = [mc.Words.from_array(each, units=UNITS) for each in X]
    return mc.evaluate.contrast(*words, mc.Ising(l1=1e-3), names=["dark", "$light"])


def test_couplings_that_differ_are_coloured(result):
    ax = contrast(result, color="green", ax=axes())
    same, differ = ax.lines[1:]
    assert differ.get_color() == "green"
    assert result.couplings.sure().tolist() == [True, False, False]
    np.testing.assert_array_equal(
        differ.get_xydata()[0], [result.couplings.a[0], result.couplings.b[0]]
    )
    assert len(same.get_xdata()) == 2
    assert ax.get_ylabel() == r"coupling, \$light (nats)"


def test_changes_of_rates_are_at_their_depths_and_open_where_they_fall(result):
    ax = contrast(result, of="rates", ax=axes())
    heights = sorted(y for dots in ax.collections for y in dots.get_offsets()[:, 1].tolist())
    assert heights == [200.0, 300.0, 900.0]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "more in dark" in labels
    largest = max(ax.collections, key=lambda dots: max(dots.get_sizes(), default=0.0))
    assert largest.get_offsets()[0, 1] in (200.0, 300.0)
