import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError

from microcolumn.models import RBM, Ising
from microcolumn.parameters import Parameters
from microcolumn.plot._couplings import couplings
from microcolumn.units import Units


def ising(n_bits=5, seed=0, **given):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.normal(size=(n_bits, n_bits)), 1)
    b = rng.normal(-4.0, 1.0, n_bits)
    return Ising.from_parameters(Parameters(**({"b": b, "J": upper + upper.T} | given)))


def drawn(model, units=None, **options):
    figure = Figure(layout="constrained")
    ax = couplings(model, units, ax=figure.subplots(), **options)
    figure.draw_without_rendering()
    return ax


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
    ax = drawn(model, units)
    for row, n in enumerate(order):
        for column, m in enumerate(order):
            entry = matrix(ax).get_array()[row, column]
            assert entry is np.ma.masked if n == m else entry == model.J_[n, m]
    np.testing.assert_allclose(biases(ax, 5), model.b_[order])


def test_colours_are_white_at_zero_and_go_as_far_either_way():
    ax = drawn(ising())
    assert ax.child_axes[0].get_title("left") == "coupling\nJ (nats)"
    signed = matrix(ax)
    assert signed.norm.vmin == -signed.norm.vmax
    assert np.allclose(signed.cmap(signed.norm(0.0))[:3], 0.97, atol=0.01)
    assert min(signed.cmap(np.ma.masked)[:3]) > 0.85  # the diagonal does not darken the picture


def test_the_strongest_hundredth_is_beyond_the_colours_and_the_bar_says_so():
    J = np.full((30, 30), -0.1)
    np.fill_diagonal(J, 0.0)
    J[0, 1] = J[1, 0] = -5.0
    model = ising(30, b=np.zeros(30), J=J)
    signed = matrix(drawn(model))
    assert signed.norm.vmax == pytest.approx(0.1)
    assert signed.colorbar.extend == "min"
    wide = matrix(drawn(model, limit=6.0))
    assert wide.norm.vmax == 6.0
    assert wide.colorbar.extend == "neither"


def test_the_share_of_positive_and_negative_couplings_is_below():
    J = np.zeros((5, 5))
    for (first, second), value in zip(
        [(0, 1), (0, 2), (1, 2), (3, 4)], [1.0, 2.0, 0.1, -3.0], strict=True
    ):
        J[first, second] = J[second, first] = value
    assert drawn(ising(J=J)).get_xlabel() == "10 pairs: 30 % positive, 10 % negative"


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
    off = ~np.eye(6, dtype=bool)
    shown = matrix(ax).get_array().data[off]
    np.testing.assert_array_equal(shown, model.J_[np.ix_(order, order)][off])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["\N{MINUS SIGN}1", "0"]


@pytest.mark.parametrize(
    ("given", "kind", "sentence"),
    [
        (("model",), TypeError, "^model is a str; pass one fitted Ising, KPairwise or SemiRBM$"),
        (([ising()],), TypeError, "^model is a list; pass one fitted Ising"),
        ((ising(), "ab"), TypeError, "^units is a str; pass a table of units, or words or"),
        ((Ising(),), NotFittedError, "not fitted yet"),
        (
            (RBM.from_parameters(Parameters(b=[-1.0], W=[[0.0]], c=[0.0])),),
            ValueError,
            "^RBM has no couplings; pass an Ising",
        ),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(given, kind, sentence):
    with pytest.raises(kind, match=sentence):
        couplings(*given)


@pytest.mark.parametrize("b", [[0.0], [-3.0], [2.0]])
def test_one_unit_is_one_square_and_one_bar(b):
    ax = drawn(Ising.from_parameters(Parameters(b=b, J=[[0.0]])))
    assert matrix(ax).get_array().compressed().size == 0
    assert biases(ax, 1).tolist() == b
    assert ax.get_xlabel() == "no pairs"
