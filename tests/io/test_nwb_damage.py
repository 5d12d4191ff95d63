import json
import shutil

import numpy as np
import pytest
from planted_nwb import TRAINS
from refusals import assert_refused

from microcolumn.io import read

h5py = pytest.importorskip("h5py")

# PyNWB warns about its own schemas while files are written
pytestmark = pytest.mark.filterwarnings("ignore")


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


@pytest.mark.parametrize("name", ["spike_times", "electrodes"])
def test_an_index_without_its_column_is_one_sentence(damaged, name):
    path, units = damaged
    del units[name]
    units.file.close()
    sentence = assert_refused(path, depth_reference="tip")
    assert "it cannot be read as NWB" in sentence


@pytest.mark.parametrize(
    ("spike", "time", "note"),
    [
        (3, 1e-9, "spike times out of order were sorted (units: 1)"),
        (0, -2.0, "spikes before 0 that lie outside the epochs: 1"),
    ],
)
def test_published_times_out_of_order_or_before_the_epochs_are_noted(damaged, spike, time, note):
    path, units = damaged
    units["spike_times"][spike] = time
    units.file.close()
    assert note in read(path, depth_reference="tip").notes


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ([10, 5, 20, 30], "row 1 of 'spike_times' runs from 10 to 5"),
        ([10, 20, 30, 10**9], "row 3 of 'spike_times' runs from 30 to 1000000000"),
        ([-3, 20, 30, 40], "row 0 of 'spike_times' runs from 0 to -3"),
        ([1.5, 2.0, 3.0, 4.0], "one whole number per row"),
        ([10, 20], "Columns must be the same length"),
    ],
)
def test_an_index_outside_the_data_is_one_sentence(damaged, index, expected):
    path, units = damaged
    replace(units, "spike_times_index", np.array(index))
    units.file.close()
    assert expected in assert_refused(path, depth_reference="tip")


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
    assert expected in assert_refused(path, depth_reference="tip")


def test_spike_times_lost_from_a_folder_of_zarr_are_not_taken_for_zeros(full_zarr, tmp_path):
    path = tmp_path / "lost.nwb.zarr"
    shutil.copytree(full_zarr, path)
    (path / "units" / "spike_times" / "0").unlink()
    sentence = assert_refused(path, depth_reference="tip")
    assert "1 chunks of its spike_times are not there; it is damaged" in sentence


def test_a_claim_of_ten_gigabytes_in_zarr_is_refused(full_zarr, tmp_path):
    path = tmp_path / "claim.nwb.zarr"
    shutil.copytree(full_zarr, path)
    (path / ".zmetadata").unlink(missing_ok=True)
    array = path / "units" / "spike_times" / ".zarray"
    n_spikes = sum(train.size for train in TRAINS)
    array.write_text(array.read_text().replace(f"{n_spikes}\n", "1250000000\n"))
    assert "claims 10,000,000,000 bytes" in assert_refused(path)


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
    sentence = assert_refused(path, depth_reference="tip")
    assert "takes more memory than a file of this size should need" in sentence


def test_electrodes_outside_their_table_are_one_sentence(damaged):
    path, units = damaged
    units["electrodes"][2] = 8
    units.file.close()
    assert "row 1 of 'electrodes' points outside its 8 rows" in assert_refused(path)
