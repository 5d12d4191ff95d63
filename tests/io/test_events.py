"""The event rule of imaging: values of a cell above a multiple of its own noise."""

import numpy as np
import pytest
from refusals import assert_refused
from scipy import stats

import microcolumn as mc
from microcolumn.io._events import event_session, noise_level

FRAME = 0.05


def session(traces, threshold=3.0):
    return event_session(traces, list(map(str, range(len(traces)))), FRAME, threshold)


def frames(made):
    return [np.rint(np.asarray(train) / FRAME - 0.5).astype(int).tolist() for train in made.trains]


def test_noise_is_the_deviation_of_the_values_mirrored_about_zero():
    values = np.maximum(np.random.default_rng(0).normal(0.0, 2.0, 4000), 0.0)
    positive = values[values > 0]
    mirrored = np.concatenate([positive, -positive])
    expected = stats.median_abs_deviation(mirrored, scale="normal")
    assert noise_level(values) == pytest.approx(expected, rel=1e-4)
    assert noise_level(values) == pytest.approx(2.0, rel=0.05)
    assert noise_level(np.zeros(5)) == 0.0


@pytest.mark.parametrize("threshold", [1.0, 2.0, 3.0])
def test_noise_exceeds_the_threshold_as_often_as_a_normal_distribution(threshold):
    n = 100_000
    noise = np.abs(np.random.default_rng(1).normal(0.0, 0.3, n))
    share = len(session([noise], threshold).trains[0]) / n
    expected = 2 * stats.norm.sf(threshold)
    assert share == pytest.approx(expected, abs=5 * np.sqrt(expected / n) + 0.005 * expected)


def test_each_cell_has_its_own_noise_whatever_its_scale():
    trace = np.abs(np.random.default_rng(2).normal(0.0, 1.0, 500))
    trace[[7, 100]] = 30.0
    made = session([trace, 1e-6 * trace, 0 * trace])
    assert set(frames(made)[0]) >= {7, 100}
    assert frames(made)[1] == frames(made)[0]
    assert frames(made)[2] == []


def test_a_threshold_of_0_takes_every_value_above_0():
    assert frames(session([[0, 1, 0, 1e-9]], threshold=0.0)) == [[1, 3]]


def test_bins_of_a_frame_hold_exactly_the_events_and_narrower_ones_are_refused(tmp_path):
    traces = np.zeros((3, 90))
    traces[[0, 1, 1], [0, 4, 89]] = 1.0
    np.save(tmp_path / "a.npy", traces)
    recording = mc.read(tmp_path / "a.npy", bin_width=1 / 30, threshold=0)
    np.testing.assert_array_equal(recording.count(1 / 30).T, traces)
    assert recording.bin(3 / 30).n_bins == 30
    sentence = r"bin_width is 0.02 s but the recording has bins of 0.03333333333 s; use a whole"
    with pytest.raises(ValueError, match=sentence):
        recording.bin(0.02)
    recording.bin(0.03333333333)


def test_frames_without_a_value_are_no_part_of_the_epochs():
    traces = np.ones((2, 10))
    traces[0, :2] = traces[1, 9] = np.nan
    traces[1, 5] = np.inf
    made = session(traces, threshold=0.0)
    np.testing.assert_allclose(np.array(list(made.epochs)) / FRAME, [[2, 5], [6, 9]])
    assert frames(made) == [[2, 3, 4, 6, 7, 8]] * 2
    assert made.notes[-1] == "frames without a value of some cell left out: 4"


REFUSED = {
    "negative": ([[0.0, -0.25]], "cell 0 has -0.25 in frame 1; deconvolved values are never"),
    "nothing": ([[1.0, 2.0], [np.nan, np.nan]], "cell 1 has no value in any frame; leave it out"),
    "never all": ([[1.0, np.nan], [np.nan, 1.0]], "there is no frame with values of all cells"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_deconvolved_trace_is_one_sentence(name):
    traces, sentence = REFUSED[name]
    with pytest.raises(ValueError, match=sentence):
        session(traces)


@pytest.mark.parametrize("threshold", [-1, np.nan, np.inf, "3", True])
def test_a_threshold_is_a_number_from_0_on(threshold):
    with pytest.raises(ValueError, match=r"^threshold is .*; give a number of noise levels") as e:
        session([[1.0]], threshold)
    assert e.value.argument == "threshold"


def test_matrices_of_every_format_follow_the_same_rule(tmp_path):
    from scipy.io import savemat

    rng = np.random.default_rng(3)
    traces = np.round(np.maximum(rng.normal(0, 1, (4, 60)), 0), 4)
    traces[:, ::7] = 9.0
    np.save(tmp_path / "a.npy", traces)
    savemat(tmp_path / "a.mat", {"S": traces})
    np.savetxt(tmp_path / "a.csv", traces.T, "%.4f", delimiter=",")
    named = {"header": "a,b,c,d", "comments": ""}
    np.savetxt(tmp_path / "b.csv", traces.T, "%.4f", delimiter=",", **named)
    expected = frames(session(traces, 2.0))
    for name in ("a.npy", "a.mat", "a.csv", "b.csv"):
        recording = mc.read(tmp_path / name, bin_width=FRAME, threshold=2.0)
        assert frames(recording) == expected, name
        assert any("exceeds 2 times its noise" in note for note in recording.notes)
        assert_refused(tmp_path / name, r"for deconvolved values pass threshold=3", bin_width=FRAME)
    assert mc.read(tmp_path / "b.csv", bin_width=FRAME, threshold=2).units.ids == tuple("abcd")
    traces[0, 0] = np.nan
    np.savetxt(tmp_path / "c.csv", traces.T, "%.4f", delimiter=",")
    assert mc.read(tmp_path / "c.csv", bin_width=FRAME, threshold=2).epochs.starts[0] == FRAME


def test_a_threshold_is_refused_where_there_are_spikes(tmp_path):
    (tmp_path / "a.csv").write_text("unit,time\n1,0.5\n")
    assert_refused(tmp_path / "a.csv", "threshold does not apply to a table of", threshold=3)
    np.savez(tmp_path / "a.npz", t=[0.5], k=[1])
    options = {"times": "t", "units": "k", "threshold": 3}
    assert_refused(tmp_path / "a.npz", "threshold does not apply to arrays of spikes", **options)
