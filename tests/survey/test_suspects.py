"""Suspect units planted among clean ones."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from microcolumn.recording import Recording
from microcolumn.simulate import microcolumn
from microcolumn.survey import suspect_units
from microcolumn.survey._suspects import suspicions
from microcolumn.units import Units

SECONDS = 100.0


def clean(n_units, rate_hz=5.0, seed=0):
    """Trains of independent units that are silent for 3 ms after each spike."""
    rng = np.random.default_rng(seed)
    n = int(rate_hz * SECONDS)
    return [
        0.003 * np.arange(1, n + 1) + np.sort(rng.uniform(0.0, SECONDS - 0.003 * n, n))
        for _ in range(n_units)
    ]


def suspects(trains, units=None, epochs=((0.0, SECONDS + 1.0),), **options):
    recording_options = {key: options.pop(key) for key in ("resolution_s",) if key in options}
    return suspect_units(Recording(trains, units, epochs, **recording_options), **options)


def test_clean_units_are_not_named():
    assert suspects(clean(8)) == ()


def test_units_silent_within_the_epochs_are_named():
    found = suspects([*clean(2), [], [150.0]])
    assert [(s.ids, s.kind) for s in found] == [(("2",), "silent"), (("3",), "silent")]
    assert found[0].sentence == "unit '2' is silent"


def test_a_single_unit_with_short_intervals_is_named_and_a_multiunit_is_not():
    first, second = clean(2)
    mixed = np.sort(np.concatenate((first, first[::10] + 0.001)))
    units = Units(["mixed", "other", "many"], multiunit=[False, False, True])
    (found,) = suspects([mixed, second, np.sort(mixed + 0.1)], units)
    assert (found.ids, found.kind) == (("mixed",), "refractory")
    n_short = np.count_nonzero(np.diff(mixed) < 0.0015)
    assert found.value == n_short / (mixed.size - 1)
    assert f"({n_short} of {mixed.size - 1})" in found.sentence


def test_short_intervals_that_may_be_luck_are_not_named():
    """The tail is counted out here: the chance of n or more among 83, each with 0.01."""
    regular = np.arange(1.0, 85.0)
    for n_short in range(1, 7):
        train = np.sort(np.append(regular[: 84 - n_short], regular[:n_short] + 0.001))
        below = sum(comb(83, k) * 0.01**k * 0.99 ** (83 - k) for k in range(n_short))
        named = ["refractory"] if 1.0 - below < 0.01 else []
        assert [s.kind for s in suspects([train])] == named
    assert named == ["refractory"]


def test_an_interval_of_exactly_the_refractory_time_is_allowed():
    train = np.cumsum(np.full(1000, 0.0015)) + 50.0
    options = {"max_rate_hz": 1000.0}
    assert suspects([train], **options) == ()
    (found,) = suspects([train], refractory_s=0.00151, **options)
    assert found.value == 1.0


def test_intervals_do_not_reach_across_epochs_or_outside_them():
    train = np.array([1.0, 1.9995, 2.0005, 3.0, 8.0, 8.0001])
    epochs = ((0.0, 2.0), (2.0, 5.0))
    assert suspects([train], epochs=epochs) == ()
    options = {"max_violations": 0.001}  # one of three is then no luck
    assert suspects([train], epochs=epochs, **options) == ()
    found = suspects([train], epochs=((0.0, 5.0),), **options)
    assert [s.kind for s in found] == ["refractory"]


def test_rates_above_the_limit_are_named_in_hz():
    (found,) = suspects([*clean(1), *clean(1, 120.0, seed=1)])
    assert (found.ids, found.kind) == (("1",), "rate")
    assert found.value == pytest.approx(120.0, rel=0.02)
    assert suspects(clean(1, 120.0), max_rate_hz=130.0) == ()


def test_a_cell_sorted_twice_is_named_with_the_smaller_unit_first():
    first, second = clean(2)
    part = first[::2] + 0.0003
    found = suspects([first, second, part])
    assert [(s.ids, s.kind) for s in found] == [(("2", "0"), "duplicate")]
    assert found[0].value == pytest.approx(1.0, abs=0.01)
    assert suspects([first, second, first[::2] + 0.0007]) == ()


def test_half_of_the_spikes_in_common_is_the_limit():
    first, second, third = clean(3)
    for share, expected in ((0.45, ()), (0.6, ("duplicate",))):
        n = int(share * first.size)
        partly = np.sort(np.concatenate((first[:n], second[second > first[n]])))
        assert tuple(s.kind for s in suspects([first, partly, third])) == expected


def test_high_rates_and_common_drive_do_not_look_like_duplicates():
    rng = np.random.default_rng(5)
    fast = [np.sort(rng.uniform(0.0, 10.0, 9000)) for _ in range(3)]
    share = np.mean([np.abs(fast[1] - t).min() <= 0.0005 for t in fast[0][:500]])
    assert share > 0.5  # By chance alone.
    bursts = rng.uniform(0.0, SECONDS, 300)
    driven = [np.sort(bursts + rng.uniform(0.0, 0.02, 300)) for _ in range(3)]
    for trains in (fast, driven):
        found = suspects(trains, max_rate_hz=1e4, max_violations=1.0)
        assert found == ()


def test_a_few_coincidences_of_rare_units_are_luck():
    assert suspects([np.arange(1.0, 10.0), np.arange(1.0, 10.0)]) == ()
    assert len(suspects([np.arange(1.0, 11.0), np.arange(1.0, 11.0)])) == 1


def test_times_from_bins_say_nothing_about_intervals_and_duplicates():
    binned = np.repeat(np.arange(0.0, 50.0, 0.02), 2)
    assert suspects([binned, binned], resolution_s=0.02, max_rate_hz=500.0) == ()
    assert {s.kind for s in suspects([binned, binned])} == {"refractory", "duplicate"}


@pytest.mark.parametrize("trains", [[[]], [[1.0]], [[], []], [[1.0], [1.0]]])
def test_hardly_any_spikes_are_silent_at_most(trains):
    kinds = [s.kind for s in suspects(trains)]
    assert kinds == ["silent"] * sum(not train for train in trains)


def test_limits_must_be_positive():
    with pytest.raises(ValueError, match=r"duplicate_share is 0; it must be positive"):
        suspects(clean(1), duplicate_share=0)
    with pytest.raises(TypeError, match="max_rate_hz is 'fast'; it must be positive"):
        suspects(clean(1), max_rate_hz="fast")


def test_few_units_of_published_recordings_are_suspect(recorded_trains):
    for name in ("rat_hpc_linear_nelpy", "mouse_retina_p15_demas54"):
        recording = recorded_trains(name)
        assert len(suspect_units(recording)) <= 0.05 * recording.n_units


@pytest.mark.parametrize("seed", [0, 1])
def test_few_units_of_simulated_recordings_are_suspect(seed):
    recording = microcolumn(n_units=40, minutes=5, seed=seed)
    assert len(suspect_units(recording)) <= 0.05 * recording.n_units


def test_suspects_are_told_once_for_each_kind():
    found = suspect_units(Recording([[], [], np.arange(1.0, 20.0), []]))
    [told] = suspicions(found)
    assert told == "unit '0' is silent (and 2 more like this: '1', '3')"
    assert suspicions(found, most=3) == [suspect.sentence for suspect in found]
    assert suspicions(()) == []
