from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle, StepPatch

from microcolumn.evaluate._activation import hidden_activation
from microcolumn.models import RBM, Ising
from microcolumn.parameters import Parameters
from microcolumn.plot._hidden import NEGATIVE, POSITIVE, THRESHOLD, hidden_units
from microcolumn.units import Units
from microcolumn.words import Words


def rbm(n_bits=6, n_hidden=4, seed=0, **given):
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(n_bits, n_hidden)) * (rng.random((n_bits, n_hidden)) < 0.7)
    b, c = rng.normal(-3.0, 1.0, n_bits), rng.normal(-2.0, 2.0, n_hidden)
    return RBM.from_parameters(Parameters(**({"b": b, "W": W, "c": c} | given)))


def drawn(model, words=None, units=None, **options):
    figure = Figure(layout="constrained")
    ax = hidden_units(model, words, units, ax=figure.subplots(), **options)
    figure.draw_without_rendering()
    return ax


def bars(ax, n_rows):
    """Length of the bar of each row in each chart, from the left; their colours are checked."""
    found = {}
    for patch in ax.patches:
        if isinstance(patch, StepPatch):
            ends, edges, zero = patch.get_data()
            inside = np.searchsorted(edges, np.arange(n_rows), side="right") - 1
            known = (inside >= 0) & (inside < ends.size)
            lengths = np.where(known, ends[np.clip(inside, 0, ends.size - 1)] - zero, 0.0)
            lengths[np.arange(n_rows) > edges[-1]] = 0.0
            colour = to_hex(patch.get_facecolor()).upper()
            sign = {POSITIVE: 1.0, NEGATIVE: -1.0, THRESHOLD: 0.0}[colour]
            assert (lengths * sign >= 0.0).all()
            found[float(zero)] = found.get(float(zero), 0.0) + lengths
    return [lengths for _, lengths in sorted(found.items())]


def thresholds(ax):
    return [p.get_width() for p in ax.patches if isinstance(p, Rectangle)]


def texts(ax):
    return [text.get_text() for text in ax.texts]


@given(st.integers(0, 10_000), st.integers(1, 130), st.integers(1, 6))
@settings(max_examples=25, deadline=None)
def test_bars_are_the_weights_and_biases(seed, n_bits, n_hidden):
    model = rbm(n_bits, n_hidden, seed)
    depth = np.random.default_rng(seed).random(n_bits)
    ax = drawn(model, units=Units(map(str, range(n_bits)), depth))
    rows = np.argsort(depth)
    by_weight = sorted(
        np.flatnonzero(model.W_.any(axis=0)), key=lambda k: -abs(model.W_[:, k]).sum()
    )
    first, *charts = bars(ax, n_bits)
    np.testing.assert_allclose(first, -model.b_[rows], atol=1e-9)
    assert len(charts) == len(by_weight)
    for lengths, k in zip(charts, by_weight, strict=True):
        np.testing.assert_allclose(lengths, model.W_[rows, k], atol=1e-9)
    np.testing.assert_allclose(thresholds(ax), -model.c_[by_weight])


def test_charts_do_not_overlap():
    ax = drawn(rbm(seed=3, c=np.array([9.0, -9.0, 9.0, -9.0])))
    spans = {}
    for patch in ax.patches:
        box = patch.get_path().get_extents(patch.get_patch_transform())
        zero = patch.get_data()[2] if isinstance(patch, StepPatch) else patch.get_x()
        low, high = spans.get(float(zero), (np.inf, -np.inf))
        spans[float(zero)] = min(low, box.x0), max(high, box.x1)
    ordered = sorted(spans.values())
    assert all(before[1] < after[0] for before, after in pairwise(ordered))
    left, right = ax.get_xlim()
    assert left < ordered[0][0]
    assert ordered[-1][1] < right


def test_hidden_units_are_ordered_by_variance_of_activation_on_words():
    model = rbm(n_hidden=6, seed=1)
    words = Words.from_array(np.random.default_rng(1).integers(0, 2, (60, 6)))
    order = hidden_activation(model, words).order
    by_weight = np.argsort(-np.abs(model.W_).sum(axis=0))
    assert order.tolist() != by_weight.tolist()
    ax = drawn(model, words)
    np.testing.assert_allclose(thresholds(ax), -model.c_[order])
    assert ax.get_xlabel() == "hidden unit, by variance (6 live)"


