"""Heat capacities are drawn as they are, flat models dashed."""

import numpy as np
from drawing import draw
from matplotlib.colors import to_hex, to_rgb

import microcolumn as mc


def test_each_population_has_a_line_and_a_dashed_one():
    values = np.arange(6.0).reshape(2, 3)
    sizes, temperatures = np.array([5, 10]), np.array([0.5, 1.0, 2.0])
    flat = np.where(values == 3.0, np.nan, values + 1.0)
    result = mc.evaluate.HeatCapacity("Ising", sizes, temperatures, values, 0.0 * values, flat)
    ax = draw(mc.plot.heat_capacity, result, color="#ff0000")
    own, dashed = ax.lines[:4:2], ax.lines[1:4:2]
    for k in range(2):
        np.testing.assert_array_equal(own[k].get_xydata().T, [temperatures, values[k]])
        np.testing.assert_array_equal(dashed[k].get_ydata(), flat[k])
    assert to_hex(own[1].get_color()) == "#ff0000"
    assert to_rgb(own[0].get_color())[1] > 0.2  # a smaller population is lighter
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["5 units", "10 units", "flat"]
