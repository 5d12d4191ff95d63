"""ALF folders as the two archives write them, read whole without an option."""

import os
import shutil
import sys

import numpy as np
import planted_alf as planted
import pytest

import microcolumn as mc
from microcolumn.io import alf


@pytest.fixture(scope="module")
def ibl(tmp_path_factory):
    return planted.write_ibl(tmp_path_factory.mktemp("ibl") / "KS022" / "2019-12-10" / "001")


@pytest.fixture
def probe(tmp_path):
    """One sorting without Parquet, which costs a process."""
    return planted.write_ibl_probe(tmp_path / "alf" / "probe00", metrics=False)


def test_an_ibl_session_is_read_whole(ibl):
    recording = mc.read(ibl, probe="probe00")
    units = recording.units
    kept = {n: quality for n, (*_, quality) in planted.METRICS.items() if quality != "noise"}
    assert units.ids == tuple(f"probe00 {n}" for n in kept)
    assert units.quality == tuple(kept.values())
    assert units.multiunit.tolist() == [word == "mua" for word in kept.values()]
    assert units.depth_um.tolist() == [40.0 * n + 5 for n in kept]
    assert units.depth_reference == "tip"
    assert units.layer == ("", "", "VI", "IV", "II/III", "I")
    assert units.area == ("", "CA1", "VISp", "VISp", "VISp", "VISp")
    assert set(units.probe) == {"probe00"}
    times, which = planted.spikes(list(planted.METRICS))
    for n, train in zip(kept, recording.trains, strict=True):
        np.testing.assert_array_equal(train, times[which == n])


def test_intervals_of_a_session_are_offered_by_name(ibl):
    recording = mc.read(ibl / "alf" / "probe00", epochs="trials")
    assert list(recording.epochs) == [(1.0, 4.0), (4.5, 9.0)]
    assert list(mc.read(ibl, epochs="spontaneousActivity").epochs) == [(31.0, 44.0)]
    known = {"RFM", "passiveProtocol", "spontaneousActivity", "trials", "wheelMoves"}
    assert recording.intervals.keys() == known
    assert "intervals 'trials' without a start or stop: 1" in recording.notes


def test_units_of_all_probes_have_distinct_names(ibl):
    recording = mc.read(ibl)
    assert recording.n_units == 12
    for name, probe in zip(recording.units.ids, recording.units.probe, strict=True):
        assert name.startswith(f"{probe} ")
    with pytest.raises(ValueError, match=r"no unit of probe 'imec0'; probes here: 'probe00', "):
        mc.read(ibl, probe="imec0")


@pytest.mark.parametrize("inside", ["alf/probe01", "alf/probe01/pykilosort"])
def test_a_folder_inside_the_session_may_be_named(inside, ibl):
    assert mc.read(ibl / inside).units.ids == ("0", "1", "2", "5", "6", "7")
    assert set(mc.read(ibl / inside).units.probe) == {"probe01"}


def test_intervals_that_cannot_be_read_do_not_refuse_the_spikes(probe):
    planted.save(probe.parent, trials__intervals=np.zeros(4))
    notes = mc.read(probe).notes
    assert any("intervals of trials are not known: trials.intervals.npy has" in n for n in notes)


def test_a_session_of_steinmetz_is_read_whole(tmp_path):
    path = planted.write_steinmetz(tmp_path / "Cori_2016-12-14")
    recording = mc.read(path)
    assert recording.units.ids == ("0", "1", "3", "4", "5")
    assert recording.units.quality == ("good", "mua", "unsorted", "", "good")
    assert recording.units.multiunit.tolist() == [False, True, False, False, False]
    assert recording.units.depth_um.tolist() == [3820.0, 1200.0, 2500.0, 40.0, 100.0]
    assert recording.units.depth_reference == "tip"
    assert recording.units.probe == ("0", "0", "1", "1", "1")
    assert recording.units.area == ("VISp", "CA1", "MOs", "root", "")
    assert recording.units.layer is None
    assert mc.read(path, probe="1").units.ids == ("3", "4", "5")
    assert list(mc.read(path, epochs="spontaneous").epochs) == [(40.0, 55.0)]
    assert mc.read(path, epochs="trials").duration_s == 4.0


