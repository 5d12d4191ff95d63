import sys

import numpy as np
import pytest
from conftest import RECORDINGS
from planted_nwb import EPOCHS, TRAINS, empty_file, with_electrodes, with_units, written
from refusals import assert_refused

from microcolumn.io import read
from microcolumn.io.nwb import load
from microcolumn.recording import Recording

pynwb = pytest.importorskip("pynwb")

REAL = RECORDINGS / "formats" / "A8604-211122.nwb"

# PyNWB warns about its own schemas while files are written
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("kind", ["full", "full_zarr"])
def test_what_pynwb_wrote_reads_back_the_same(kind, request):
    path = request.getfixturevalue(kind)
    recording = read(path, depth_reference="tip", quality=("good", "mua", "noise"))
    reference = Recording(TRAINS, epochs=EPOCHS)
    assert recording.units.ids == ("7", "3", "12", "5")
    assert recording.units.depth_um.tolist() == [0.0, 30.0, 70.0, 120.0]
    assert recording.units.layer == ("II", "", "IV", "V")
    assert recording.units.quality == ("good", "mua", "good", "noise")
    assert recording.units.multiunit.tolist() == [False, True, False, False]
    assert recording.epochs.labels == ("movie, first", "dark")
    check_epochs(recording, EPOCHS)
    np.testing.assert_array_equal(recording.spike_times, reference.spike_times)
    np.testing.assert_array_equal(recording.offsets, reference.offsets)
    np.testing.assert_array_equal(recording.bin(0.02).expand(), reference.bin(0.02).expand())


