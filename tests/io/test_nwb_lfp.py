from datetime import UTC, datetime

import numpy as np
import pytest
from planted_lfp import Sink, planted_lfp
from planted_nwb import written

from microcolumn.io import LFP
from microcolumn.io.nwb.lfp import read_flashes, read_lfp
from microcolumn.survey.laminar import layers_from_flashes

pynwb = pytest.importorskip("pynwb")

EVEN = np.arange(100.0, 1700.0, 100.0)
VOLTS_PER_STEP = 2e-7


def empty_file(depths, *, n_probes=1, column="depth_um"):
    """A file with an electrodes table: ``n_probes`` probes, one after the other."""
    file = pynwb.NWBFile("flashes", "id", datetime(2020, 1, 1, tzinfo=UTC))
    device = file.create_device("probe")
    if column:
        file.add_electrode_column(column, "µm along the probe")
    for probe in range(n_probes):
        group = file.create_electrode_group(f"shank{probe}", "a shank", "V1", device)
        for depth in depths:
            more = {column: depth} if column else {}
            file.add_electrode(group=group, location="V1", **more)
    return file


def electrical_series(file, data, name="lfp", **sampling):
    region = file.create_electrode_table_region(list(range(data.shape[1])), "all contacts")
    sampling = sampling or {"rate": 1000.0, "starting_time": 2.0}
    return pynwb.ecephys.ElectricalSeries(name=name, data=data, electrodes=region, **sampling)


def add_lfp(file, series):
    module = file.create_processing_module("ecephys", "processed")
    container = pynwb.ecephys.LFP()
    module.add(container)
    container.add_electrical_series(series)


@pytest.fixture(scope="module")
def planted():
    lfp, flashes = planted_lfp([Sink(730.0, 0.040)], EVEN)
    return np.rint(lfp / (1e3 * VOLTS_PER_STEP)).astype(np.int16), flashes


@pytest.fixture(scope="module")
def session(planted, tmp_path_factory):
    """Integers with a conversion, per-channel conversions and an offset; raw data beside them."""
    steps, flashes = planted
    file = empty_file(EVEN)
    series = electrical_series(
        file,
        steps,
        rate=1000.0,
        starting_time=2.0,
        conversion=2.0 * VOLTS_PER_STEP,
        channel_conversion=np.full(EVEN.size, 0.5),
        offset=1e-3,
    )
    add_lfp(file, series)
    file.add_acquisition(electrical_series(file, steps[:100], name="raw"))
    table = pynwb.epoch.TimeIntervals(name="stimuli", description="what was shown")
    table.add_column("stimulus", "its name")
    for time in flashes:
        table.add_row(start_time=time, stop_time=time + 0.1, stimulus="flash")
        table.add_row(start_time=time + 0.2, stop_time=time + 0.3, stimulus="grey")
    file.add_time_intervals(table)
    return written(file, tmp_path_factory.mktemp("nwb") / "session.nwb")


def test_a_file_gives_the_same_map_as_its_arrays(session, planted):
    pytest.importorskip("elephant")
    steps, flashes = planted
    assert read_flashes(session, "stimuli", where={"stimulus": "flash"}).tolist() == list(flashes)
    with read_lfp(session, depth_reference="surface") as lfp:
        assert not isinstance(lfp.samples, np.ndarray)  # Still in the file.
        expected_mv = 1e3 * (steps[5:9] * VOLTS_PER_STEP + 1e-3)
        np.testing.assert_allclose(lfp.stretch(5, 9), expected_mv, rtol=1e-6)
        through_file = layers_from_flashes(lfp, flashes)
    arrays = LFP(1e3 * VOLTS_PER_STEP * steps, 1000.0, EVEN, "surface", start_s=2.0)
    plain = layers_from_flashes(arrays, flashes)
    np.testing.assert_allclose(through_file.csd, plain.csd, atol=1e-6)
    assert through_file.boundaries == plain.boundaries
    assert through_file.latency_s == plain.latency_s


def test_even_timestamps_stand_for_a_rate_and_uneven_ones_are_refused(tmp_path):
    data = np.zeros((100, 6))
    times = 5.0 + np.arange(100) / 500.0 + 1e-5 * np.sin(np.arange(100))
    file = empty_file(EVEN[:6])
    file.add_acquisition(electrical_series(file, data, name="even", timestamps=times))
    times = times + np.where(np.arange(100) < 40, 0.0, 1.0)
    file.add_acquisition(electrical_series(file, data, name="gap", timestamps=times))
    path = written(file, tmp_path / "times.nwb")
    with read_lfp(path, depth_reference="tip", series="even") as lfp:
        assert lfp.sampling_rate_hz == pytest.approx(500.0, rel=1e-3)
        assert lfp.start_s == pytest.approx(5.0, abs=1e-4)
    with pytest.raises(ValueError, match=r"'gap' are uneven, worst at 5\.07801 s"):
        read_lfp(path, depth_reference="tip", series="gap")


def test_each_shank_is_read_on_its_own(tmp_path):
    file = empty_file(EVEN[:6], n_probes=2)
    data = np.arange(120, dtype=np.float64).reshape(10, 12)
    file.add_acquisition(electrical_series(file, data))
    path = written(file, tmp_path / "shanks.nwb")
    with pytest.raises(ValueError, match=r"spans 2 groups of electrodes; .* 'shank0', 'shank1'"):
        read_lfp(path, depth_reference="tip")
    with pytest.raises(ValueError, match="has no group 'shank7'"):
        read_lfp(path, depth_reference="tip", group="shank7")
    with read_lfp(path, depth_reference="tip", group="shank1") as lfp:
        np.testing.assert_array_equal(lfp.stretch(0, 1), 1e3 * data[:1, 6:])
        np.testing.assert_array_equal(lfp.depth_um, EVEN[:6])


def test_damaged_and_missing_files_get_one_sentence(session, tmp_path):
    whole = session.read_bytes()
    damaged = tmp_path / "damaged.nwb"
    for content in (whole[: len(whole) // 2], b"not hdf5" * 100, whole[:3000]):
        damaged.write_bytes(content)
        with pytest.raises(ValueError, match=r"damaged\.nwb: it cannot be read as NWB \("):
            read_lfp(damaged, depth_reference="tip")
        with pytest.raises(ValueError, match=r"damaged\.nwb: it cannot be read as NWB \("):
            read_flashes(damaged, "stimuli")
    with pytest.raises(FileNotFoundError, match=r"absent\.nwb does not exist"):
        read_lfp(tmp_path / "absent.nwb", depth_reference="tip")


def test_a_zarr_store_is_read_as_well(planted, tmp_path):
    hdmf_zarr = pytest.importorskip("hdmf_zarr")
    file = empty_file(EVEN)
    add_lfp(file, electrical_series(file, planted[0][:500]))
    path = tmp_path / "session.nwb.zarr"
    with hdmf_zarr.NWBZarrIO(str(path), mode="w") as io:
        io.write(file)
    with read_lfp(path, depth_reference="surface") as lfp:
        np.testing.assert_allclose(lfp.stretch(10, 20), 1e3 * planted[0][10:20], rtol=1e-12)
