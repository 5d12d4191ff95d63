"""Suggested bin widths on recordings whose central peak has a known width."""

import numpy as np
import pytest

from microcolumn.recording import Recording
from microcolumn.survey import correlograms, suggest_bin_width, summarise

#: Full width at half height of a Gaussian, in its standard deviations.
GAUSSIAN_FWHM = 2.0 * np.sqrt(2.0 * np.log(2.0))
SECONDS = 1200.0


def together(jitter_s, n_units=6, share=0.5, rate_hz=2.0, seed=0):
    """Trains that each take part in ``share`` of common volleys, with a Gaussian jitter."""
    rng = np.random.default_rng(seed)
    volleys = rng.uniform(1.0, SECONDS - 1.0, int(2 * SECONDS))
    trains = []
    for _ in range(n_units):
        taken = volleys[rng.random(volleys.size) < share]
        alone = rng.uniform(0.0, SECONDS, rng.poisson(rate_hz * SECONDS))
        jittered = taken + rng.normal(0.0, jitter_s, taken.size)
        trains.append(np.sort(np.concatenate((jittered, alone))))
    return trains


def recorded(trains, **options):
    return Recording(trains, epochs=[[0.0, SECONDS]], **options)


@pytest.mark.parametrize("jitter_s", [0.003, 0.006, 0.012, 0.024])
def test_the_width_of_a_gaussian_peak_is_found(jitter_s):
    # The difference of two jitters is sqrt(2) times as wide as one.
    expected = GAUSSIAN_FWHM * np.sqrt(2.0) * jitter_s
    result = suggest_bin_width(recorded(together(jitter_s)))
    assert result.peak_width_s == pytest.approx(expected, rel=0.08)
    assert 0.0 < result.peak_stderr_s < 0.1 * expected
    assert abs(result.width_s - result.peak_width_s) <= 0.0025
    assert f"{result.peak_width_s * 1e3:.1f} ± " in result.reason
    assert result.n_pairs == 15


def test_the_stated_error_is_the_spread_over_recordings():
    results = [suggest_bin_width(recorded(together(0.006, 4, 0.3, seed=s))) for s in range(30)]
    spread = np.std([result.peak_width_s for result in results], ddof=1)
    stated = np.median([result.peak_stderr_s for result in results])
    assert 0.5 < stated / spread < 2.0


