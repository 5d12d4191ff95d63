"""Sessions of CellExplorer: spikes, and what two files beside them add."""

import h5py
import numpy as np
import planted_cellinfo as planted
import pytest
from refusals import assert_refused

import microcolumn as mc


@pytest.mark.parametrize("version", ["5", "7.3"])
def test_a_session_is_read_whole(version, tmp_path):
    folder = planted.write_cellinfo(tmp_path / "rat1", version)
    recording = mc.read(folder / "rat1.spikes.cellinfo.mat")
    assert recording.units.ids == ("1", "2", "3")
    assert recording.units.quality == ("good", "mua", "")
    assert recording.units.multiunit.tolist() == [False, True, False]
    assert recording.units.area == ("VISp", "CA1", "VISp")
    assert recording.units.layer == ("V", "", "II/III")
    assert list(recording.epochs) == [(0.0, planted.SECONDS)]
    for train, times in zip(recording.trains, planted.TRAINS, strict=False):
        np.testing.assert_array_equal(train, times)
    assert mc.read(folder, epochs="sleep").duration_s == 8.0
    by_depth = mc.read(folder, layers="deepSuperficial")
    assert by_depth.units.layer == ("Unknown", "Deep", "Cortical")


def test_spikes_alone_are_enough(tmp_path):
    folder = planted.write_cellinfo(tmp_path, cell_metrics=None, session=None)
    recording = mc.read(folder)
    assert recording.units.ids == ("1", "2", "3", "4")
    assert recording.units.area == ("HPC",) * 4
    assert recording.units.quality is None
    assert recording.duration_s == 9.0


def test_what_lies_beside_the_spikes_stays_within_its_file(tmp_path):
    folder = planted.write_cellinfo(tmp_path / "a", "7.3")
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(64))
    with h5py.File(folder / "rat1.session.mat", "r+") as file:
        general = file["session/general"]
        del general["duration"]
        general.create_dataset("duration", (1, 1), "f8", external=[(str(secret), 0, 8)])
    assert_refused(folder, r"rat1.session.mat: .* has its values in another file")
