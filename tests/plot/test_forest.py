"""The forest plot has the numbers of the pooled estimate."""

import numpy as np
import pytest
from drawing import draw

from microcolumn.evaluate import Estimate, pool
from microcolumn.plot import forest
from microcolumn.plot.tips import tips_of

GAINS = [Estimate(0.1, 0.02, "%"), Estimate(0.3, 0.04, "%"), Estimate(0.2, 0.03, "%")]
NAMES = ["Monday", "$B", "Tuesday"]


def squares(ax):
    return [line for line in ax.lines if line.get_marker() == "s"]


def test_each_recording_is_drawn_with_its_interval_and_weight():
    pooled = pool(GAINS, recordings=NAMES)
    ax = draw(forest, pooled)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "Monday",
        r"\$B",
        "Tuesday",
        "mean",
    ]
    assert [line.get_xdata()[0] for line in squares(ax)] == pytest.approx([10.0, 30.0, 20.0])
    first = next(line for line in ax.lines if np.size(line.get_xdata()) == 2)
    assert first.get_xdata() == pytest.approx([10.0 - 1.96 * 2.0, 10.0 + 1.96 * 2.0], abs=1e-3)
    weights = [row.weight for row in pooled.recordings]
    areas = np.array([line.get_markersize() ** 2 for line in squares(ax)])
    assert areas / areas.sum() == pytest.approx(weights)
    [beside] = ax.child_axes
    shown = [label.get_text() for label in beside.get_yticklabels()]
    assert shown == [f"{100 * weight:.0f} %" for weight in weights]


def test_the_diamond_spans_the_interval_of_the_mean():
    pooled = pool(GAINS)
    [diamond] = draw(forest, pooled).patches
    low, high = diamond.get_xy()[:, 0].min(), diamond.get_xy()[:, 0].max()
    assert (low, high) == pytest.approx((100 * pooled.low, 100 * pooled.high))


def test_recordings_of_an_animal_stand_together():
    ax = draw(forest, pool(GAINS, animals=["m1", "m2", "m1"], recordings=NAMES))
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["m1, Monday", "m1, Tuesday", r"m2, \$B", "mean"]
    assert [line.get_xdata()[0] for line in squares(ax)] == pytest.approx([10.0, 20.0, 30.0])


def test_a_page_can_say_what_a_square_is():
    ax = draw(forest, pool(GAINS, recordings=NAMES))
    found = tips_of(squares(ax)[0])
    assert found.columns == ("recording", "animal", "weight", "%", "standard error")
    assert found.rows[0][:2] == ("Monday", "-")
    assert found.rows[0][3:] == pytest.approx((10.0, 2.0))


def test_bits_per_second_are_drawn_as_they_are():
    ax = draw(forest, pool([Estimate(1.5, 0.2), Estimate(2.5, 0.2)]))
    assert [line.get_xdata()[0] for line in squares(ax)] == [1.5, 2.5]
    assert ax.get_xlabel() == "95 % intervals (bits/s)"
