import numpy as np
import pytest

from microcolumn import Recording
from microcolumn.trains import checked_trains

RNG = np.random.default_rng(0)


def poisson(rate_hz, seconds):
    return np.sort(RNG.uniform(0, seconds, RNG.poisson(rate_hz * seconds)))


def test_trains_become_double_precision_and_empty_ones_stay():
    first, second = checked_trains([[1, 2], []], None)
    assert first.dtype == second.dtype == np.float64
    assert first.tolist() == [1.0, 2.0]
    assert second.shape == (0,)


@pytest.mark.parametrize(
    ("trains", "sentence"),
    [
        (
            [[0.1, np.nan]],
            "^unit 'a': spike 1 is at nan s; leave out spikes whose time is unknown$",
        ),
        ([[0.1, np.inf]], "^unit 'a': spike 1 is at inf s; leave out"),
        ([[0.2, 0.1]], "^unit 'a': spike 1 at 0.1 s comes after spike 0 at 0.2 s; sort each"),
        (
            [[-0.1, 0.1]],
            "^unit 'a': spike 0 is at -0.1 s, before 0; state epochs that begin before",
        ),
        (
            [[[0.1], [0.2]]],
            r"^the train of unit 'a' has shape \(2, 1\); pass a list of spike times",
        ),
        (
            [np.ma.array([0.1, 0.2], mask=[False, True])],
            "^the train of unit 'a' has masked entries; fill them or drop them first$",
        ),
        ([["x"]], "^the train of unit 'a' cannot be read as real numbers .*; pass spike times in"),
        ([[1.0], [2.0]], "^there are 2 spike trains for 1 units; pass one per unit$"),
    ],
)
def test_a_bad_train_is_one_sentence_with_the_unit_and_the_spike(trains, sentence):
    with pytest.raises(ValueError, match=sentence):
        checked_trains(trains, ["a"])


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
