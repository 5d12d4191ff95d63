"""Folders of phy and Kilosort: what phy would show, with nothing of them run."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from refusals import assert_refused

import microcolumn as mc

RATE = 30_000
CLUSTERS = [4, 2, 4, 9, 4, 2]
SAMPLES = [0, 600, 600, 1200, 3001, 90_000]


def folder(path, **files):
    """A folder with two curated clusters and one of noise; None leaves a file out."""
    path.mkdir()
    contents = {
        "spike_times.npy": np.array(SAMPLES, dtype=np.uint64),
        "spike_clusters.npy": np.array(CLUSTERS, dtype=np.int32),
        "params.py": f"sample_rate = {RATE}.\n",
        "cluster_group.tsv": "cluster_id\tgroup\n2\tgood\n4\tmua\n9\tnoise\n",
    } | {name.replace("__", "."): content for name, content in files.items()}
    for name, content in contents.items():
        if isinstance(content, str):
            (path / name).write_text(content)
        elif content is not None:
            np.save(path / name, content)
    return path


def trains(recording):
    return {
        name: np.round(train * RATE).astype(int).tolist()
        for name, train in zip(recording.units.ids, recording.trains, strict=True)
    }


def test_clusters_become_units_and_noise_is_left_out_with_a_note(tmp_path):
    recording = mc.read(folder(tmp_path / "a"))
    assert trains(recording) == {"2": [600, 90_000], "4": [0, 600, 3001]}
    assert recording.units.quality == ("good", "mua")
    assert recording.units.multiunit.tolist() == [False, True]
    assert any("'noise' left out: 1; name the quality" in note for note in recording.notes)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32, np.float64])
@pytest.mark.parametrize("shape", [(-1,), (-1, 1)])
def test_samples_of_any_type_and_shape_are_read(dtype, shape, tmp_path):
    samples = np.array(SAMPLES, dtype=dtype).reshape(shape)
    recording = mc.read(folder(tmp_path / "a", spike_times__npy=samples))
    np.testing.assert_array_equal(recording.trains[1], np.array([0, 600, 3001]) / RATE)


def test_output_that_was_never_opened_in_phy_has_templates_as_clusters(tmp_path):
    path = folder(
        tmp_path / "a",
        spike_clusters__npy=None,
        cluster_group__tsv=None,
        spike_templates__npy=np.array(CLUSTERS, dtype=np.uint32)[:, None],
        cluster_KSLabel__tsv="cluster_id\tKSLabel\n2\tgood\n4\tmua\n",
    )
    recording = mc.read(path)
    assert recording.units.ids == ("2", "4", "9")
    assert recording.units.quality == ("good", "mua", "unsorted")


def test_a_persons_verdict_wins_over_kilosorts_and_both_over_the_last_export(tmp_path):
    path = folder(
        tmp_path / "a",
        cluster_info__tsv="cluster_id\tgroup\tKSLabel\n2\tmua\tmua\n4\t\tmua\n9\tnoise\tgood\n",
        cluster_group__tsv="cluster_id\tgroup\n2\tgood\n9\tunsorted\n",
        cluster_KSLabel__tsv="cluster_id\tKSLabel\n2\tmua\n4\tgood\n9\tmua\n",
    )
    assert mc.read(path).units.quality == ("good", "good", "mua")


def test_clusters_without_spikes_are_units_only_where_phy_says_that_they_have_none(tmp_path):
    path = folder(
        tmp_path / "a",
        cluster_info__tsv="id\tn_spikes\tgroup\n1\t0\tgood\n2\t2\tgood\n3\t7\tgood\n4\t3\tmua\n",
    )
    assert trains(mc.read(path)) == {"1": [], "2": [600, 90_000], "4": [0, 600, 3001]}


def probe(n_templates=12, n_channels=6, n_samples=20, seed=0, **files):
    """Files of templates, each largest on the channel of its number, modulo the channels."""
    rng = np.random.default_rng(seed)
    templates = rng.uniform(-0.1, 0.1, (n_templates, n_samples, n_channels)).astype(np.float32)
    for number in range(n_templates):
        templates[number, 5, number % n_channels] = -1.0
    positions = np.column_stack((np.zeros(n_channels), 20.0 * np.arange(n_channels)))
    return {
        "templates__npy": templates,
        "channel_positions__npy": positions,
        "spike_templates__npy": np.array([10, 3, 4, 9, 4, 3]),
    } | files


def test_depths_are_those_of_the_peak_channel_of_the_most_frequent_template(tmp_path):
    recording = mc.read(folder(tmp_path / "a", **probe()), depth_reference="tip")
    np.testing.assert_array_equal(recording.units.depth_um, [60.0, 80.0])
    assert "depths are the y positions of the peak channels of templates" in recording.notes
    assert_refused(tmp_path / "a", "pass depth_reference")


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1000), is_sparse=st.booleans(), is_whitened=st.booleans())
def test_whitened_and_sparse_templates_peak_where_the_waveforms_do(
    seed, is_sparse, is_whitened, tmp_path_factory
):
    rng = np.random.default_rng(seed)
    files = probe(seed=seed)
    waveforms = files["templates__npy"].astype(np.float64)
    if is_whitened:
        # mixes channels strongly enough to move peaks
        whitening = np.eye(6) + 2.0 * np.diag(rng.uniform(0, 1, 5), 1)
        files["templates__npy"] = waveforms @ whitening
        files["whitening_mat_inv__npy"] = np.linalg.inv(whitening)
    if is_sparse:
        order = np.array([rng.permutation(6) for _ in waveforms])
        shuffled = np.take_along_axis(files["templates__npy"], order[:, None, :], axis=2)
        # one place more than there are channels, filled with what must not be looked at
        files["templates__npy"] = np.pad(shuffled, ((0, 0), (0, 0), (0, 1)), constant_values=np.nan)
        files["templates_ind__npy"] = np.pad(order, ((0, 0), (0, 1)), constant_values=6)
    path = folder(tmp_path_factory.mktemp("sorted") / "a", **files)
    recording = mc.read(path, depth_reference="tip")
    np.testing.assert_array_equal(recording.units.depth_um, [60.0, 80.0])


@pytest.mark.parametrize("name", ["templates__npy", "spike_templates__npy"])
@pytest.mark.parametrize("content", [None, np.zeros((0, 61, 32))])
def test_without_templates_there_are_no_depths_and_a_note_says_why(name, content, tmp_path):
    recording = mc.read(folder(tmp_path / "a", **probe(**{name: content})))
    assert recording.units.depth_um is None
    missing = name.replace("__", ".")
    assert f"no depths: there is neither a column depth nor a filled {missing}" in recording.notes


def test_the_sampling_rate_can_be_stated_and_overruled(tmp_path):
    bare = folder(tmp_path / "a", params__py=None)
    assert_refused(bare, r"it has no params.py; pass sampling_rate= in Hz, such")
    silent = folder(tmp_path / "c", params__py="dat_path = 'raw.bin'\n")
    assert_refused(silent, r"params.py states no sample_rate; pass sampling_rate=")
    assert trains(mc.read(bare, sampling_rate=RATE))["2"] == [600, 90_000]
    overruled = mc.read(folder(tmp_path / "b"), sampling_rate=15_000)
    assert overruled.trains[0].tolist() == [0.04, 6.0]
    assert "15000 samples per second as stated; params.py: 30000.0" in overruled.notes


def test_not_a_line_of_params_is_run(tmp_path):
    spoiled = tmp_path / "spoiled"
    text = f"open({str(spoiled)!r}, 'w')\nx = open({str(spoiled)!r}, 'w')\nsample_rate = 30000\n"
    assert mc.read(folder(tmp_path / "a", params__py=text)).n_units == 2
    assert not spoiled.exists()


def test_the_raw_file_tells_how_long_was_recorded(tmp_path):
    n_samples, n_channels = 100_000, 3
    params = (
        f"dat_path = 'raw.dat'  # beside it\nn_channels_dat = {n_channels}\n"
        f"dtype = 'int16'\noffset = 10\nsample_rate = {RATE}.\n"
    )
    path = folder(tmp_path / "a", params__py=params)
    without = mc.read(path)
    assert without.duration_s == pytest.approx(3.0)
    assert sum("how long was recorded" in note for note in without.notes) == 1
    (path / "raw.dat").write_bytes(b"\0" * (10 + 2 * n_channels * n_samples + 1))
    assert mc.read(path).duration_s == n_samples / RATE
    (path / "raw.dat").write_bytes(b"\0" * 1000)
    cut = mc.read(path)
    assert cut.duration_s == pytest.approx(3.0)
    assert any("before the last spike at 3 s" in note for note in cut.notes)


FLAT = np.zeros((3, 4))
DAMAGE = {
    "no clusters": ({"spike_clusters__npy": None}, "it has no spike_clusters.npy"),
    "no times": ({"spike_times__npy": None}, "it has no spike_times.npy"),
    "negative": (
        {"spike_times__npy": np.array([-30, 0, 1, 2, 3, 4])},
        "first spike is at -0.001 s",
    ),
    "seconds": (
        {"spike_times__npy": np.array(SAMPLES) / RATE},
        r"spike 1 is at 0\.02, no whole number of samples; if these are seconds, save",
    ),
    "NaN": ({"spike_times__npy": np.array([0, np.nan, 1, 2, 3, 4])}, "unit '2': spike 0 is at nan"),
    "lengths": ({"spike_times__npy": np.arange(3)}, "spike_times.npy has 3 entries but spike_cl"),
    "a matrix": ({"spike_times__npy": np.zeros((6, 2))}, r"spike_times.npy has shape \(6, 2\)"),
    "fractions": ({"spike_clusters__npy": np.ones(6)}, "needs one whole number per entry"),
    "objects": ({"spike_clusters__npy": np.array([None] * 6)}, "holds Python objects"),
    "magic": ({"spike_times__npy": "no array at all"}, "spike_times.npy is no NumPy array"),
    "no key": ({"cluster_group__tsv": "a\tb\n1\t2\n"}, "has a, b and no column cluster_id"),
    "twice": (
        {"cluster_group__tsv": "cluster_id\tgroup\n2\ta\n2\tb\n"},
        "line 3 names unit '2' again",
    ),
    "no number": ({"cluster_group__tsv": "cluster_id\tgroup\nx\ta\n"}, "names the cluster 'x'"),
    "another sorting": (
        probe(spike_templates__npy=np.arange(10, 16)),
        "entry 2 of spike_templates",
    ),
    "other spikes": (probe(spike_templates__npy=np.zeros(3, int)), "spike_templates.npy has 3"),
    "another probe": (
        probe(channel_positions__npy=np.zeros((5, 2))),
        "6 channels and channel_positions.npy 5",
    ),
    "flat templates": (probe(templates__npy=FLAT), r"templates.npy has shape \(3, 4\)"),
    "flat channels": (probe(templates_ind__npy=FLAT), r"templates_ind.npy has shape \(3, 4\)"),
    "whitening": (probe(whitening_mat_inv__npy=np.eye(4)), r"mat_inv.npy has shape \(4, 4\)"),
    "zero units": (
        {"spike_times__npy": np.empty(0), "spike_clusters__npy": np.empty(0, int)},
        "there is no unit in it",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_one_sentence_with_the_folder_and_the_place(name, tmp_path):
    changes, sentence = DAMAGE[name]
    assert_refused(folder(tmp_path / "a", **changes), sentence, depth_reference="tip")