def test_the_real_file_has_the_spikes_that_pynwb_finds():
    if not REAL.exists():
        pytest.skip("the recording is not beside the repository")
    recording = read(REAL)
    with pynwb.NWBHDF5IO(str(REAL), "r", load_namespaces=True) as file:
        units = file.read().units
        trains = [units["spike_times"][n] for n in range(len(units))]
        ids = [str(name) for name in units.id[:]]
    assert list(recording.units.ids) == ids
    for mine, theirs in zip(recording.trains, trains, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert recording.epochs.labels == ("wake",)


def test_a_folder_of_zarr_without_its_library_names_the_library(full_zarr, monkeypatch):
    monkeypatch.setitem(sys.modules, "hdmf_zarr.nwb", None)
    monkeypatch.setitem(sys.modules, "hdmf_zarr", None)
    with pytest.raises(ImportError) as caught:
        load(full_zarr)
    assert caught.value.name.startswith("hdmf_zarr")


def placed(tmp_path, unit_columns, electrode_columns, **options):
    nwb = empty_file()
    shanks = with_electrodes(nwb, **electrode_columns)
    if unit_columns.get("electrode_group") == "shanks":
        unit_columns = {**unit_columns, "electrode_group": [shanks[n // 2] for n in range(4)]}
    with_units(nwb, **unit_columns)
    return load(written(nwb, tmp_path / "placed.nwb"), **options)


def test_a_depth_of_the_units_table_comes_before_that_of_electrodes(tmp_path):
    session = placed(
        tmp_path,
        {"depth": [10.0, 20.0, 30.0, 40.0], "electrodes": [[n] for n in range(4)]},
        {"rel_y": np.arange(8) * 25.0},
    )
    assert session.depth_column == "depth"
    assert session.columns["electrodes.rel_y"] == [0.0, 25.0, 50.0, 75.0]


@pytest.mark.parametrize("nothing", [0.0, np.nan])
def test_depths_that_say_nothing_give_way_to_electrodes(tmp_path, nothing):
    session = placed(
        tmp_path,
        {"depth": [nothing] * 4, "electrodes": [[n] for n in range(4)]},
        {"rel_y": np.arange(8) * 25.0},
    )
    assert session.depth_column == "electrodes.rel_y"


def test_the_peak_channel_is_the_electrode_of_that_id(tmp_path):
    session = placed(
        tmp_path,
        {"peak_channel_id": [107, 100, 103, 999]},
        {"probe_vertical_position": np.arange(8) * 40.0},
    )
    assert session.depth_column == "electrodes.probe_vertical_position"
    depths = session.columns["electrodes.probe_vertical_position"]
    np.testing.assert_array_equal(depths, [280.0, 0.0, 120.0, np.nan])
    assert "by column 'peak_channel_id'" in session.notes[0]
    assert "1 units have none there" in session.notes[0]


def test_electrodes_too_far_apart_place_no_unit(tmp_path):
    session = placed(
        tmp_path,
        {"electrodes": [[0, 1, 2], [0, 7], list(range(8)), [6, 7]]},
        {"rel_y": np.arange(8) * 50.0},
    )
    depths = session.columns["electrodes.rel_y"]
    np.testing.assert_array_equal(depths, [50.0, np.nan, np.nan, 325.0])
    assert "2 units" in session.notes[0]


def test_an_electrode_group_at_one_position_places_its_units(tmp_path):
    session = placed(
        tmp_path,
        {"electrode_group": "shanks"},
        {"groups": 2, "depth": [300.0] * 4 + [900.0] * 4, "layer": ["II"] * 4 + ["IV", "V"] * 2},
    )
    assert session.depth_column == "electrodes.depth"
    assert session.columns["electrodes.depth"] == [300.0, 300.0, 900.0, 900.0]
    assert session.columns["layer"] == ["II", "II", "", ""]
    assert session.columns["probe"] == ["probe"] * 4  # shanks that share a device


def observed(tmp_path, obs_intervals=None, epochs=(), trials=(), invalid=(), **options):
    nwb = empty_file()
    with_units(nwb, **({} if obs_intervals is None else {"obs_intervals": obs_intervals}))
    for start, stop, *tags in epochs:
        nwb.add_epoch(start, stop, tags)
    for start, stop in trials:
        nwb.add_trial(start, stop)
    for start, stop in invalid:
        nwb.add_invalid_time_interval(start, stop)
    return read(written(nwb, tmp_path / "observed.nwb"), **options)


def check_epochs(recording, expected):
    """Stops may lie a nanosecond later, since NWB's intervals include their ends."""
    np.testing.assert_allclose([*recording.epochs], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("stated", ["obs_intervals", "epochs"])
def test_the_last_spike_lies_in_the_interval_that_ends_with_it(stated, tmp_path):
    last = max(train[-1] for train in TRAINS if train.size)
    rows = {"obs_intervals": [[[0.0, last]]] * 4, "epochs": [(0.0, last, "all")]}
    recording = observed(tmp_path, **{stated: rows[stated]})
    assert recording.binning(0.02).n_outside == 0


def test_epochs_are_the_time_in_which_every_unit_was_observed(tmp_path):
    rows = [[[2, 28]], [[0, 12], [14, 30]], [[3, 20]], [[1, 5], [6, 18]]]
    recording = observed(tmp_path, [np.array(row) / 10 for row in rows])
    tenths = np.zeros(30, dtype=int)
    for row in rows:
        for start, stop in row:
            tenths[start:stop] += 1
    middles = np.arange(30) / 10 + 0.05
    inside = recording.epochs.locate(middles) >= 0
    np.testing.assert_array_equal(inside, tenths == 4)
    (note,) = recording.notes
    assert f"{(tenths > 0).sum() / 10 - (tenths == 4).sum() / 10:.6g} of 3 s" in note
    assert "unit '5' was not observed for 1.4 s" in note


def test_units_never_observed_together_need_a_decision(tmp_path):
    apart = [[[0.0, 1.0]], [[1.0, 2.0]], [[0.0, 3.0]], [[0.0, 3.0]]]
    with pytest.raises(ValueError, match="no time is left by its epochs, obs_intervals"):
        observed(tmp_path, apart)
    recording = observed(tmp_path, apart, ignore_obs_intervals=True)
    assert recording.duration_s > 2.9


def test_epochs_keep_their_labels_within_the_observed_time(tmp_path):
    recording = observed(
        tmp_path, [[[0.5, 2.5]]] * 4, epochs=[(2.0, 3.0, "dark"), (0.0, 1.0, "movie", "a")]
    )
    check_epochs(recording, [(0.5, 1.0), (2.0, 2.5)])
    assert recording.epochs.labels == ("movie, a", "dark")
    assert len(recording.notes) == 0


def test_invalid_times_are_left_out(tmp_path):
    recording = observed(tmp_path, epochs=[(0.0, 3.0, "a")], invalid=[(1.0, 1.5), (1.2, 2.0)])
    check_epochs(recording, [(0.0, 1.0), (2.0, 3.0)])
    assert recording.notes == ("1 s of invalid_times are left out",)


def test_invalid_times_count_from_zero_where_nothing_else_is_stated(tmp_path):
    recording = observed(tmp_path, invalid=[(0.0, 1.0)])
    assert recording.epochs.starts[0] == 1.0
    assert recording.binning(0.02).n_outside == sum((train < 1.0).sum() for train in TRAINS)


def tables_in_processing(path, *names):
    nwb = empty_file()
    module = nwb.create_processing_module("ecephys", "planted")
    for name in names:
        units = pynwb.misc.Units(name=name, description="planted")
        for train in TRAINS:
            units.add_unit(spike_times=train)
        module.add(units)
    return written(nwb, path)


def test_units_of_a_processing_module_are_used_with_a_note(tmp_path):
    recording = read(tables_in_processing(tmp_path / "module.nwb", "sorted"))
    np.testing.assert_array_equal(recording.trains[2], TRAINS[2])
    assert recording.notes[0] == "units come from table 'sorted' of 'ecephys'"


def test_one_of_several_tables_of_units_is_picked_by_name(tmp_path):
    path = tables_in_processing(tmp_path / "modules.nwb", "one", "two")
    assert "pass one of them as table=" in assert_refused(path)
    assert "'two'" in read(path, table="two").notes[0]
    assert "'one', 'two'" in assert_refused(path, table="three")


@pytest.mark.parametrize(("subject", "animal"), [("m12", "m12"), (None, "")])
def test_the_animal_is_the_subject_of_the_file(tmp_path, subject, animal):
    nwb = empty_file()
    nwb.subject = pynwb.file.Subject(subject_id=subject, species="Mus musculus", sex="U", age="P9D")
    with_units(nwb)
    assert read(written(nwb, tmp_path / "a.nwb")).animal == animal