def test_of_each_file_the_newest_revision_is_read(probe):
    later = np.arange(8) * 10.0
    planted.save(probe / "#2024-05-06#", clusters__depths=later, clusters__amps=later)
    planted.save(probe / "#2025-05-06#", clusters__depths=later + 1)
    recording = mc.read(probe)
    assert recording.units.depth_um[:2].tolist() == [1.0, 11.0]
    assert "files read in revision 2025-05-06: 1" in recording.notes
    older = mc.read(probe / "#2024-05-06#")  # and what it does not have, from before
    assert older.units.depth_um[:2].tolist() == [0.0, 10.0]


def test_a_download_may_hold_the_newest_revision_alone(probe):
    (probe / "#2025-05-06#").mkdir()
    for path in list(probe.glob("*.*")):
        path.rename(probe / "#2025-05-06#" / path.name)
    for named in (probe.parents[1], probe, probe / "#2025-05-06#"):
        assert set(mc.read(named).units.probe) == {"probe00"}


def test_folders_above_the_session_may_have_any_name(tmp_path):
    above = tmp_path / "probe1" / "alf" / "session"
    for name in ("probe00", "probe01"):
        planted.write_ibl_probe(above / "alf" / name, metrics=False)
    assert set(mc.read(above).units.probe) == {"probe00", "probe01"}
    planted.write_steinmetz(above.parent / "Cori")
    assert mc.read(above.parent / "Cori", epochs="spontaneous").units.probe[0] == "0"


def test_the_sorter_of_the_archive_is_preferred(probe):
    shutil.copytree(probe, probe / "iblsorter")
    np.save(probe / "clusters.depths.npy", np.zeros(8))
    recording = mc.read(probe.parent)
    assert recording.units.depth_um[0] == 5.0
    assert "probe00/iblsorter is read; name the folder to read probe00" in recording.notes


def test_names_may_carry_a_namespace_and_the_identifier_of_the_file(probe):
    uuid = "167e2841-8e3c-4cf0-92af-b46c3b540ff4"
    for path in list(probe.glob("*.npy")):
        path.rename(path.with_name(f"_ks2_{path.stem}.{uuid}.npy"))
    assert mc.read(probe).units.layer[-2:] == ("II/III", "I")


def test_places_of_clusters_serve_where_channels_have_none(probe):
    (probe / "channels.brainLocationIds_ccf_2017.npy").unlink()
    planted.save(probe, clusters__brainLocationIds_ccf_2017=np.full(8, 721))
    assert set(mc.read(probe).units.layer) == {"IV"}
    acronyms = np.array(["VISam2/3"] * 8)
    planted.save(probe, clusters__brainLocationAcronyms_ccf_2017=acronyms)
    assert set(mc.read(probe).units.area) == {"VISam"}
    planted.save(probe, clusters__brainLocationAcronyms_ccf_2017=acronyms.astype(object))
    recording = mc.read(probe)
    assert set(recording.units.area) == {"VISp"}
    assert any("Acronyms_ccf_2017.npy is not read" in note for note in recording.notes)


def test_channels_tell_depths_that_clusters_do_not(probe):
    (probe / "clusters.depths.npy").unlink()
    assert mc.read(probe).units.depth_um[:3].tolist() == [0.0, 40.0, 80.0]


def test_without_pyarrow_quality_is_unknown_and_the_note_says_how_to_get_it(probe, monkeypatch):
    def no_pyarrow(*_):
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        return alf.folders._parquet(probe / "clusters.metrics.pqt")

    monkeypatch.setattr(alf.folders, "load_sandboxed", no_pyarrow)
    (probe / "clusters.metrics.pqt").write_bytes(b"PAR1")
    recording = mc.read(probe)
    assert recording.units.quality is None
    assert any("pip install 'microcolumn[alf]'" in note for note in recording.notes)


