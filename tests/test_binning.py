from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn import Recording
from microcolumn.binning import checked_trains
from microcolumn.epochs import Epochs

#: Times in samples of 30 kHz, so that many lie on edges of bins of 20 ms.
SAMPLES = st.lists(st.integers(0, 12_000), max_size=30).map(lambda k: np.sort(np.array(k)) / 30_000)
EPOCHS = st.lists(st.integers(0, 400), min_size=2, max_size=8).map(
    lambda k: np.sort(np.array(k[: len(k) // 2 * 2])).reshape(-1, 2) / 1000
)


def slow_bins(times, epochs, width):
    """(epoch, bin) of each spike by exact fractions of milliseconds; None where it has none."""
    width = Fraction(width).limit_denominator(10**6)
    places = []
    for time in times:
        exact, place = Fraction(time).limit_denominator(10**6), None
        for number, (start, stop) in enumerate(epochs):
            start = Fraction(start).limit_denominator(10**6)
            stop = Fraction(stop).limit_denominator(10**6)
            if start <= exact <= stop > start:  # the later one where two touch
                k = (exact - start) // width
                place = (number, int(k)) if start + (k + 1) * width <= stop else (number, None)
        places.append(place)
    return places


@given(st.lists(SAMPLES, min_size=1, max_size=4), EPOCHS, st.sampled_from([1, 3, 7, 20, 50]))
@settings(deadline=None, max_examples=150)
def test_every_spike_lands_where_exact_arithmetic_puts_it(trains, intervals, milliseconds):
    width = milliseconds / 1000
    epochs = Epochs(intervals)
    per_epoch = [
        int(Fraction(stop - start).limit_denominator(10**6) // Fraction(milliseconds, 1000))
        for start, stop in epochs
    ]
    places = [slow_bins(train, epochs, width) for train in trains]
    if not sum(per_epoch):
        with pytest.raises(ValueError, match="no epoch holds a full bin"):
            Recording(trains, epochs=epochs).bin(width)
        return
    counts = [np.zeros((n, len(trains)), dtype=int) for n in per_epoch]
    for unit, landed in enumerate(places):
        for place in landed:
            if place is not None and place[1] is not None:
                counts[place[0]][place[1], unit] += 1
    stacked = np.concatenate(counts)
    recording = Recording(trains, epochs=epochs)
    binning = recording.binning(width)
    np.testing.assert_array_equal(recording.count(width), stacked)
    np.testing.assert_array_equal(binning.words.expand(), stacked > 0)
    lengths = [n for n in per_epoch if n]
    assert binning.words.epoch_starts.tolist() == [0, *np.cumsum(lengths)[:-1]]
    assert binning.single_fraction == (stacked == 1).mean()
    assert binning.multiple_fraction == (stacked > 1).mean()
    flat = [place for landed in places for place in landed]
    assert binning.n_binned == stacked.sum()
    assert binning.n_outside == flat.count(None)


@given(
    st.lists(st.floats(0, 1e4), min_size=1, max_size=30),
    st.floats(1e-3, 9.0),
    st.lists(st.floats(0, 1e4), min_size=2, max_size=6),
)
@settings(deadline=None, max_examples=150)
def test_spikes_are_conserved_for_any_width_epochs_and_edges(times, width, edges):
    intervals = np.sort(edges[: len(edges) // 2 * 2]).reshape(-1, 2)
    times = np.sort(np.concatenate((times, intervals.ravel(), intervals[:, 0] + 3 * width)))
    recording = Recording([times], epochs=intervals)
    if not np.any(np.diff(intervals) >= width + 1e-6):
        return
    binning = recording.binning(width)
    assert binning.n_binned + binning.n_in_tails + binning.n_outside == times.size
    assert binning.n_binned <= (recording.epochs.locate(times) >= 0).sum()
    words = binning.words
    assert abs(words.n_bins * width - recording.duration_s) < (width + 1e-6) * len(intervals)


@pytest.mark.parametrize("width", [0.1, 0.02, 1 / 150, 0.0067, 0.3])
def test_a_spike_on_an_edge_opens_its_bin_however_the_edge_was_computed(width):
    edges = np.arange(1000)
    stop = 1000 * width
    for times in (edges * width, np.cumsum(np.full(1000, width)) - width, edges / (1 / width)):
        words = Recording([times], epochs=[[0, stop]]).bin(width)
        assert words.n_bins == 1000
        assert words.expand().sum() == 1000


def test_words_equal_those_of_the_dense_matrix_for_more_than_64_units():
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.1, size=(300, 130))
    trains = [
        np.sort(np.repeat(np.arange(300), column) + rng.uniform(0.01, 0.99, column.sum())) * 0.02
        for column in counts.T
    ]
    words = Recording(trains, epochs=[[0, 6.0]]).bin(0.020)
    np.testing.assert_array_equal(words.expand(), counts > 0)
    np.testing.assert_array_equal(words.X, np.unique(counts > 0, axis=0))
    assert words.counts.sum() == 300


def test_the_account_reads_as_a_sentence():
    recording = Recording([[0.001, 0.002, 0.030], [0.045, 0.070]], epochs=[[0.0, 0.05]])
    assert str(recording.binning(0.020)) == (
        "2 bins of 20 ms: 25.00% with one spike, 25.00% with more; 3 spikes binned, 2 left out "
        "(1 behind an epoch's last full bin, 1 outside epochs)"
    )


def test_embedded_words_of_a_recording_never_cross_an_epoch():
    recording = Recording([[0.01, 0.03], [0.05, 0.21]], epochs=[[0.0, 0.06], [0.2, 0.24]])
    assert recording.bin(0.020).embed(2).expand().tolist() == [
        [1, 0, 1, 0],
        [1, 0, 0, 1],
        [0, 1, 0, 0],
    ]


RNG = np.random.default_rng(0)


def poisson(rate_hz, seconds):
    return np.sort(RNG.uniform(0, seconds, RNG.poisson(rate_hz * seconds)))


def test_trains_become_double_precision_and_empty_ones_stay():
    first, second = checked_trains([[1, 2], []], None)
    assert first.dtype == second.dtype == np.float64
    assert first.tolist() == [1.0, 2.0]
    assert second.shape == (0,)


@pytest.mark.parametrize("factor", [1e3, 1e6, 3e4])
def test_trains_in_mixed_units_of_time_are_refused(factor):
    trains = [poisson(2.0, 600.0), poisson(1.0, 600.0) * factor]
    with pytest.raises(
        ValueError, match=r"'odd' fires for .* which looks like mixed units of time"
    ):
        checked_trains(trains, ["even", "odd"])


@pytest.mark.parametrize("factor", [1e3, 3e4])
def test_a_recording_in_milliseconds_or_samples_is_refused(factor):
    trains = [poisson(2.0, 600.0) * factor, poisson(3.0, 600.0) * factor]
    with pytest.raises(ValueError, match="which looks like milliseconds or samples; give spike"):
        Recording(trains)
    with pytest.raises(ValueError, match="which looks like milliseconds or samples; give spike"):
        Recording([[1.0, 2.0], [1e8]])
    with pytest.raises(ValueError, match="which looks like milliseconds or samples; give spike"):
        Recording([poisson(2.0, 600.0)], epochs=[[0, 600 * factor]])


def test_a_unit_lost_early_a_rare_one_and_a_late_start_are_taken_as_they_are():
    assert Recording([poisson(5.0, 10.0), poisson(1.0, 7200.0), [3.0]]).n_units == 3
    assert Recording([1.7e9 + poisson(2.0, 3600.0)]).duration_s < 3600.0
    assert Recording([poisson(0.01, 50_000.0)]).duration_s < 50_000.0


def test_nobody_records_for_ten_days_at_whatever_rate():
    with pytest.raises(ValueError, match="looks like milliseconds or samples"):
        Recording([poisson(0.025, 3.6e6)])
