from functools import partial

import numpy as np
import pytest
from drawing import draw
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex

from microcolumn.models import RBM
from microcolumn.parameters import Parameters
from microcolumn.plot import assembly
from microcolumn.units import Units
from microcolumn.words import Words

WEIGHTS = np.array([4.0, -2.0, 0.5, -0.1, 0.0])
DEPTHS = np.array([900.0, 100.0, 500.0, 300.0, 700.0])
UNITS = Units("abcde", DEPTHS, ["V", "II", "IV", "II", "IV"])


def rbm(weights=WEIGHTS):
    W = np.column_stack((np.zeros(weights.size), weights))
    return RBM.from_parameters(Parameters(b=np.zeros(weights.size), W=W, c=[-1.0, -1.0]))


drawn = partial(draw, assembly)


def dots(ax):
    """Height, area, fill and edge of each dot."""
    found = {}
    for group in ax.collections:
        if isinstance(group, PathCollection):
            face, edge = (
                to_hex(colours[0]) if len(colours) else None
                for colours in (group.get_facecolors(), group.get_edgecolors())
            )
            for (_, y), area in zip(group.get_offsets(), group.get_sizes(), strict=False):
                found[float(y)] = float(area), face, edge
            if len(group.get_sizes()) == 1:
                found |= {
                    float(y): (float(group.get_sizes()[0]), face, edge)
                    for _, y in group.get_offsets()
                }
    return found


def test_areas_are_sizes_of_weights_at_the_depths_of_the_units():
    found = dots(drawn(rbm(), 1, UNITS))
    assert sorted(found) == sorted(DEPTHS)
    area = {n: found[depth][0] for n, depth in enumerate(DEPTHS)}
    for n in range(4):
        assert area[n] / area[0] == pytest.approx(abs(WEIGHTS[n]) / 4.0)
    assert area[4] < area[1]


def test_units_without_depths_stand_in_a_column():
    for units in (None, Units("abcde"), Words.from_array(np.eye(5))):
        found = dots(drawn(rbm(), 1, units))
        assert sorted(found) == [0.0, 1.0, 2.0, 3.0, 4.0]
        assert found[1.0][0] / found[0.0][0] == pytest.approx(0.5)


def test_of_a_window_the_strongest_bin_of_each_unit_counts():
    weights = np.array([1.0, -3.0, 0.0, 2.0, 1.0, 0.0])  # two bins of three units
    found = dots(drawn(rbm(weights), 1, Units("abc", [100.0, 200.0, 300.0])))
    assert found[100.0][0] / found[200.0][0] == pytest.approx(2.0 / 3.0)
    assert found[200.0][1] == "#ffffff"


def test_a_hidden_unit_without_weights_is_points_alone():
    found = dots(drawn(rbm(), 0, UNITS))
    assert len({area for area, _, _ in found.values()}) == 1