def test_metrics_may_be_a_text_table(probe):
    rows = [[n, *metric[:2]] for n, metric in planted.METRICS.items()]
    planted.write_rows(probe / "clusters.metrics.csv", ["cluster_id", "label", "ks2_label"], *rows)
    qualities = [quality for *_, quality in planted.METRICS.values()]
    assert mc.read(probe, quality=set(qualities)).units.quality == tuple(qualities)


def test_links_out_of_the_folder_are_refused(probe, tmp_path):
    secret = tmp_path / "secret.npy"
    shutil.move(probe / "spikes.times.npy", secret)
    (probe / "spikes.times.npy").symlink_to(secret)
    with pytest.raises(ValueError, match=r"spikes.times.npy is a link that leads out of the fold"):
        mc.read(probe)
    shutil.move(secret, probe / "kept.npy")
    (probe / "spikes.times.npy").unlink()
    (probe / "spikes.times.npy").symlink_to("kept.npy")
    assert mc.read(probe).n_units == 7


def test_a_pipe_is_refused_unread(probe):
    (probe / "spikes.times.npy").unlink()
    os.mkfifo(probe / "spikes.times.npy")
    with pytest.raises(ValueError, match=r"spikes.times.npy is (no file|a FIFO)"):
        mc.read(probe)


DAMAGE = {
    "no clusters": ({"spikes__clusters": None}, "it has not both spikes.times.npy and "),
    "fewer clusters": ({"spikes__clusters": np.zeros(3, int)}, "spikes.clusters.npy has 3$|they "),
    "times in 2-D": ({"spikes__times": np.zeros((4, 2))}, "needs one number per entry"),
    "clusters of another sorting": (
        {"clusters__depths": np.zeros(4)},
        "spikes.clusters names cluster 4 but clusters.depths.npy has 4 rows",
    ),
    "flat positions": (
        {"channels__localCoordinates": np.zeros(16), "clusters__depths": None},
        "it needs the x and y of each channel",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_one_sentence_with_the_folder_and_the_file(name, probe):
    changes, sentence = DAMAGE[name]
    for title, array in changes.items():
        path = probe / f"{title.replace('__', '.', 1)}.npy"
        path.unlink() if array is None else np.save(path, array)
    with pytest.raises(ValueError, match=sentence) as caught:
        mc.read(probe)
    assert str(caught.value).startswith(str(probe))
    assert "\n" not in str(caught.value)


def test_a_damaged_parquet_file_is_one_sentence(ibl, tmp_path):
    path = tmp_path / "probe00"
    shutil.copytree(ibl / "alf" / "probe00" / "pykilosort", path)
    content = (path / "clusters.metrics.pqt").read_bytes()
    (path / "clusters.metrics.pqt").write_bytes(content[:-40] + bytes(40))
    with pytest.raises(ValueError, match=r"cannot be read as clusters.metrics.pqt"):
        mc.read(path)


@pytest.mark.parametrize(
    ("n_letters", "sentence"),
    [
        (1 << 25, "takes more memory than a file of this size should|33,554,432 characters; names"),
        (
            1 << 10,
            "'layer' holds 'xxxxxxxxxxxxxxxxxxxx' and so on, 1,024 characters; names have 200",
        ),
    ],
)
def test_a_small_parquet_file_does_not_become_much_text(n_letters, sentence, probe):
    pyarrow, parquet = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    columns = {
        "cluster_id": list(planted.METRICS),
        "layer": ["x" * n_letters] * len(planted.METRICS),
    }
    path = probe / "clusters.metrics.pqt"
    table = pyarrow.table(columns)
    parquet.write_table(table, path, compression="zstd", write_statistics=False)
    assert path.stat().st_size < 50_000
    with pytest.raises(ValueError, match=sentence):
        mc.read(probe)
