"""ALF folders as the two archives write them, read whole without an option."""

import numpy as np
import planted_alf as planted
import pytest
from refusals import assert_refused

import microcolumn as mc


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
    assert_refused(ibl, r"no unit of probe 'imec0'; probes here: 'probe00', ", probe="imec0")


@pytest.mark.parametrize("inside", ["alf/probe01", "alf/probe01/pykilosort"])
def test_a_folder_inside_the_session_may_be_named(inside, ibl):
    assert mc.read(ibl / inside).units.ids == ("0", "1", "2", "5", "6", "7")
    assert set(mc.read(ibl / inside).units.probe) == {"probe01"}


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


DAMAGE = {
    "no clusters": ({"spikes__clusters": None}, "it has not both spikes.times.npy and "),
    "fewer clusters": ({"spikes__clusters": np.zeros(3, int)}, "spikes.clusters.npy has 3$|they "),
    "times in 2-D": ({"spikes__times": np.zeros((4, 2))}, "needs one number per entry"),
    "clusters of another sorting": (
        {"clusters__depths": np.zeros(4)},
        "spikes.clusters has cluster 4 but clusters.depths.npy 4 rows",
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
    assert_refused(probe, sentence)


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
    assert_refused(probe, sentence)


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


def test_names_may_carry_a_namespace_and_the_identifier_of_the_file(probe):
    uuid = "167e2841-8e3c-4cf0-92af-b46c3b540ff4"
    for path in list(probe.glob("*.npy")):
        path.rename(path.with_name(f"_ks2_{path.stem}.{uuid}.npy"))
    assert mc.read(probe).units.layer[-2:] == ("II/III", "I")
