"""Maps of hidden units: their values are the model's weights, in laminar order."""

from functools import partial

import numpy as np
import pytest
from drawing import axes, draw
from matplotlib.figure import Figure

from microcolumn.models import RBM, Ising
from microcolumn.parameters import Parameters
from microcolumn.plot.maps import couplings, hidden_map, hidden_maps
from microcolumn.units import Units
from microcolumn.words import Words

N_UNITS, LAGS = 4, 3
UNITS = Units(
    ["$a$", "<script>", "c", "d"],
    depth_um=[900.0, 300.0, 1000.0, 200.0],
    layer=["V/VI", "II/III", "V/VI", "II/III"],
)
FROM_THE_TOP = [3, 1, 0, 2]


def rbm(n_hidden=3, n_units=N_UNITS, window=LAGS, dead=()):
    W = np.random.default_rng(0).normal(size=(n_units * window, n_hidden))
    W[:, list(dead)] = 0.0
    return RBM.from_parameters(Parameters(b=np.zeros(len(W)), W=W, c=np.zeros(n_hidden)))


def test_rows_are_units_from_the_top_and_columns_bins_oldest_first():
    model = rbm()
    image = hidden_map(model, 1, UNITS, ax=axes()).images[0]
    for row, unit in enumerate(FROM_THE_TOP):
        for lag in range(LAGS):
            assert image.get_array()[row, lag] == model.W_[lag * N_UNITS + unit, 1]


def test_a_dead_unit_one_unit_and_one_bin_can_be_drawn():
    assert not hidden_map(rbm(dead=[0]), 0, UNITS, ax=axes()).images[0].get_array().any()
    one = hidden_map(rbm(n_units=1, window=1), 0, Units("a"), bin_width=0.020, ax=axes())
    assert one.images[0].get_array().shape == (1, 1)


def test_a_fitted_model_knows_its_units_and_its_bins():
    units = Units("xy", layer=["V", "II"])
    X = np.random.default_rng(1).integers(0, 2, size=(300, 2))
    words = Words.from_array(X, 0.010, units=units).embed(3)
    fitted = RBM(n_hidden=2, l1=1e-3).fit(words)
    for source in (None, units, words):
        ax = hidden_map(fitted, 1, source, ax=axes())
        assert ax.images[0].get_array().shape == (2, 3)
        assert [label.get_text() for label in ax.get_yticklabels()] == ["V", "II"]
        assert ax.get_xlabel() == "time (ms)"
        np.testing.assert_allclose(ax.get_xticks(), [-20.0, 0.0])
    assert hidden_map(rbm(), 0, ax=axes()).images[0].get_array().shape == (N_UNITS * LAGS, 1)


def drawn(model, order):
    figure = Figure(figsize=(7.0, 2.0), layout="constrained")
    hidden_maps(model, np.array(order), UNITS, figure, bin_width=0.020)
    figure.draw_without_rendering()
    return [ax for ax in figure.axes if ax.images]


def test_maps_come_in_the_given_order_in_one_colour_scale():
    model = rbm(n_hidden=5, dead=[2])
    order = [3, 0, 4, 1]
    maps = drawn(model, order)
    assert [ax.get_title() for ax in maps] == ["h3", "h0", "h4", "h1"]
    assert {ax.images[0].norm.vmax for ax in maps} == {np.abs(model.W_).max()}
    for k, ax in zip(order, maps, strict=True):
        weights = model.W_[:, k].reshape(LAGS, N_UNITS).T[FROM_THE_TOP]
        np.testing.assert_array_equal(ax.images[0].get_array(), weights)


def ising(n_bits=5, seed=0, **given):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(n_bits, n_bits)), 1)
    b = rng.normal(-4.0, 1.0, n_bits)
    return Ising.from_parameters(Parameters(**({"b": b, "J": upper + upper.T} | given)))


drawn_couplings = partial(draw, couplings)


def matrix(ax):
    [image] = ax.images
    return image


def biases(ax, n_rows):
    """Lengths of the bars beside the matrix, from the top."""
    beside = ax.child_axes[1]
    assert beside.get_title() == "bias b\n(nats)"
    assert beside.get_ylim() == ax.get_ylim()
    found = np.zeros(n_rows)
    for patch in beside.patches:
        ends, edges, zero = patch.get_data()
        found += ends[np.searchsorted(edges, np.arange(n_rows), side="right") - 1] - zero
    return found


def test_entries_are_the_couplings_from_the_top_with_the_biases_beside_them():
    units = Units("abcde", [500.0, 100.0, 300.0, 200.0, 400.0])
    model = ising()
    order = [1, 3, 2, 4, 0]
    ax = drawn_couplings(model, units)
    for row, n in enumerate(order):
        for column, m in enumerate(order):
            entry = matrix(ax).get_array()[row, column]
            assert entry is np.ma.masked if n == m else entry == model.J_[n, m]
    np.testing.assert_allclose(biases(ax, 5), model.b_[order])


def test_windows_are_drawn_in_blocks_of_lags():
    model = ising(6)
    ax = drawn_couplings(model, Units("abc", [3.0, 2.0, 1.0]))
    order = [2, 1, 0, 5, 4, 3]
    off = ~np.eye(6, dtype=bool)
    shown = matrix(ax).get_array().data[off]
    np.testing.assert_array_equal(shown, model.J_[np.ix_(order, order)][off])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["\N{MINUS SIGN}1", "0"]


@pytest.mark.parametrize("b", [[0.0], [-3.0], [2.0]])
def test_one_unit_is_one_square_and_one_bar(b):
    ax = drawn_couplings(Ising.from_parameters(Parameters(b=b, J=[[0.0]])))
    assert matrix(ax).get_array().compressed().size == 0
    assert biases(ax, 1).tolist() == b
    assert ax.get_xlabel() == "no pairs"
