import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

from microcolumn.evaluate._activation import hidden_activation
from microcolumn.models import RBM, Ising
from microcolumn.parameters import Parameters
from microcolumn.plot import activation
from microcolumn.plot._activation import _HEIGHT, typical_activation
from microcolumn.words import Words


def rbm(n_bits=5, n_hidden=3, seed=0):
    rng = np.random.default_rng(seed)
    W, c = rng.normal(0.0, 3.0, (n_bits, n_hidden)), np.full(n_hidden, -2.0)
    return RBM.from_parameters(Parameters(b=np.full(n_bits, -2.0), W=W, c=c))


def words(n_bins=400, n_units=5, epoch_starts=(0,)):
    bits = np.random.default_rng(1).random((n_bins, n_units)) < 0.2
    return Words.from_array(bits, 0.02, epoch_starts=epoch_starts)


def drawn(*given, **options):
    figure = Figure(layout="constrained")
    ax = activation(*given, ax=figure.subplots(), **options)
    figure.draw_without_rendering()
    return ax


def rows(ax):
    """Activation over time of each row from the top: values and edges."""
    patches = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    found = [patch.get_data() for patch in patches]
    return [((values - base) / _HEIGHT, edges) for values, edges, base in found]


def by_hand(model, X, k):
    """P(h_k = 1 | x) from its definition."""
    return 1.0 / (1.0 + np.exp(-(model.c_[k] + X @ model.W_[:, k])))


def test_rows_are_the_activations_in_the_time_asked_for():
    model, data = rbm(), words()
    ax = drawn(model, data, [2, 0], 1.0, 3.0)
    X = data.expand()[50:150]
    for (values, edges), k in zip(rows(ax), (2, 0), strict=True):
        np.testing.assert_allclose(values, by_hand(model, X, k), atol=1e-9)
        np.testing.assert_allclose(edges, 1.0 + 0.02 * np.arange(101))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["h2", "h0"]
    assert ax.get_yticks()[0] > ax.get_yticks()[1]  # the first on top
    assert ax.get_xlim() == (1.0, 3.0)


def test_one_hidden_unit_has_an_axis_from_0_to_1():
    ax = drawn(rbm(), words(), 1, 0.0, 1.0)
    assert ax.get_ylabel() == "P(h1 = 1 | x)"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0", "1"]
    assert ax.get_yticks().tolist() == [0.0, _HEIGHT]


def test_the_most_variable_live_hidden_units_are_drawn_by_default():
    model, data = rbm(n_hidden=12), words()
    dead = RBM.from_parameters(
        Parameters(b=model.b_, W=model.W_ * (np.arange(12) != 5), c=model.c_)
    )
    ax = drawn(dead, data)
    order = hidden_activation(dead, data).order[:8]
    assert 5 not in order
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"h{k}" for k in order]


def test_an_activation_by_a_window_is_drawn_in_its_newest_bin():
    model, single = rbm(n_bits=6), words(n_units=2)
    X = single.expand()
    windows = np.hstack([X[:-2], X[1:-1], X[2:]])
    for given_words in (single, single.embed(3)):
        [(values, edges)] = rows(drawn(model, given_words, 0, 0.0, 1.0))
        np.testing.assert_allclose(edges[0], 0.04)
        np.testing.assert_allclose(values, by_hand(model, windows[:48], 0), atol=1e-9)


def test_time_that_was_not_recorded_is_left_out():
    data = words(100)
    parts = data._take(np.r_[0:10, 40:50])
    [(values, edges)] = rows(drawn(rbm(), parts, 0, 0.0, 2.0))
    in_gap = (edges[:-1] > 0.19) & (edges[:-1] < 0.79)
    assert np.isnan(values[in_gap]).all()
    np.testing.assert_allclose(
        values[~np.isnan(values)], by_hand(rbm(), data.expand()[np.r_[0:10, 40:50]], 0), atol=1e-9
    )


def test_by_default_the_first_is_on_in_the_stretch():
    model = RBM.from_parameters(Parameters(b=np.zeros(3), W=np.full((3, 1), 4.0), c=[-10.0]))
    X = np.zeros((5000, 3))
    X[[700, 2000, 2003, 2010, 4000, 4001]] = 1.0
    ax = drawn(model, Words.from_array(X, 0.02), 0)
    [(values, _)] = rows(ax)
    # Stretches have one, two or three such bins; two is the median one.
    assert (values > 0.5).sum() == 2
    assert np.ptp(ax.get_xlim()) == pytest.approx(2.0)


@given(st.integers(0, 1000), st.integers(1, 60), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_a_typical_stretch_lies_in_one_epoch_and_shows_most_hidden_units(seed, n_bins, n_hidden):
    rng = np.random.default_rng(seed)
    P = rng.random((100, n_hidden)) ** 8
    starts = np.unique([0, *rng.integers(0, 100, 2)])
    first, stop = typical_activation(P, starts, n_bins)
    ends = [*starts[1:], 100]
    longest = max(np.array(ends) - starts)
    assert stop - first == min(n_bins, longest)
    assert any(a <= first < stop <= b for a, b in zip(starts, ends, strict=True))
    margin = (stop - first) // 10
    level = np.minimum(0.5, P.max(axis=0) / 2)

    def seen(begin):
        inner = P[begin + margin : begin + stop - first - margin]
        return int((inner > level).any(axis=0).sum())

    whole = [
        begin
        for a, b in zip(starts, ends, strict=True)
        for begin in range(a, b - (stop - first) + 1)
    ]
    assert seen(first) == max(map(seen, whole))


def test_a_hidden_unit_that_is_never_on_is_shown_where_it_is_most():
    P = np.zeros((1000, 1))
    P[600] = 0.2
    first, stop = typical_activation(P, np.array([0]), 50)
    assert first + 5 <= 600 < stop - 5


ISING = Ising.from_parameters(Parameters(b=np.zeros(5), J=np.zeros((5, 5))))


@pytest.mark.parametrize(
    ("given_input", "error", "sentence"),
    [
        ((ISING, words()), ValueError, "Ising has no hidden units; pass an RBM"),
        (("RBM", words()), TypeError, "model is a str; pass one fitted RBM or SemiRBM"),
        ((rbm(), [[0, 1]]), TypeError, "words is a list; pass words of the model's units"),
        ((rbm(), words(), 3), ValueError, "hidden is 3; the model has h0 to h2"),
        ((rbm(), words(), -1), ValueError, "hidden is -1; the model has h0 to h2"),
        ((rbm(), words(), []), ValueError, "hidden is empty; name some of h0 to h2"),
        ((rbm(), words(), 0, 2.0, 1.0), ValueError, "from 2 to 1 s there is no time"),
        ((rbm(), words(), 0, 90.0), ValueError, "no words from 90 to 92 s; they are from 0 to 8 s"),
        ((rbm(), words(n_units=4)), ValueError, "words have 4 bits"),
    ],
)
def test_wrong_input_is_one_sentence(given_input, error, sentence):
    with pytest.raises(error, match=sentence):
        activation(*given_input)