def test_the_pooled_correlogram_is_the_sum_over_ordered_pairs():
    recording = recorded(together(0.006))
    result = suggest_bin_width(recording, max_lag_s=0.1)
    every = correlograms(recording, bin_width=0.001, max_lag_s=0.1)
    apart = ~np.eye(6, dtype=bool)
    np.testing.assert_array_equal(result.counts, every.counts[apart].sum(axis=0))
    np.testing.assert_allclose(result.chance, every.chance[apart].sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(result.lags_s, every.lags_s)
    outer = np.abs(result.lags_s) > 0.0505
    assert result.baseline == pytest.approx(result.counts[outer].mean())
    assert result.smoothed[100] == pytest.approx(result.baseline + result.height)


def test_a_part_of_very_many_pairs_shows_the_same_peak(monkeypatch):
    recording = recorded(together(0.006, n_units=12))
    whole = suggest_bin_width(recording)
    monkeypatch.setattr("microcolumn.survey.bin_width._MOST_PAIRS", whole.counts.sum() / 8.0)
    part = suggest_bin_width(recording)
    assert (whole.counts % 4).any()
    assert not (part.counts % 4).any()  # the pairs of every fourth spike, four times
    np.testing.assert_allclose(part.counts, whole.counts, rtol=0.2)
    assert abs(part.peak_width_s - whole.peak_width_s) < 3.0 * part.peak_stderr_s


def test_independent_trains_show_no_peak_whatever_the_seed():
    for seed in range(20):
        result = suggest_bin_width(recorded(together(0.01, share=0.0, rate_hz=5.0, seed=seed)))
        assert np.isnan(result.peak_width_s)
        assert result.width_s == 0.020
        assert "no central peak" in result.reason


def test_cells_sorted_twice_are_no_peak():
    trains = together(0.01, share=0.0, rate_hz=5.0)
    result = suggest_bin_width(recorded([*trains, trains[0] + 1e-4]))
    assert result.counts.argmax() == result.counts.size // 2
    assert np.isnan(result.peak_width_s)


def test_slow_changes_under_a_peak_do_not_widen_it():
    rng = np.random.default_rng(3)
    awake = [t[np.sin(t / 7.0) > rng.uniform(-1.0, 1.0, t.size)] for t in together(0.006)]
    result = suggest_bin_width(recorded(awake))
    assert result.baseline > 1.2 * result.chance.mean()
    assert result.peak_width_s == pytest.approx(0.020, rel=0.1)


def test_correlations_broader_than_the_window_are_told_and_a_wider_window_finds_them():
    recording = recorded(together(0.060))
    narrow = suggest_bin_width(recording)
    assert narrow.width_s == 0.020
    assert "still fall at lags of ±200 ms" in narrow.reason
    wide = suggest_bin_width(recording, max_lag_s=1.0)
    assert wide.peak_width_s == pytest.approx(GAUSSIAN_FWHM * np.sqrt(2.0) * 0.060, rel=0.08)


@pytest.mark.parametrize(
    "trains", [[[0.5, 0.6]], [[], []], [[0.5], []], [[0.5], [0.5]], [[0.0], [0.0], []]]
)
def test_too_few_spikes_fall_back_to_20_ms_with_a_reason(trains):
    result = suggest_bin_width(Recording(trains, epochs=[[0.0, 1.0]]))
    assert result.width_s == 0.020
    assert np.isnan(result.peak_width_s)
    assert "20 ms is the usual width" in str(result)


@pytest.mark.parametrize("resolution_s", [0.0002, 0.004, 0.007, 0.020, 0.050])
def test_binned_times_get_a_multiple_of_their_resolution(resolution_s):
    for share in (0.5, 0.0):
        binned = [np.floor(t / resolution_s) * resolution_s for t in together(0.006, share=share)]
        result = suggest_bin_width(recorded(binned, resolution_s=resolution_s))
        n_bins = result.width_s / resolution_s
        assert n_bins == pytest.approx(round(n_bins))
        assert n_bins > 0.5
        assert np.isnan(result.peak_width_s) == (share == 0.0)
        assert f"multiples of the {resolution_s * 1e3:g} ms" in result.reason


@pytest.mark.parametrize(("frame_s", "digits"), [(1 / 30, 9), (1 / 30, 3), (0.0123, 4)])
def test_times_of_frames_get_a_multiple_of_the_frame_though_no_file_says_so(frame_s, digits):
    frames = [(np.floor(t / frame_s) * frame_s + 7.1).round(digits) for t in together(0.006)]
    result = suggest_bin_width(Recording(frames))
    n_frames = result.width_s / frame_s
    assert n_frames == pytest.approx(round(n_frames), rel=1e-5)
    assert "multiples of the" in result.reason


def test_times_between_frames_or_in_fine_steps_are_not_taken_for_frames():
    frames = [np.floor(t * 30) / 30 for t in together(0.006)]
    frames[0] = np.sort(frames[0] + np.random.default_rng(0).uniform(0.0, 0.03, frames[0].size))
    for trains in (frames, [t.round(3) for t in together(0.006)], [np.arange(15) * 0.03] * 2):
        assert "multiples" not in suggest_bin_width(recorded(trains)).reason


@pytest.mark.parametrize("frame_s", [1 / 30, 1 / 31.25, 1 / 7, 0.0123])
def test_a_suggestion_is_accepted_as_it_is_printed(frame_s):
    frames = [(np.floor(t / frame_s) + 0.5) * frame_s for t in together(0.006)]
    recording = Recording(frames, epochs=[[0.0, 20_000 * frame_s]], resolution_s=frame_s)
    printed = str(suggest_bin_width(recording)).split(" ms bins")[0]
    assert recording.bin(float(printed) / 1e3).n_units == 6
    assert f"bin width: {printed} ms suggested" in str(summarise(recording))


def test_epochs_apart_in_time_are_pooled():
    trains = together(0.006)
    whole = suggest_bin_width(recorded(trains))
    parts = suggest_bin_width(Recording(trains, epochs=[[0, 10], [200, 700], [900, 1200]]))
    assert parts.counts.sum() < whole.counts.sum()
    assert parts.peak_width_s == pytest.approx(whole.peak_width_s, rel=0.1)


def test_recordings_of_retina_and_hippocampus_get_a_sensible_answer(recorded_trains):
    found = suggest_bin_width(recorded_trains("rat_hpc_linear_nelpy"))
    assert 0.040 < found.peak_width_s < 0.055
    # Retinal waves last for seconds.
    assert "still fall" in suggest_bin_width(recorded_trains("mouse_retina_p15_demas54")).reason
    assert "noise" in suggest_bin_width(recorded_trains("mouse_retina_p6_stafford477")).reason


def test_simulated_theta_cycles_waves_and_sparse_firing_get_the_same_kinds_of_answer():
    rng = np.random.default_rng(0)
    cycles = suggest_bin_width(recorded(together(0.014, n_units=12, share=0.3)))
    assert 0.040 < cycles.peak_width_s < 0.055
    slow = suggest_bin_width(recorded(together(0.065, rate_hz=1.0)))
    assert "still fall" in slow.reason
    sparse = suggest_bin_width(recorded([np.sort(rng.uniform(0, SECONDS, 60)) for _ in range(8)]))
    assert "noise" in sparse.reason
