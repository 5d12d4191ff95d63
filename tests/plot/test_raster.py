import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure

from microcolumn import Recording, Units, Words
from microcolumn.plot._raster import raster, spikes_by_bin
from microcolumn.survey._stretch import busiest_stretch
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


def test_layers_are_named_letter_by_letter_with_a_line_between_them(recording, ax):
    raster(recording, ax=ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == [r"\$II/III\$", "V/VI"]
    assert [line.get_ydata()[0] for line in ax.lines] == [1.5]


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
    with pytest.raises(ValueError, match="span 2 bins"):
        raster(words.embed(2), 0.0, 1.0, ax=Figure().subplots())
    with pytest.raises(ValueError, match="leave bin_width out"):
        raster(words, bin_width=0.1, ax=Figure().subplots())


def test_bins_that_reach_into_the_stretch_from_before_are_drawn(recording, ax):
    raster(recording, 0.15, 0.2, bin_width=0.1, ax=ax)
    assert len(corners(ax)) == 1


def test_time_outside_the_epochs_is_shaded(recording, ax):
    raster(recording, 0.5, 3.0, ax=ax)
    gaps = [(p.get_x(), p.get_x() + p.get_width()) for p in ax.patches]
    np.testing.assert_allclose(gaps, [(1.0, 1.4), (2.0, 3.0)])
    assert not raster(recording, 0.2, 0.9, ax=Figure().subplots()).patches


def test_two_seconds_are_drawn_where_one_end_is_given(recording):
    assert raster(recording, 0.25, ax=Figure().subplots()).get_xlim() == (0.25, 2.25)
    assert raster(recording, stop_s=2.25, ax=Figure().subplots()).get_xlim() == (0.25, 2.25)


def test_the_busiest_stretch_is_drawn_where_nothing_is_asked_for(recording, ax):
    raster(recording, ax=ax)
    assert ax.get_xlim() == busiest_stretch(recording) == (0.0, 1.0)


def test_many_marks_become_an_image_so_that_files_stay_small():
    rng = np.random.default_rng(0)
    trains = [np.sort(rng.uniform(0, 40.0, 30)) for _ in range(500)]
    recording = Recording(trains, epochs=[[0.0, 40.0]])
    few, many = Figure().subplots(1, 2)
    raster(recording, 0.0, 2.0, ax=few)
    raster(recording, 0.0, 40.0, ax=many)
    assert not marks(few, LineCollection).get_rasterized()
    assert marks(many, LineCollection).get_rasterized()
    assert len(marks(many, LineCollection).get_segments()) == 15_000
    few, many = Figure().subplots(1, 2)
    raster(recording, 0.0, 2.0, bin_width=0.02, ax=few)
    raster(recording, 0.0, 40.0, bin_width=0.02, ax=many)
    assert not marks(few, PathCollection).get_rasterized()
    assert marks(many, PathCollection).get_rasterized()


def test_a_silent_recording_is_drawn_empty(ax):
    recording = Recording([[]], epochs=[[3.0, 4.0], [5.0, 9.0]])
    raster(recording, bin_width=0.02, ax=ax)
    assert ax.get_xlim() == (5.0, 7.0)
    assert len(corners(ax)) == 0
    ax.figure.draw_without_rendering()


def test_a_recording_without_time_has_no_busiest_stretch():
    with pytest.raises(ValueError, match="epochs"):
        busiest_stretch(Recording([[1.0]], epochs=np.empty((0, 2))))


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
