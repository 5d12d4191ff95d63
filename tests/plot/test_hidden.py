from functools import partial

import numpy as np
import pytest
from drawing import draw
from hypothesis import given, settings, strategies as st
from matplotlib.colors import to_hex

from microcolumn.evaluate.activation import hidden_activation
from microcolumn.models import RBM
from microcolumn.parameters import Parameters
from microcolumn.plot.hidden import NEGATIVE, POSITIVE, THRESHOLD, hidden_units
from microcolumn.units import Units
from microcolumn.words import Words

MINUS = "\N{MINUS SIGN}"


def rbm(n_bits=6, n_hidden=4, seed=0, **given):
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(n_bits, n_hidden)) * (rng.random((n_bits, n_hidden)) < 0.7)
    b, c = rng.normal(-3.0, 1.0, n_bits), -np.abs(rng.normal(-2.0, 2.0, n_hidden))
    return RBM.from_parameters(Parameters(**({"b": b, "W": W, "c": c} | given)))


drawn = partial(draw, hidden_units)


def number(text):
    return float(text.replace(MINUS, "-"))


def scales(ax):
    """Nats per unit of x of the biases and of the weights, as the axis has them."""
    places, names = ax.get_xticks(), [text.get_text() for text in ax.get_xticklabels()]
    found = []
    for k in (0, 2)[: len(names) // 2]:  # the zero and the number of the first two columns
        assert names[k] == "0" * (k > 0 or len(names[k + 1]) < 3)  # a long number leaves no space
        found.append(number(names[k + 1]) / (places[k + 1] - places[k]))
    return found


def bars(ax, n_rows):
    """Nats of the bar of each row in each column, from the left; their colours are checked."""
    found = {}
    for patch in ax.patches:
        ends, edges, zero = patch.get_data()
        inside = np.searchsorted(edges, np.arange(n_rows), side="right") - 1
        known = (inside >= 0) & (inside < ends.size)
        lengths = np.where(known, ends[np.clip(inside, 0, ends.size - 1)] - zero, 0.0)
        lengths[np.arange(n_rows) > edges[-1]] = 0.0
        colour = to_hex(patch.get_facecolor()).upper()
        sign = {POSITIVE: 1.0, NEGATIVE: -1.0, THRESHOLD: 0.0}[colour]
        assert (lengths * sign >= 0.0).all()
        nats = lengths * scales(ax)[colour != THRESHOLD]
        found[float(zero)] = found.get(float(zero), 0.0) + nats
    return [lengths for _, lengths in sorted(found.items())]


def above(ax):
    """Names and biases of hidden units above the columns."""
    [top] = ax.child_axes
    names = [text.get_text() for text in top.get_xticklabels()]
    biases = [text.get_text() for text in top.get_xticklabels(minor=True)]
    assert (names[0], biases[0]) == ("hidden unit", "bias c")
    return names[1:], [number(text) for text in biases[1:]]


def texts(ax):
    return [text.get_text() for text in ax.texts]


@given(st.integers(0, 10_000), st.integers(1, 130), st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_bars_are_the_weights_and_biases(seed, n_bits, n_hidden):
    model = rbm(n_bits, n_hidden, seed, W=rbm(n_bits, n_hidden, seed).W_ + 0.01)
    depth = np.random.default_rng(seed).random(n_bits)
    ax = drawn(model, units=Units(map(str, range(n_bits)), depth))
    rows = np.argsort(depth)
    by_weight = sorted(range(n_hidden), key=lambda k: -abs(model.W_[:, k]).sum())
    first, *charts = bars(ax, n_bits)
    np.testing.assert_allclose(first, model.b_[rows], atol=1e-9)
    assert len(charts) == n_hidden
    for lengths, k in zip(charts, by_weight, strict=True):
        np.testing.assert_allclose(lengths, model.W_[rows, k], atol=1e-9)
    names, biases = above(ax)
    assert names == [f"h{k}" for k in by_weight]
    np.testing.assert_allclose(biases, model.c_[by_weight], atol=0.0501)


def test_hidden_units_are_ordered_by_variance_of_activation_on_words():
    model = rbm(n_hidden=6, seed=1)
    words = Words.from_array(np.random.default_rng(1).integers(0, 2, (60, 6)))
    order = hidden_activation(model, words).order
    by_weight = np.argsort(-np.abs(model.W_).sum(axis=0))
    assert order.tolist() != by_weight.tolist()
    ax = drawn(model, words)
    assert above(ax)[0] == [f"h{k}" for k in order]
    assert ax.get_xlabel() == "weight (nats)\n6 live hidden units, by variance on the words"


def test_dead_hidden_units_are_not_drawn():
    W = np.zeros((6, 4))
    W[2, 1] = -1.5
    ax = drawn(rbm(W=W))
    _, chart = bars(ax, 6)
    assert chart.tolist() == [0.0, 0.0, -1.5, 0.0, 0.0, 0.0]
    assert above(ax)[0] == ["h1"]
    assert ax.get_xlabel() == "weight (nats)\n1 live hidden unit, strongest first"


@pytest.mark.parametrize("model", [rbm(W=np.zeros((6, 4))), rbm(1, b=[0.0], W=[[0.0]], c=[0.0])])
def test_no_live_hidden_unit_is_said_beside_the_biases(model):
    ax = drawn(model)
    assert "no live hidden unit" in texts(ax)
    [first] = bars(ax, model.b_.size) or [0.0]
    np.testing.assert_allclose(first, model.b_)
    assert not ax.child_axes


def test_windows_are_drawn_lag_by_lag():
    model = rbm(n_bits=6)
    ax = drawn(model, units=Units("ab", [2.0, 1.0]))
    np.testing.assert_allclose(bars(ax, 6)[0], model.b_[[1, 0, 3, 2, 5, 4]], atol=1e-12)
    assert ax.get_ylabel() == "lag (bins)"
