"""Further labels of units come with the tables of files, and are chosen by name."""

import numpy as np
import pytest
from planted_nwb import pynwb

import microcolumn as mc
from microcolumn.errors import BadArgument
from microcolumn.io._columns import labels_of

COLUMNS = {
    "cell_type": ["FS", "RS", "RS", "FS"],
    "Shank": [1.0, 1.0, 2.0, 2.0],
    "amplitude": ["1.5", "2.5", "1.5", "2.5"],
    "name": ["n1", "n2", "n3", "n4"],
    "site": ["A", "A", "A", "A"],
    "comment": ["x" * 60, "y", "y", "y"],
    "quality": ["good", "mua", "good", "good"],
    "electrodes.hemisphere": ["left", "left", "right", "right"],
}


def test_short_texts_that_differ_are_kept_and_numbers_and_names_are_not():
    assert set(labels_of(COLUMNS, [])) == {"cell_type", "electrodes.hemisphere"}


def test_any_column_is_kept_that_is_asked_for_also_of_whole_numbers():
    labels = labels_of(COLUMNS, ["shank", "name", "hemisphere"])
    assert labels["shank"] == ["1", "1", "2", "2"]
    assert labels["name"] == ["n1", "n2", "n3", "n4"]
    assert labels["hemisphere"] == ["left", "left", "right", "right"]


def test_a_column_asked_for_in_other_capitals_comes_once_and_none_without_a_name():
    assert set(labels_of(COLUMNS | {"": list("aabb")}, ["Cell_Type"])) == {
        "Cell_Type",
        "electrodes.hemisphere",
    }


def test_a_column_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(BadArgument, match="cell_type") as caught:
        labels_of(COLUMNS, ["colour"])
    assert caught.value.argument == "group_by"


@pytest.fixture
def csv(tmp_path):
    rows = ["unit,time,cell_type,layer"]
    rows += [
        f"{n},{0.1 * k + 0.01 * n:.2f},{'FS' if n % 2 else 'RS'},IV"
        for k in range(20)
        for n in range(4)
    ]
    path = tmp_path / "session.csv"
    path.write_text("\n".join(rows))
    return path


def test_csv(csv):
    units = mc.read(csv, group_by="cell_type").units
    assert units.label() == ("RS", "FS", "RS", "FS")
    assert units.layer == ("IV",) * 4
    assert mc.read(csv).units.label_name == "layer"


def test_several_labels_and_layers(csv):
    units = mc.read(csv, group_by=["layer", "cell_type"]).units
    assert (units.label(), units.label("cell_type")) == (("IV",) * 4, ("RS", "FS", "RS", "FS"))


def test_a_part_of_the_units_keeps_its_labels(csv):
    recording = mc.read(csv, group_by="cell_type").select(ids=["3", "1"])
    assert recording.units.label() == ("FS", "FS")


def test_npz_round_trip(csv, tmp_path):
    recording = mc.read(csv, group_by="cell_type")
    recording.save(tmp_path / "saved.npz")
    again = mc.read(tmp_path / "saved.npz", group_by="cell_type")
    assert again.units.labels == recording.units.labels
    assert again.units.group_by == ("cell_type",)


def test_labels_of_an_archive_need_a_row_each(csv, tmp_path):
    mc.read(csv, group_by="cell_type").save(tmp_path / "saved.npz")
    arrays = dict(np.load(tmp_path / "saved.npz"))
    np.savez(tmp_path / "bad.npz", **arrays | {"labels": arrays["labels"][:, :2]})
    with pytest.raises(ValueError, match="labels has shape"):
        mc.read(tmp_path / "bad.npz")


def test_phy(tmp_path):
    np.save(tmp_path / "spike_times.npy", np.arange(40) * 300)
    np.save(tmp_path / "spike_clusters.npy", np.arange(40) % 3)
    (tmp_path / "params.py").write_text("sample_rate = 30000.0\n")
    (tmp_path / "cluster_cell_type.tsv").write_text("cluster_id\tcell_type\n0\tFS\n1\tRS\n2\tFS\n")
    (tmp_path / "cluster_info.tsv").write_text("cluster_id\tsh\n0\t0\n1\t0\n2\t1\n")
    units = mc.read(tmp_path, group_by=["cell_type", "sh"]).units
    assert (units.label(), units.label("sh")) == (("FS", "RS", "FS"), ("0", "0", "1"))


def test_nwb(tmp_path):
    from datetime import UTC, datetime

    file = pynwb.NWBFile("session", "session", datetime(2020, 1, 1, tzinfo=UTC))
    file.add_unit_column("cell_type", "putative type")
    for n in range(3):
        file.add_unit(spike_times=[0.1 * n + 0.5, 2.0], cell_type="FS" if n else "RS")
    with pynwb.NWBHDF5IO(tmp_path / "session.nwb", "w") as stream:
        stream.write(file)
    assert mc.read(tmp_path / "session.nwb", group_by="cell_type").units.label() == (
        "RS",
        "FS",
        "FS",
    )


def test_models_remember_labels(csv, tmp_path):
    words = mc.read(csv, group_by="cell_type").bin()
    model = mc.Ising(l1=0.1).fit(words)
    model.save(tmp_path / "ising.safetensors")
    units = mc.load(tmp_path / "ising.safetensors").units_
    assert (units.label(), units.label_name) == (("RS", "FS", "RS", "FS"), "cell type")
