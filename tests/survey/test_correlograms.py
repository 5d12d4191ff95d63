"""Correlograms against all pairs of spikes, closed forms, and another library."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from microcolumn.recording import Recording
from microcolumn.survey import correlograms

#: Milliseconds at which trains may fire: a grid, so that many lags lie on edges.
TRAINS = st.lists(
    st.lists(st.integers(0, 60), max_size=12).map(sorted), min_size=1, max_size=4
).filter(any)


def counted(trains_ms, epochs_ms, width_ms, n_side):
    """Pairs of spikes by lag, each looked at by itself, in whole milliseconds."""
    counts = np.zeros((len(trains_ms), len(trains_ms), 2 * n_side + 1))
    edges = (np.arange(2 * n_side + 2) - n_side - 0.5) * width_ms

    def epoch(time):  # the later one where two touch
        held = [k for k, (a, b) in enumerate(epochs_ms) if a <= time <= b > a]
        return held[-1] if held else None

    for number in range(len(epochs_ms)):
        inside = [[t for t in train if epoch(t) == number] for train in trains_ms]
        for i, first in enumerate(inside):
            for j, second in enumerate(inside):
                for a, t in enumerate(first):
                    for b, s in enumerate(second):
                        if (i, a) != (j, b):
                            above = (s - t >= edges).astype(float) + (s - t > edges)
                            counts[i, j] += (above[:-1] - above[1:]) / 2
    return counts


def poisson(rates_hz, seconds, seed=0):
    rng = np.random.default_rng(seed)
    return [np.sort(rng.uniform(0.0, seconds, rng.poisson(r * seconds))) for r in rates_hz]


@given(TRAINS, st.sampled_from([1, 2, 3, 4]), st.integers(0, 60), st.integers(0, 60))
@settings(deadline=None, max_examples=60)
def test_counts_are_all_pairs_of_spikes_within_an_epoch(trains_ms, width_ms, stop, start):
    epochs_ms = [(0, min(stop, start)), (max(stop, start), 70)]
    recording = Recording(
        [np.array(train) * 1e-3 for train in trains_ms], epochs=np.array(epochs_ms) * 1e-3
    )
    result = correlograms(recording, bin_width=width_ms * 1e-3, max_lag_s=5 * width_ms * 1e-3)
    np.testing.assert_array_equal(result.counts, counted(trains_ms, epochs_ms, width_ms, 5))
    np.testing.assert_allclose(result.lags_s, np.arange(-5, 6) * width_ms * 1e-3, atol=1e-12)


@given(TRAINS)
@settings(deadline=None, max_examples=20)
def test_a_pair_read_the_other_way_round_is_reversed_in_time(trains_ms):
    trains = [np.array(train) / 999.0 for train in trains_ms]
    counts = correlograms(Recording(trains), bin_width=1 / 333, max_lag_s=0.03).counts
    np.testing.assert_array_equal(counts, counts.transpose(1, 0, 2)[:, :, ::-1])


def test_poisson_trains_stay_at_the_chance_level_in_every_bin():
    trains = poisson([20.0, 5.0, 10.0], 400.0)
    recording = Recording(trains, epochs=[[0.0, 100.0], [100.0, 400.0]])
    result = correlograms(recording, bin_width=0.010, max_lag_s=0.2)
    pairs = np.triu_indices(3, 1)
    z = (result.counts[pairs] - result.chance[pairs]) / np.sqrt(result.chance[pairs])
    assert np.abs(z).max() < 4.5
    assert 0.8 < z.std() < 1.2


def test_chance_counts_the_stretch_in_which_both_ends_of_a_lag_are_recorded():
    epochs = [[0.0, 0.05], [1.0, 1.3]]
    result = correlograms(Recording([[0.01], [1.1]], epochs=epochs), bin_width=0.02, max_lag_s=0.1)
    lags = np.linspace(-0.11, 0.11, 110_001)
    overlap = np.clip(0.05 - abs(lags), 0.0, None) + np.clip(0.3 - abs(lags), 0.0, None)
    parts = [overlap[k * 10_000 : (k + 1) * 10_000 + 1] for k in range(11)]
    expected = [np.trapezoid(part, dx=2e-6) for part in parts]
    np.testing.assert_allclose(result.exposure_s2, expected, rtol=1e-6)
    np.testing.assert_allclose(result.chance[0, 1], result.exposure_s2 / 0.35**2)


def test_times_on_a_grid_of_samples_favour_no_bin():
    rng = np.random.default_rng(1)
    trains = [np.unique(rng.integers(0, 3_000_000, 30_000)) / 30_000.0 for _ in range(6)]
    result = correlograms(Recording(trains), bin_width=0.0002, max_lag_s=0.002)
    pooled = result.counts[np.triu_indices(6, 1)].sum(axis=0)
    # Six samples to a bin: rules that give an edge to one side are off by a sixth in the middle.
    np.testing.assert_allclose(pooled / pooled.mean(), 1.0, atol=0.03)


@pytest.mark.filterwarnings("ignore:The 'copy' argument in Quantity")
def test_other_libraries_count_the_same_away_from_edges():
    elephant = pytest.importorskip("elephant.spike_train_correlation")
    neo, quantities = pytest.importorskip("neo"), pytest.importorskip("quantities")
    conversion = pytest.importorskip("elephant.conversion")
    rng = np.random.default_rng(2)
    # Every spike in the middle of a 5 ms bin: lags are multiples of 5 ms, far from our edges.
    bins = [np.unique(rng.integers(0, 4000, 300)) for _ in range(2)]
    trains = [b * 0.005 + 0.0025 for b in bins]
    ms = quantities.ms
    binned = [
        conversion.BinnedSpikeTrain(
            neo.SpikeTrain(t * 1e3 * ms, t_stop=20_000 * ms), bin_size=5 * ms, tolerance=None
        )
        for t in trains
    ]
    theirs = elephant.cross_correlation_histogram(*binned, window=[-10, 10])[0]
    ours = correlograms(Recording(trains, epochs=[[0.0, 20.0]]), bin_width=0.005, max_lag_s=0.05)
    np.testing.assert_array_equal(ours.counts[0, 1], np.asarray(theirs.magnitude).ravel())


def test_silent_units_one_spike_and_empty_epochs_have_no_pairs():
    for recording in (
        Recording([[0.5]]),
        Recording([[], []], epochs=[[0.0, 1.0]]),
        Recording([[0.1], [0.1]], epochs=np.empty((0, 2))),
        Recording([[0.1], [0.1]], epochs=[[0.1, 0.1], [0.2, 0.3]]),
    ):
        result = correlograms(recording)
        assert not result.counts.any()
        assert result.counts.shape[2] == result.lags_s.size == 61
        assert np.isfinite(result.chance).all()
