from functools import partial

import numpy as np
from drawing import draw
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex

import microcolumn as mc
from microcolumn.models import RBM
from microcolumn.parameters import Parameters
from microcolumn.plot import layers
from microcolumn.plot.layer_shares import LAYER_COLOURS
from microcolumn.units import Units
from microcolumn.words import Words

LABELS = np.array(["II/III"] * 4 + ["IV"] * 3 + ["$V$"] * 3)
UNITS = Units([str(n) for n in range(10)], layer=LABELS.tolist())


def rbm(n_hidden=4, seed=0):
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(10, n_hidden))
    W[:, 0] += 4.0 * (LABELS == "IV")
    return RBM.from_parameters(Parameters(b=np.zeros(10), W=W, c=np.full(n_hidden, -1.0)))


drawn = partial(draw, layers)


def dots(ax):
    """Position, share, colour and area of all dots."""
    found = [group for group in ax.collections if isinstance(group, PathCollection)]
    return [
        (float(x), float(y), to_hex(group.get_facecolors()[0]).upper(), group.get_sizes()[0])
        for group in found
        for x, y in group.get_offsets()
    ]


def test_dots_are_the_shares_of_the_weight_by_hand():
    model = rbm()
    ax = drawn(model, UNITS)
    sizes = np.abs(model.W_) / np.abs(model.W_).sum(axis=0)
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert sorted(names) == ["h0", "h1", "h2", "h3"]
    expected = set()
    for x, name in enumerate(names):
        for colour, layer in zip(LAYER_COLOURS, sorted(set(LABELS)), strict=False):
            share = sizes[layer == LABELS, int(name[1:])].sum()
            expected.add((x, round(share, 9), colour))
    assert {(x, round(y, 9), colour) for x, y, colour, _ in dots(ax)} == expected
    largest = {x: max(y for at, y, *_ in dots(ax) if at == x) for x in range(4)}
    assert list(largest.values()) == sorted(largest.values(), reverse=True)


def test_bars_and_lines_are_what_shuffled_labels_reach():
    found = mc.evaluate.layer_statistics(rbm(), UNITS)
    ax = drawn(found, hidden=[3, 0])
    upper = [bar.get_height() for bar in ax.patches]
    assert upper == [found.hidden[3].upper, found.hidden[0].upper]
    [lines] = [each for each in ax.collections if isinstance(each, LineCollection)]
    means = [segment[0, 1] for segment in lines.get_segments()]
    assert means == [found.hidden[3].expected, found.hidden[0].expected]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["h3", "h0"]


def test_statistics_and_model_with_units_words_or_labels_are_the_same():
    model = rbm()
    first = dots(drawn(mc.evaluate.layer_statistics(model, UNITS)))
    words = Words.from_array(np.eye(10), units=UNITS)
    for units in (UNITS, words, LABELS.tolist()):
        assert dots(drawn(model, units)) == first
