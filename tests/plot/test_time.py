from functools import partial

import numpy as np
import pytest
from drawing import draw
from hypothesis import example, given, settings, strategies as st
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch

from microcolumn import Recording, Units, Words
from microcolumn.evaluate.activation import hidden_activation
from microcolumn.models import RBM
from microcolumn.parameters import Parameters
from microcolumn.plot import activation
from microcolumn.plot.time import ROW_HEIGHT, raster, spikes_by_bin, typical_activation
from microcolumn.survey.stretch import busiest_stretch
from microcolumn.timeline import typical_bins

UNITS = Units(
    ["$a$", "<script>", "c"], [900.0, 300.0, 400.0], ["V/VI", "$II/III$", "$II/III$"]
)  # drawn in the rows 2, 0, 1
TRAINS = [[0.13, 0.31, 2.5], [0.05, 0.52], [0.51, 1.45, 1.47]]


@pytest.fixture
def recording():
    return Recording(TRAINS, UNITS, [[0.0, 1.0], [1.4, 2.0]])


@pytest.fixture
def ax():
    return Figure().subplots()


def marks(ax, kind):
    (found,) = [each for each in ax.collections if type(each) is kind]
    return found


def corners(ax):
    """Of each box, shape (n_boxes, 4, 2)."""
    [path] = marks(ax, PathCollection).get_paths()
    return path.vertices.reshape(-1, 5, 2)[:, :4]


def test_spikes_of_superficial_units_are_drawn_at_the_top(recording, ax):
    assert raster(recording, 0.0, 3.0, ax=ax) is ax
    segments = np.array(marks(ax, LineCollection).get_segments())
    np.testing.assert_array_equal(segments[:, 0, 0], segments[:, 1, 0])
    drawn = sorted(zip(segments[:, :, 1].mean(axis=1), segments[:, 0, 0], strict=True))
    # The spike at 2.5 s lies outside the epochs.
    expected = [(0, 0.05), (0, 0.52), (1, 0.51), (1, 1.45), (1, 1.47), (2, 0.13), (2, 0.31)]
    np.testing.assert_allclose(drawn, expected)
    bottom, top = ax.get_ylim()
    assert bottom > top
    assert ax.get_xlim() == (0.0, 3.0)


def test_binned_marks_are_the_words_of_the_recording(recording, ax):
    raster(recording, 0.0, 3.0, bin_width=0.1, ax=ax)
    boxes = corners(ax)
    np.testing.assert_allclose(np.ptp(boxes[:, :, 0], axis=1), 0.1)
    drawn = {
        (round(x, 6), round(y)) for x, y in zip(boxes[:, 0, 0], boxes[:, :, 1].mean(1), strict=True)
    }
    words = recording.bin(0.1)
    times = np.concatenate((np.arange(10) * 0.1, 1.4 + np.arange(6) * 0.1))
    row = {0: 2, 1: 0, 2: 1}
    expected = {
        (round(time, 6), row[unit])
        for time, word in zip(times, words.expand(), strict=True)
        for unit in np.flatnonzero(word)
    }
    assert drawn == expected
    assert len(expected) == len(boxes) == 6


def test_words_are_drawn_as_the_bins_of_their_recording(recording):
    of_recording, of_words = Figure().subplots(1, 2)
    raster(recording, 0.0, 3.0, bin_width=0.1, ax=of_recording)
    raster(recording.bin(0.1), 0.0, 3.0, ax=of_words)
    np.testing.assert_allclose(corners(of_recording), corners(of_words))
    gaps = [[(p.get_x(), p.get_width()) for p in ax.patches] for ax in (of_recording, of_words)]
    np.testing.assert_allclose(*gaps)


def test_the_busiest_words_are_drawn_by_default():
    X = np.zeros((1000, 2), dtype=int)
    X[400:450] = 1
    words = Words.from_array(X, 0.020)
    start, stop = raster(words, ax=Figure().subplots()).get_xlim()
    assert stop - start == pytest.approx(2.0)
    assert start <= 8.0 < 9.0 <= stop


def test_the_busiest_stretch_is_drawn_where_nothing_is_asked_for(recording, ax):
    raster(recording, ax=ax)
    assert ax.get_xlim() == busiest_stretch(recording) == (0.0, 1.0)


