import numpy as np
import pytest
from matplotlib.figure import Figure

from microcolumn.models import RBM, Ising
from microcolumn.parameters import Parameters
from microcolumn.plot._couplings import couplings
from microcolumn.units import Units


def ising(n_bits=5, seed=0, **given):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(n_bits, n_bits)), 1)
    b = rng.normal(-4.0, 1.0, n_bits)
    return Ising.from_parameters(Parameters(**({"b": b, "J": upper + upper.T} | given)))


def drawn(model, units=None):
    figure = Figure(layout="constrained")
    ax = couplings(model, units, ax=figure.subplots())
    figure.draw_without_rendering()
    return ax


def test_entries_are_the_couplings_and_biases_from_the_top():
    units = Units("abcde", [500.0, 100.0, 300.0, 200.0, 400.0])
    model = ising()
    order = [1, 3, 2, 4, 0]
    signed, grey = (image.get_array() for image in drawn(model, units).images)
    for row, n in enumerate(order):
        for column, m in enumerate(order):
            if n == m:
                assert grey[row, row] == model.b_[n]
                assert signed[row, row] is np.ma.masked
            else:
                assert signed[row, column] == model.J_[n, m]
                assert grey[row, column] is np.ma.masked


def test_colours_are_white_at_zero_and_go_as_far_either_way():
    ax = drawn(ising())
    assert [bar.get_ylabel() for bar in ax.child_axes] == ["coupling J (nats)", "bias b (nats)"]
    signed, grey = ax.images
    assert signed.norm.vmin == -signed.norm.vmax
    assert np.allclose(signed.cmap(signed.norm(0.0))[:3], 0.97, atol=0.01)
    assert grey.norm.vmax == 0.0
    assert grey.norm.vmin == ising().b_.min()
    positive = drawn(ising(b=np.array([1.0, 2.0, 0.5, 3.0, 1.0]))).images[1]
    assert (positive.norm.vmin, positive.norm.vmax) == (0.0, 3.0)


def test_the_strongest_hundredth_is_beyond_the_colours_and_the_bar_says_so():
    J = np.full((30, 30), -0.1)
    np.fill_diagonal(J, 0.0)
    J[0, 1] = J[1, 0] = -5.0
    model = ising(30, b=np.zeros(30), J=J)
    ax = drawn(model)
    assert ax.images[0].norm.vmax == pytest.approx(0.1)
    assert ax.images[0].colorbar.extend == "min"


def test_layers_are_named_along_both_axes():
    units = Units("abcde", layer=["II", "II", "$IV$", "$IV$", "<V>"])
    ax = drawn(ising(), units)
    for axis in (ax.xaxis, ax.yaxis):
        names = [text.get_text() for text in axis.get_ticklabels()]
        assert names == ["II", r"\$IV\$", "<V>"]
    assert len(ax.lines) == 4


def test_windows_are_drawn_in_blocks_of_lags():
    model = ising(6)
    ax = drawn(model, Units("abc", [3.0, 2.0, 1.0]))
    order = [2, 1, 0, 5, 4, 3]
    signed = ax.images[0].get_array()
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_array_equal(signed.data[off], model.J_[np.ix_(order, order)][off])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["\N{MINUS SIGN}1", "0"]


def test_a_model_without_couplings_shows_its_biases():
    model = RBM.from_parameters(Parameters(b=[-1.0, -2.0], W=[[0.0], [0.0]], c=[0.0]))
    signed, grey = drawn(model).images
    assert signed.get_array().compressed().tolist() == [0.0, 0.0]
    assert grey.get_array().compressed().tolist() == [-1.0, -2.0]


@pytest.mark.parametrize("b", [[0.0], [-3.0], [2.0]])
def test_one_unit_is_one_grey_square(b):
    ax = drawn(Ising.from_parameters(Parameters(b=b, J=[[0.0]])))
    assert ax.images[1].get_array().compressed().tolist() == b


def test_five_hundred_units_are_drawn():
    ax = drawn(ising(500), Units(map(str, range(500)), layer=["II"] * 200 + ["IV"] * 300))
    assert ax.images[0].get_array().shape == (500, 500)