def test_the_axes_say_how_many_live_hidden_units_are_left_out():
    model = rbm(n_hidden=20)
    ax = drawn(model, most=3)
    assert len(thresholds(ax)) == 3
    assert ax.get_xlabel() == "hidden unit, by total weight (3 of 20 live)"
    assert [t.get_text() for t in ax.get_xticklabels()] == ["\N{MINUS SIGN}b", "1", "2", "3"]


def test_dead_hidden_units_are_not_drawn():
    W = np.zeros((6, 4))
    W[2, 1] = -1.5
    ax = drawn(rbm(W=W))
    _, chart = bars(ax, 6)
    assert chart.tolist() == [0.0, 0.0, -1.5, 0.0, 0.0, 0.0]
    assert ax.get_xlabel().endswith("(1 live)")


@pytest.mark.parametrize(
    "model",
    [
        rbm(W=np.zeros((6, 4))),
        Ising.from_parameters(Parameters(b=np.full(6, -1.0), J=np.zeros((6, 6)))),
        rbm(1, b=[0.0], W=[[0.0]], c=[0.0]),
    ],
)
def test_no_live_hidden_unit_is_said_beside_the_biases(model):
    ax = drawn(model)
    assert "no live hidden unit" in texts(ax)
    [first] = bars(ax, model.b_.size) or [0.0]
    np.testing.assert_allclose(first, -model.b_)
    assert not thresholds(ax)


def test_the_scale_bar_is_as_long_as_it_says():
    ax = drawn(rbm())
    [label] = [text for text in texts(ax) if text.endswith(("nat", "nats"))]
    [bar] = [line for line in ax.lines if line.get_linewidth() == 1.5]
    assert np.ptp(bar.get_xdata()) == float(label.split()[0])
    assert label.split()[1] == ("nat" if label.startswith("1 ") else "nats")


@pytest.mark.parametrize("size", [1e-3, 1.0, 3e4])
def test_the_scale_bar_suits_weights_of_any_size(size):
    model = rbm()
    ax = drawn(rbm(b=model.b_ * size, W=model.W_ * size, c=model.c_ * size))
    [bar] = [line for line in ax.lines if line.get_linewidth() == 1.5]
    length = np.ptp(bar.get_xdata())
    widest = np.ptp(ax.get_xlim())
    assert widest / 50 < length < widest / 2


def test_the_top_row_is_the_most_superficial():
    ax = drawn(rbm(), units=Units("abcdef", layer=["II"] * 3 + ["$V$"] * 3))
    bottom, top = ax.get_ylim()
    assert bottom > top
    assert [t.get_text() for t in ax.get_yticklabels()] == ["II", r"\$V\$"]


def test_windows_are_drawn_lag_by_lag():
    model = rbm(n_bits=6)
    ax = drawn(model, units=Units("ab", [2.0, 1.0]))
    np.testing.assert_allclose(bars(ax, 6)[0], -model.b_[[1, 0, 3, 2, 5, 4]], atol=1e-12)
    assert ax.get_ylabel() == "lag (bins)"


def test_five_hundred_units_are_few_outlines():
    ax = drawn(rbm(500, 12), units=Units.numbered(500))
    assert len(ax.patches) <= 12 * 3 + 1


@pytest.mark.parametrize("most", [0, -1])
def test_no_hidden_unit_cannot_be_asked_for(most):
    with pytest.raises(ValueError, match=f"most is {most}; draw at least 1"):
        hidden_units(rbm(), most=most)


def test_of_many_hidden_units_some_are_numbered():
    model = rbm(n_hidden=60, W=np.ones((6, 60)))
    names = [text.get_text() for text in drawn(model, most=60).get_xticklabels()]
    assert len(names) == 61
    assert [name for name in names[1:] if name] == [f"{k}" for k in range(3, 61, 3)]