def test_a_silent_recording_is_drawn_empty(ax):
    recording = Recording([[]], epochs=[[3.0, 4.0], [5.0, 9.0]])
    raster(recording, bin_width=0.02, ax=ax)
    assert ax.get_xlim() == (5.0, 7.0)
    assert len(corners(ax)) == 0
    ax.figure.draw_without_rendering()


@settings(max_examples=60, deadline=None)
@example([0, 244, 251], 7)  # 24.4 + 0.7 < 25.1 in floating point
@given(st.lists(st.integers(0, 300), min_size=1, max_size=25), st.sampled_from([1, 7, 20, 60]))
def test_no_stretch_of_an_epoch_holds_more_spikes_than_the_busiest(tenths, length):
    """Tried at every tenth of a second, both ends included."""
    times = np.sort(np.array(tenths) / 10)
    epochs = np.array([[0.0, 5.0], [5.5, 6.5], [10.0, 28.0]])
    inside = times[((epochs[:, :1] <= times) & (times <= epochs[:, 1:])).any(axis=0)]
    seconds = length / 10
    start, stop = busiest_stretch(Recording([times], epochs=epochs), seconds)
    assert ((epochs[:, 0] <= start) & (stop <= epochs[:, 1])).any()
    assert stop - start <= seconds + 1e-9

    def held(first, last):
        return np.sum((inside > first - 1e-6) & (inside < last + 1e-6))

    most = 0
    for left, right in epochs:
        for first in np.arange(left, max(left, right - seconds) + 0.05, 0.1):
            most = max(most, held(first, min(first + seconds, right)))
    if inside.size:
        assert held(start, stop) == most


def test_a_typical_stretch_of_words_and_of_their_recording_is_drawn():
    rng = np.random.default_rng(0)
    trains = [np.sort(rng.uniform(0.0, 30.0, 100)) for _ in range(4)]
    recording = Recording(trains, epochs=[[0.0, 30.0]])
    words = recording.bin(0.020)
    first, end = typical_bins(spikes_by_bin(words), words.epoch_starts, 100)
    for source in (words, recording):
        shown = raster(source, stretch="typical", ax=Figure().subplots()).get_xlim()
        np.testing.assert_allclose(shown, (0.020 * first, 0.020 * end))


def rbm(n_bits=5, n_hidden=3, seed=0):
    rng = np.random.default_rng(seed)
    W, c = rng.normal(0.0, 3.0, (n_bits, n_hidden)), np.full(n_hidden, -2.0)
    return RBM.from_parameters(Parameters(b=np.full(n_bits, -2.0), W=W, c=c))


def words(n_bins=400, n_units=5, epoch_starts=(0,)):
    bits = np.random.default_rng(1).random((n_bins, n_units)) < 0.2
    return Words.from_array(bits, 0.02, epoch_starts=epoch_starts)


drawn = partial(draw, activation)


def rows(ax):
    """Activation over time of each row from the top: values and edges."""
    patches = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    found = [patch.get_data() for patch in patches]
    return [((values - base) / ROW_HEIGHT, edges) for values, edges, base in found]


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


def test_the_most_variable_live_hidden_units_are_drawn_by_default():
    model, data = rbm(n_hidden=12), words()
    dead = RBM.from_parameters(
        Parameters(b=model.b_, W=model.W_ * (np.arange(12) != 5), c=model.c_)
    )
    ax = drawn(dead, data)
    order = hidden_activation(dead, data).order[:8]
    assert 5 not in order
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"h{k}" for k in order]


def test_time_that_was_not_recorded_is_left_out():
    data = words(100)
    parts = data._take(np.r_[0:10, 40:50])
    [(values, edges)] = rows(drawn(rbm(), parts, 0, 0.0, 2.0))
    in_gap = (edges[:-1] > 0.19) & (edges[:-1] < 0.79)
    assert np.isnan(values[in_gap]).all()
    np.testing.assert_allclose(
        values[~np.isnan(values)], by_hand(rbm(), data.expand()[np.r_[0:10, 40:50]], 0), atol=1e-9
    )


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
