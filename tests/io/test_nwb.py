from __future__ import annotations

import datetime
import json
import shutil
import sys
import warnings

import numpy as np
import pytest
from conftest import RECORDINGS

from microcolumn.io import read
from microcolumn.io.nwb import load
from microcolumn.recording import Recording

pynwb = pytest.importorskip("pynwb")
h5py = pytest.importorskip("h5py")

REAL = RECORDINGS / "formats" / "A8604-211122.nwb"
EPOCHS = [[0.0, 1.0], [1.5, 3.0]]
IDS = [7, 3, 12, 5]


def spike_trains():
    """Spikes on a 30 kHz grid, some on edges of 20 ms bins, and a silent unit."""
    rng = np.random.default_rng(2)
    samples = [np.unique(rng.integers(0, 90_000, 200)) for _ in range(3)]
    samples[0] = np.unique(np.concatenate((samples[0], np.arange(0, 90_000, 600))))
    return [samples[0] / 30_000, np.array([]), samples[1] / 30_000, samples[2] / 30_000]


TRAINS = spike_trains()


def empty_file():
    return pynwb.NWBFile(
        session_description="planted",
        identifier="planted",
        session_start_time=datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
    )


def with_electrodes(nwb, n_electrodes=8, *, groups=1, **columns):
    """Electrodes with ids 100, 101, ... spread evenly over groups."""
    device = nwb.create_device("probe")
    shanks = [
        nwb.create_electrode_group(f"shank{n}", "planted", "V1", device) for n in range(groups)
    ]
    for n in range(n_electrodes):
        nwb.add_electrode(location="V1", group=shanks[n * groups // n_electrodes], id=100 + n)
    for name, data in columns.items():
        nwb.add_electrode_column(name, "planted", data=data)
    return shanks


def with_units(nwb, trains=None, ids=IDS, **columns):
    """Units; ``columns`` have one entry each, those NWB knows of by their own names."""
    known = {"obs_intervals", "electrodes", "electrode_group"}
    for name in set(columns) - known:
        nwb.add_unit_column(name, "planted")
    for n, train in enumerate(TRAINS if trains is None else trains):
        entries = {name: column[n] for name, column in columns.items()}
        nwb.add_unit(spike_times=train, id=ids[n], **entries)


def written(nwb, path):
    with pynwb.NWBHDF5IO(str(path), "w") as file:
        file.write(nwb)
    return path


@pytest.fixture(autouse=True)
def quiet():
    """PyNWB warns about its own schemas while files are written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """A file with electrodes, quality, observed intervals and labelled epochs."""
    nwb = empty_file()
    with_electrodes(nwb, rel_y=np.arange(8) * 20.0, layer=["II"] * 2 + ["IV"] * 3 + ["V"] * 3)
    with_units(
        nwb,
        quality=["good", "mua", "good", "noise"],
        snr=[4.0, 2.0, 3.0, 1.0],
        electrodes=[[0], [1, 2], [3, 4], [5, 6, 7]],
        obs_intervals=[[[0.0, 3.0]]] * 4,
    )
    nwb.add_epoch(*EPOCHS[0], ["movie", "first"])
    nwb.add_epoch(*EPOCHS[1], ["dark"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return written(nwb, tmp_path_factory.mktemp("nwb") / "full.nwb")


@pytest.fixture(scope="module")
def full_zarr(full):
    zarr = pytest.importorskip("hdmf_zarr.nwb")
    path = full.with_suffix(".nwb.zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pynwb.NWBHDF5IO(str(full), "r") as source, zarr.NWBZarrIO(str(path), "w") as target:
            target.export(src_io=source, write_args={"link_data": False})
    return path


@pytest.fixture
def damaged(full, tmp_path):
    """A copy to write into, and its units."""
    path = tmp_path / "damaged.nwb"
    shutil.copy(full, path)
    with h5py.File(path, "r+") as file:
        yield path, file["units"]


def replace(group, name, data, **options):
    attributes = dict(group[name].attrs)
    del group[name]
    dataset = group.create_dataset(name, data=data, **options)
    dataset.attrs.update(attributes)


def sentence_of(path, **options):
    with pytest.raises(ValueError, match="nwb") as caught:
        read(path, **options)
    sentence = str(caught.value)
    assert str(path) in sentence
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("kind", ["full", "full_zarr"])
def test_what_pynwb_wrote_reads_back_the_same(kind, request):
    recording = read(request.getfixturevalue(kind), depth_reference="tip")
    reference = Recording(TRAINS, epochs=EPOCHS)
    assert recording.units.ids == ("7", "3", "12", "5")
    assert recording.units.depth_um.tolist() == [0.0, 30.0, 70.0, 120.0]
    assert recording.units.layer == ("II", "", "IV", "V")
    assert recording.units.quality == ("good", "mua", "good", "noise")
    assert recording.units.multiunit.tolist() == [False, True, False, False]
    assert recording.epochs.labels == ("movie, first", "dark")
    np.testing.assert_array_equal([*recording.epochs], EPOCHS)
    np.testing.assert_array_equal(recording.spike_times, reference.spike_times)
    np.testing.assert_array_equal(recording.offsets, reference.offsets)
    np.testing.assert_array_equal(recording.bin(0.02).expand(), reference.bin(0.02).expand())


def test_the_content_counts_and_not_the_extension(full, tmp_path):
    path = tmp_path / "session.csv"
    shutil.copy(full, path)
    assert read(path, depth_reference="tip").source == "NWB, session.csv"


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


def test_scalar_columns_are_kept_and_ragged_ones_are_not(full):
    columns = load(full).columns
    assert columns["snr"] == [4.0, 2.0, 3.0, 1.0]
    assert columns["electrodes.location"] == ["V1"] * 4
    assert not {"spike_times", "obs_intervals", "electrodes"} & set(columns)


def test_a_folder_of_zarr_without_its_library_names_the_library(full_zarr, monkeypatch):
    monkeypatch.setitem(sys.modules, "hdmf_zarr.nwb", None)
    monkeypatch.setitem(sys.modules, "hdmf_zarr", None)
    with pytest.raises(ImportError) as caught:
        load(full_zarr)
    assert caught.value.name.startswith("hdmf_zarr")


# ---- depths


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


def test_layers_of_the_units_table_come_before_those_of_electrodes(tmp_path):
    session = placed(
        tmp_path,
        {"cortical_layer": ["I", "II", "III", "IV"], "electrodes": [[n] for n in range(4)]},
        {"layer": list("abcdefgh")},
    )
    assert "layer" not in session.columns
    assert session.columns["electrodes.layer"] == ["a", "b", "c", "d"]


# ---- epochs


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


def test_a_file_that_states_no_time_lasts_until_its_last_spike(tmp_path):
    recording = observed(tmp_path)
    ((start, stop),) = recording.epochs
    assert start == 0
    assert stop == pytest.approx(max(train[-1] for train in TRAINS if train.size), abs=1e-6)


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
    assert "unit '5' alone was not observed for 1.4 s" in note


def test_units_without_intervals_are_named_in_a_note(tmp_path):
    recording = observed(tmp_path, [[[0.0, 2.0]], np.zeros((0, 2)), [[0.0, 2.0]], [[0.0, 2.0]]])
    assert [*recording.epochs] == [(0.0, 2.0)]
    assert recording.notes[0].startswith("1 of 4 units have no obs_intervals")


def test_units_never_observed_together_need_a_decision(tmp_path):
    apart = [[[0.0, 1.0]], [[1.0, 2.0]], [[0.0, 3.0]], [[0.0, 3.0]]]
    with pytest.raises(ValueError, match="at no moment were all 4 units observed"):
        observed(tmp_path, apart)
    recording = observed(tmp_path, apart, ignore_obs_intervals=True)
    assert recording.duration_s > 2.9


def test_epochs_keep_their_labels_within_the_observed_time(tmp_path):
    recording = observed(
        tmp_path,
        [[[0.5, 2.5]]] * 4,
        epochs=[(2.0, 3.0, "dark"), (0.0, 1.0, "movie", "a")],
    )
    assert [*recording.epochs] == [(0.5, 1.0), (2.0, 2.5)]
    assert recording.epochs.labels == ("movie, a", "dark")
    assert len(recording.notes) == 0


def test_overlapping_epochs_are_joined_and_a_note_says_that_labels_are_lost(tmp_path):
    recording = observed(tmp_path, epochs=[(0.0, 2.0, "a"), (1.0, 3.0, "b")])
    assert [*recording.epochs] == [(0.0, 3.0)]
    assert recording.epochs.labels is None
    assert "lost their labels" in recording.notes[0]


def test_any_table_of_intervals_can_give_the_epochs(tmp_path):
    tables = {"epochs": [(0.0, 3.0, "all")], "trials": [(0.0, 0.5), (1.0, 1.5)]}
    assert [*observed(tmp_path, **tables, intervals="trials").epochs] == [(0.0, 0.5), (1.0, 1.5)]
    with pytest.raises(ValueError, match="no table of intervals 'lick'; there is epochs, trials"):
        observed(tmp_path, **tables, intervals="lick")


def test_invalid_times_are_left_out(tmp_path):
    recording = observed(tmp_path, epochs=[(0.0, 3.0, "a")], invalid=[(1.0, 1.5), (1.2, 2.0)])
    assert [*recording.epochs] == [(0.0, 1.0), (2.0, 3.0)]
    assert recording.notes == ("1 s of invalid_times are left out",)


def test_invalid_times_count_from_zero_where_nothing_else_is_stated(tmp_path):
    recording = observed(tmp_path, invalid=[(0.0, 1.0)])
    assert recording.epochs.starts[0] == 1.0
    assert recording.binning(0.02).n_outside == sum((train < 1.0).sum() for train in TRAINS)


def test_epochs_that_leave_no_time_are_refused(tmp_path):
    with pytest.raises(ValueError, match="leave no time"):
        observed(tmp_path, epochs=[(0.0, 1.0, "a")], invalid=[(0.0, 1.0)])


@pytest.mark.parametrize("stop", [np.nan, -1.0])
def test_an_impossible_epoch_is_one_sentence(tmp_path, stop):
    with pytest.raises(ValueError, match=r"table 'epochs': epoch 0 runs from 0\.0 to"):
        observed(tmp_path, epochs=[(0.0, stop, "a")])


# ---- where units are


def test_a_file_without_units_says_what_it_holds(tmp_path):
    nwb = empty_file()
    nwb.add_acquisition(pynwb.TimeSeries(name="speed", data=[1.0], unit="m/s", rate=1.0))
    sentence = sentence_of(written(nwb, tmp_path / "speed.nwb"))
    assert "no table of units; it holds TimeSeries 'speed'" in sentence


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
    assert recording.notes == ("units come from table 'sorted' of 'ecephys'",)


def test_one_of_several_tables_of_units_is_picked_by_name(tmp_path):
    path = tables_in_processing(tmp_path / "modules.nwb", "one", "two")
    assert "pass one of these names as table=" in sentence_of(path)
    assert "'two'" in read(path, table="two").notes[0]
    assert "'one', 'two'" in sentence_of(path, table="three")


# ---- damage


@pytest.mark.parametrize("share", [0.001, 0.05, 0.3, 0.6, 0.9, 0.999])
def test_a_truncated_file_is_one_sentence(full, tmp_path, share):
    path = tmp_path / "truncated.nwb"
    content = full.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    sentence_of(path, reader="nwb")


def test_a_wrong_magic_is_one_sentence(full, tmp_path):
    path = tmp_path / "magic.nwb"
    path.write_bytes(b"\x89HDD" + full.read_bytes()[4:])
    assert "cannot be read as NWB" in sentence_of(path)


def test_hdf5_that_is_no_nwb_is_one_sentence(tmp_path):
    path = tmp_path / "other.nwb"
    with h5py.File(path, "w") as file:
        file["x"] = [1.0]
    assert "not a valid NWB file" in sentence_of(path)


def test_a_folder_of_zarr_that_is_no_nwb_is_one_sentence(tmp_path):
    path = tmp_path / "other.nwb.zarr"
    path.mkdir()
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    sentence_of(path)


@pytest.mark.parametrize(
    ("spike", "time", "expected"),
    [
        (3, np.nan, "unit '7': spike 3 is at nan s"),
        (3, 1e-9, "unit '7': spike 3 .* comes after spike 2"),
        (0, -2.0, "unit '7': spike 0 is at -2 s"),
    ],
)
def test_wrong_times_name_unit_and_spike(damaged, spike, time, expected):
    path, units = damaged
    units["spike_times"][spike] = time
    units.file.close()
    with pytest.raises(ValueError, match=expected):
        read(path, depth_reference="tip")


def test_milliseconds_among_seconds_are_found(damaged):
    path, units = damaged
    first, _, third, _ = units["spike_times_index"][:]
    units["spike_times"][first:third] = TRAINS[2] * 1000
    units.file.close()
    assert "unit '12'" in sentence_of(path, depth_reference="tip")


def test_repeated_ids_are_named(damaged):
    path, units = damaged
    units["id"][:] = [7, 3, 7, 5]
    units.file.close()
    assert "ids[0] and ids[2] are both '7'" in sentence_of(path, depth_reference="tip")


def test_a_table_of_no_units_is_one_sentence(tmp_path):
    nwb = empty_file()
    nwb.units = pynwb.misc.Units(name="units", description="planted")
    sentence_of(written(nwb, tmp_path / "none.nwb"))


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ([10, 5, 20, 30], "row 1 of 'spike_times' runs from entry 10 to 5"),
        ([10, 20, 30, 10**9], "row 3 of 'spike_times' runs from entry 30 to 1000000000"),
        ([-3, 20, 30, 40], "row 0 of 'spike_times' runs from entry 0 to -3"),
        ([1.5, 2.0, 3.0, 4.0], "one whole number per row"),
        ([10, 20], "Columns must be the same length"),
    ],
)
def test_an_index_outside_the_data_is_one_sentence(damaged, index, expected):
    path, units = damaged
    replace(units, "spike_times_index", np.array(index))
    units.file.close()
    assert expected in sentence_of(path, depth_reference="tip")


def test_spikes_behind_the_last_unit_are_noted(damaged):
    path, units = damaged
    ends = units["spike_times_index"][:]
    units["spike_times_index"][3] = ends[3] - 4
    units.file.close()
    recording = read(path, depth_reference="tip")
    assert recording.n_spikes == ends[3] - 4
    assert recording.notes[0].startswith("4 spike times behind those of the last unit")


def test_electrodes_outside_their_table_are_one_sentence(damaged):
    path, units = damaged
    units["electrodes"][2] = 8
    units.file.close()
    assert "row 1 of column 'electrodes' points outside the 8 rows" in sentence_of(path)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["spike_times"], "'spike_times' claims 10,000,000,000 bytes in a file of"),
        (["snr"], "Columns must be the same length"),
        (["id"], "does not follow the NWB schema"),
        (
            [
                "id",
                "spike_times_index",
                "snr",
                "quality",
                "electrodes_index",
                "obs_intervals_index",
            ],
            "'id' claims 10,000,000,000 bytes in a file of",
        ),
    ],
)
def test_a_claim_of_ten_gigabytes_is_refused(damaged, names, expected):
    path, units = damaged
    for name in names:
        replace(
            units, name, None, shape=(10**10 // 8,), dtype="i8", chunks=(1 << 20,), compression=4
        )
    units.file.close()
    assert expected in sentence_of(path, depth_reference="tip")


def test_a_claim_of_ten_gigabytes_in_zarr_is_refused(full_zarr, tmp_path):
    path = tmp_path / "claim.nwb.zarr"
    shutil.copytree(full_zarr, path)
    (path / ".zmetadata").unlink(missing_ok=True)
    array = path / "units" / "spike_times" / ".zarray"
    n_spikes = sum(train.size for train in TRAINS)
    array.write_text(array.read_text().replace(f"{n_spikes}\n", "1250000000\n"))
    assert "claims 10,000,000,000 bytes" in sentence_of(path)


@pytest.mark.parametrize("compressed", [True, False])
def test_a_chunk_that_claims_billions_of_texts_is_refused(full_zarr, tmp_path, compressed):
    from numcodecs import get_codec

    path = tmp_path / "texts.nwb.zarr"
    shutil.copytree(full_zarr, path)
    (path / ".zmetadata").unlink(missing_ok=True)
    header, chunk = path / "units" / "quality" / ".zarray", path / "units" / "quality" / "0"
    array = json.loads(header.read_text())
    codec = get_codec(array["compressor"])
    content = (2**32 - 1).to_bytes(4, "little") + bytes(codec.decode(chunk.read_bytes()))[4:]
    if not compressed:
        header.write_text(json.dumps({**array, "compressor": None}))
    chunk.write_bytes(codec.encode(content) if compressed else content)
    sentence = sentence_of(path, depth_reference="tip")
    assert "quality/0 claims 4,294,967,295 texts where 4 fit" in sentence


def test_units_without_spike_times_are_one_sentence(tmp_path):
    nwb = empty_file()
    nwb.add_unit_column("snr", "planted")
    nwb.add_unit(snr=1.0)
    assert "no spike_times (columns: snr)" in sentence_of(written(nwb, tmp_path / "snr.nwb"))
