import numpy as np
from hypothesis import given, strategies as st

from microcolumn.models import Independent
from microcolumn.parameters import Parameters
from microcolumn.plot.laminar import bit_layout, laminar
from microcolumn.units import Units
from microcolumn.words import Words


def model_of(n_bits, window=None):
    model = Independent.from_parameters(Parameters(b=np.zeros(n_bits)))
    if window is not None:
        model.window_ = window
    return model


@given(st.data())
def test_units_run_down_within_layers_that_run_down(data):
    n_units = data.draw(st.integers(1, 12))
    each = st.lists(st.sampled_from(["", "II", "IV", "V"]), min_size=n_units, max_size=n_units)
    layer = data.draw(each)
    number = st.floats(-1e4, 1e4)
    depth = data.draw(st.lists(number, min_size=n_units, max_size=n_units))
    units = Units(map(str, range(n_units)), depth, layer)
    found = laminar(units)
    assert sorted(found.order.tolist()) == list(range(n_units))
    if not any(layer):
        assert found.layers == found.borders == ()
        assert (np.diff(np.array(depth)[found.order]) >= 0).all()
        return
    assert [stop for _, _, stop in found.layers[:-1]] == list(found.borders)
    means = []
    for name, start, stop in found.layers:
        rows = found.order[start:stop]
        assert {layer[n] for n in rows} == {name}
        assert (np.diff([depth[n] for n in rows]) >= 0).all()
        means.append(np.mean([depth[n] for n in rows]) if name else np.inf)
    assert found.layers[-1][2] == n_units
    assert means == sorted(means) or np.allclose(means, sorted(means))


def test_depths_above_the_tip_are_turned_round():
    units = Units("abc", [100.0, 900.0, 500.0], depth_reference="tip")
    assert laminar(units).order.tolist() == [1, 2, 0]


def test_without_depths_layers_come_as_they_appear_and_units_as_listed():
    units = Units("abcd", layer=["V", "", "II", "V"])
    found = laminar(units)
    assert found.order.tolist() == [0, 3, 2, 1]
    assert found.layers == (("V", 0, 2), ("II", 2, 3), ("", 3, 4))


def test_bits_of_a_window_run_bin_by_bin_each_from_the_top():
    units = Units("abc", [300.0, 100.0, 200.0])
    found = bit_layout(model_of(6), units)
    assert found.window == 2
    assert found.order.tolist() == [1, 2, 0, 4, 5, 3]


def test_without_units_a_model_knows_its_own_window():
    assert bit_layout(model_of(6, window=3), None).order.tolist() == list(range(6))
    assert bit_layout(model_of(6, window=3), None).window == 3
    assert bit_layout(model_of(6), None).window == 1


def test_a_fitted_model_is_drawn_with_its_own_units_or_the_same_in_any_order():
    units = Units("abc", layer=["IV", "II", "IV"])
    model = Independent().fit(Words.from_array([[0, 0, 1], [1, 0, 0]], units=units))
    for table in (None, units, units.take([2, 0, 1])):
        assert bit_layout(model, table).order.tolist() == laminar(units).order.tolist()
