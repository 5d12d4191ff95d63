"""A recording written in any format and read back gives the same words."""

import warnings
from functools import partial

import numpy as np
import pytest
import written

import microcolumn as mc

FILES = {
    "NWB": (written.write_nwb, "a.nwb"),
    "NWB in Zarr": (partial(written.write_nwb, zarr=True), "a.nwb.zarr"),
    "phy": (written.write_phy, "sorted"),
    "Kilosort": (partial(written.write_phy, templates=True), "sorted"),
    "MATLAB v5": (written.write_matlab_v5, "a.mat"),
    "MATLAB v7.3": (written.write_matlab_v73, "a.mat"),
    "CSV": (written.write_csv, "a.csv"),
    "Parquet": (written.write_parquet, "a.parquet"),
    "Feather": (written.write_parquet, "a.feather"),
    "NPZ": (written.write_npz, "a.npz"),
    "pynapple file": (written.write_pynapple, "a.npz"),
    "SpikeInterface": (written.write_spikeinterface, "sorting"),
    "NeuroExplorer": (written.write_nex, "a.nex"),
}
OBJECTS = {
    "pynapple": (mc.Recording.from_pynapple, mc.Recording.to_pynapple),
    "Neo": (mc.Recording.from_neo, written.neo_trains),
    "SpikeInterface": (mc.Recording.from_spikeinterface, written.sorting),
}
#: Formats that hold no units without spikes, and formats that do not hold the recording's length.
NO_SILENT_UNITS = ("CSV", "Parquet", "Feather", "phy", "Kilosort")
NO_LENGTH = (*NO_SILENT_UNITS, "SpikeInterface")
#: Formats that hold no table of the units, or hold it as a pickle, which is not opened.
NO_TABLE = ("NeuroExplorer", "pynapple file")


@pytest.fixture(scope="module")
def simulated():
    """A simulated microcolumn under numbers, since some formats allow no other names."""
    column = mc.simulate.microcolumn(n_units=8, minutes=1.0, seed=3)
    units = column.units
    numbered = mc.Units(
        [str(100 + n) for n in range(len(units))],
        units.depth_um,
        units.layer,
        quality=["good", "mua"] * 4,
    )
    return mc.Recording(column.trains, numbered, column.epochs)


def expected(recording, name):
    if name not in NO_SILENT_UNITS:
        return recording
    spiking = [n for n, train in enumerate(recording.trains) if train.size]
    return recording.take(spiking)


def check_same(read, original, name):
    original = expected(original, name)
    assert read.units.ids == original.units.ids
    for train, truth in zip(read.trains, original.trains, strict=True):
        np.testing.assert_allclose(train, truth, rtol=0, atol=0.5e-9)
    for width in (0.020, 0.0067):
        n_bins = min(read.bin(width).n_bins, original.bin(width).n_bins)
        assert n_bins > 0.99 * original.bin(width).n_bins
        ours, theirs = read.bin(width).expand(), original.bin(width).expand()
        np.testing.assert_array_equal(ours[:n_bins], theirs[:n_bins])
        if name not in NO_LENGTH:
            assert len(ours) == len(theirs)
    if name not in NO_TABLE:
        assert read.units.layer == original.units.layer
        assert read.units.quality == original.units.quality
        np.testing.assert_array_equal(read.units.depth_um, original.units.depth_um)
        assert read.units.depth_reference == "surface"


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("which", ["simulated", "small"])
def test_a_file_read_back_gives_the_same_words(name, which, simulated, tmp_path):
    original = simulated if which == "simulated" else written.small_recording()
    write, filename = FILES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the writing libraries' own
        path = write(original, tmp_path / filename)
    check_same(mc.read(path, depth_reference="surface"), original, name)


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_in_memory_gives_the_same_words(name, simulated):
    convert, made = OBJECTS[name]
    for original in (simulated, written.small_recording()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = made(original)
        check_same(convert(theirs, depth_reference="surface"), original, name)
