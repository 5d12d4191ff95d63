import numpy as np
import pytest

from microcolumn import Recording, Units
from microcolumn.epochs import Epochs

UNITS = Units(
    ["a", "b", "c"],
    depth_um=[100.0, 700.0, 1200.0],
    layer=["II/III", "IV", "V/VI"],
    quality=["good", "mua", "good"],
)


def recording():
    return Recording(
        [[0.5, 1.5, 8.5], [0.1, 0.2, 0.3, 8.0], []],
        UNITS,
        [[0.0, 1.0], [8.0, 10.0]],
        source="a test",
        notes=["made by hand"],
    )


def test_trains_come_back_as_they_went_in_and_cannot_be_changed():
    trains = recording().trains
    assert [train.tolist() for train in trains] == [[0.5, 1.5, 8.5], [0.1, 0.2, 0.3, 8.0], []]
    with pytest.raises(ValueError, match=r"read-only"):
        trains[0][0] = 7.0


def test_rates_count_the_spikes_within_epochs():
    assert recording().duration_s == 3.0
    assert recording().spike_counts.tolist() == [2, 4, 0]
    np.testing.assert_allclose(recording().rates_hz, [2 / 3, 4 / 3, 0.0])
    assert recording().n_spikes == 7
    assert repr(recording()) == "Recording(3 units, 7 spikes in 3 s, mean rate 0.7 Hz)"


def test_a_recording_whose_length_nobody_states_ends_with_its_last_spike():
    epochs = Recording([[0.5, 2.0]]).epochs
    assert list(epochs) == [(0.0, 2.0)]
    assert (epochs.locate(np.array([0.0, 2.0])) == 0).all()


def test_a_recording_on_a_clock_of_its_own_begins_with_its_first_spike():
    assert Recording([[1.7e9, 1.7e9 + 100]]).epochs.starts.tolist() == [1.7e9]
    assert Recording([[31.0, 60.0]]).epochs.starts.tolist() == [0.0]
    assert Recording([[0.0]]).rates_hz.tolist() == [0.0]


def test_taking_units_keeps_everything_else():
    taken = recording().take([1, 0])
    assert taken.units.ids == ("b", "a")
    assert taken.trains[0].tolist() == [0.1, 0.2, 0.3, 8.0]
    assert taken.source == "a test"
    assert taken.notes == ("made by hand",)
    assert list(taken.epochs) == list(recording().epochs)


@pytest.mark.parametrize(
    ("conditions", "kept"),
    [
        ({"ids": ["c", "a"]}, ("a", "c")),
        ({"layer": "IV"}, ("b",)),
        ({"layer": ["II/III", "IV"], "quality": "good"}, ("a",)),
        ({"multiunit": True}, ("b",)),
        ({"multiunit": False, "min_rate_hz": 0.1}, ("a",)),
        ({"max_rate_hz": 2 / 3}, ("a", "c")),
        ({}, ("a", "b", "c")),
    ],
)
def test_units_are_selected_by_what_is_said_of_them(conditions, kept):
    assert recording().select(**conditions).units.ids == kept


def test_restricting_drops_the_spikes_outside():
    restricted = recording().restrict([[0.15, 8.2]])
    assert list(restricted.epochs) == [(0.15, 1.0), (8.0, 8.2)]
    assert [train.tolist() for train in restricted.trains] == [[0.5], [0.2, 0.3, 8.0], []]


def named():
    tables = {
        "frames_presentations": Epochs([[0.1, 0.2], [0.2004, 0.3], [8.0, 8.2]], ["a", "b", "a"]),
        "trials": Epochs([[0.5, 0.7]]),
    }
    epochs = Epochs([[0.0, 1.0], [8.0, 9.0]], ["wake", "sleep"])
    return Recording([[0.15, 0.6, 8.1]], epochs=epochs, intervals=tables)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("sleep", {(8.0, 9.0): "sleep"}),
        ("trials", {(0.5, 0.7): "trials"}),
        ("frames", {(0.1, 0.3): "frames", (8.0, 8.2): "frames"}),  # gaps below 1 ms are closed
        ("a", {(0.1, 0.2): "a", (8.0, 8.2): "a"}),
        (["trials", "sleep"], {(0.5, 0.7): "trials", (8.0, 9.0): "sleep"}),
    ],
)
def test_a_name_restricts_to_a_label_a_table_or_a_label_in_one(names, expected):
    part = named().restrict(names)
    assert dict(zip(part.epochs, part.epochs.labels, strict=True)) == expected
    assert list(part.intervals) == ["frames_presentations", "trials"]


def test_a_recording_without_spikes_needs_its_epochs_alone():
    assert Recording([[], []], epochs=[[0, 1]]).bin().n_bins == 50


def test_times_that_come_from_bins_are_binned_by_whole_multiples_of_them():
    counted = Recording([[0.005, 0.015]], epochs=[[0, 0.06]], resolution_s=0.010)
    assert counted.bin(0.020).n_bins == 3
    assert counted.restrict([[0.02, 0.06]]).bin(0.020).n_bins == 2


def test_a_rare_unit_of_a_recording_of_days_can_be_taken_alone():
    often = np.arange(0.0, 200_000.0, 2.0)
    long = Recording([often, often + 0.5, [77.0]])
    assert long.take([2]).n_spikes == 1
