"""What lies outside the named folder is not read, wherever a link in the folder leads to it."""

import os
import shutil
from functools import partial

import planted_alf
import planted_cellinfo
import planted_mclust
import pytest
import written

import microcolumn as mc

# SpikeInterface says so, from 0.105.3 on, where it writes a sorting that is in memory alone.
pytestmark = pytest.mark.filterwarnings("ignore:The extractor is not serializable:UserWarning")

LEAVES = "is a link that leads out of the folder; copy the file in"


def analyzer(recording, path):
    """A folder like that of an analyzer of SpikeInterface, with the sorting in a folder of it."""
    path.mkdir()
    written.write_spikeinterface(recording, path / "sorting")
    return path


def with_raw_data(recording, path):
    """A folder of Kilosort whose parameters name raw data in it."""
    written.write_phy(recording, path, templates=True)
    with (path / "params.py").open("a") as params:
        params.write("dat_path = 'raw.dat'\nn_channels_dat = 1\n")
    with (path / "raw.dat").open("wb") as raw:
        raw.truncate(2 * 30 * written.SAMPLING_RATE)
    return path


def for_neo(recording, path):
    """A folder of Kilosort whose tables Neo can read: those of whole numbers."""
    with_raw_data(recording, path)
    for table in path.glob("cluster_*"):
        table.write_text("cluster_id\tn\n10\t1\n")
    return path


#: Writers of folders and how these are read, for each reader that takes folders.
FOLDERS = {
    "phy": (written.write_phy, {}),
    "kilosort": (with_raw_data, {}),
    "spikeinterface": (written.write_spikeinterface, {}),
    "analyzer": (analyzer, {"reader": "spikeinterface"}),
    "ibl": (lambda _, path: planted_alf.write_ibl(path, ("probe00",)), {}),
    "steinmetz": (lambda _, path: planted_alf.write_steinmetz(path), {}),
    "mclust": (planted_mclust.write_mclust, {}),
    "cellinfo": (lambda _, path: planted_cellinfo.write_cellinfo(path), {}),
    "zarr": (partial(written.write_nwb, zarr=True), {}),
    "neo": (for_neo, {"reader": "neo", "io": "PhyIO"}),
}
#: Readers that open every file of a folder.
WHOLE = ("zarr", "neo")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Folders by name, each made once."""
    made = {}

    def folder(name):
        if name not in made:
            path = tmp_path_factory.mktemp("folders") / f"{name}{'.zarr' * (name == 'zarr')}"
            made[name] = FOLDERS[name][0](written.small_recording(), path)
        return made[name]

    return folder


@pytest.fixture
def copied(folders, tmp_path):
    def copy(name):
        source = folders(name)
        return shutil.copytree(source, tmp_path / source.name)

    return copy


def content(name, folder):
    """All that is read from a folder, as text."""
    read = outcome(name, folder)
    assert not read.startswith(str(folder)), read
    return read


def outcome(name, path):
    """All that is read from a folder, as text, or the sentence that refuses it."""
    try:
        recording = mc.read(path, depth_reference="unstated", **FOLDERS[name][1])
    except (ValueError, OSError) as error:
        return str(error)
    units = recording.units
    spikes = [train.tolist() for train in recording.trains]
    epochs = (list(recording.epochs), recording.epochs.labels, recording.intervals)
    return repr((units.columns, units.multiunit.tolist(), spikes, epochs, recording.notes))


def replaced(path, target):
    """Bring a file or folder to another place, with a link to it in its own."""
    shutil.move(path, target)
    path.symlink_to(target)


def members(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("name", FOLDERS)
def test_no_file_and_no_folder_outside_is_read(name, copied, tmp_path):
    folder = copied(name)
    whole = content(name, folder)
    n_refused = 0
    for member in members(folder):
        place, outside = folder / member, tmp_path / "outside"
        replaced(place, outside)
        linked = outcome(name, folder)
        assert "\n" not in linked
        place.unlink()
        if LEAVES in linked:
            n_refused += 1
        else:  # then it makes no difference whether the link is there
            assert linked == outcome(name, folder), member
        shutil.move(outside, place)
    assert outcome(name, folder) == whole
    assert n_refused == len(members(folder)) if name in WHOLE else n_refused > 0


@pytest.mark.parametrize("name", [name for name in FOLDERS if name not in WHOLE])
def test_links_to_what_is_not_opened_do_not_stop_a_reading(name, copied, tmp_path):
    folder = copied(name)
    whole = content(name, folder)
    for raw in ("temp_wh.dat", "continuous.bin", "pc_features.npy"):
        (tmp_path / raw).write_bytes(b"a secret of this machine")
        (folder / raw).symlink_to(tmp_path / raw)
    assert outcome(name, folder) == whole


@pytest.mark.parametrize("name", FOLDERS)
def test_a_link_to_the_folder_and_links_within_it_are_followed(name, copied, tmp_path):
    folder = copied(name)
    whole = content(name, folder)
    file = max(path for path in folder.rglob("*.*") if path.is_file())
    replaced(file, folder / "kept")
    link = tmp_path / f"link{folder.suffix}"
    link.symlink_to(folder)
    assert outcome(name, link) == whole


def test_no_line_of_a_file_outside_is_shown(copied, tmp_path):
    secret = tmp_path / "passwords"
    secret.write_text("root:x:0:0:a secret of this machine\n")
    for name, file in (("phy", "cluster_info.tsv"), ("analyzer", "sorting/numpysorting_info.json")):
        folder = copied(name)
        (folder / file).unlink()
        (folder / file).symlink_to(secret)
        assert outcome(name, folder) == f"{folder}: {file} {LEAVES}"


@pytest.mark.parametrize("absolute", [True, False])
def test_the_size_of_a_raw_file_outside_is_not_told(absolute, copied, tmp_path):
    folder = copied("kilosort")
    raw = tmp_path / "raw.dat"
    shutil.move(folder / "raw.dat", raw)
    unknown = outcome("kilosort", folder)
    params = folder / "params.py"
    place = raw if absolute else os.path.relpath(raw, folder)
    params.write_text(params.read_text().replace("'raw.dat'", repr(str(place))))
    assert outcome("kilosort", folder) == unknown
    assert "how long was recorded" in unknown
