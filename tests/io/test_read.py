import sys

import numpy as np
import pytest
import written
from refusals import assert_refused

import microcolumn as mc
from microcolumn.io import READERS


@pytest.fixture
def csv_file(tmp_path):
    return written.write_csv(written.small_recording(), tmp_path / "session.csv")


def test_depths_without_a_stated_reference_are_refused_with_the_choices(csv_file):
    assert_refused(csv_file, r"session.csv: its units have depths .column 'depth'")
    assert_refused(csv_file, r"pass depth_reference=: 'surface' .* 'tip' .* 'layer IV'")
    assert mc.read(csv_file, depth_reference="tip").units.depth_reference == "tip"
    assert mc.read(csv_file, depth_reference="unstated").units.depth_um is not None


def test_layers_quality_and_epochs_are_chosen_on_the_way_in(csv_file, tmp_path):
    recording = mc.read(
        csv_file,
        depth_reference="surface",
        layers="upper 600 lower",
        quality="good",
        epochs=[[1.0, 5.0]],
    )
    assert recording.units.ids == ("10", "12")
    assert recording.units.layer == ("upper", "lower")
    assert recording.duration_s == 4.0


def test_unknown_readers_and_options_are_one_sentence_that_lists_the_known(csv_file):
    with pytest.raises(ValueError, match=r"^reader is 'excel'; choose one of 'nwb', 'phy',"):
        mc.read(csv_file, reader="excel")
    with pytest.raises(
        ValueError,
        match=r"^'sheet' is no option of reading .*; choose from .* layers, .* units, ",
    ):
        mc.read(csv_file, sheet=2)


@pytest.mark.parametrize("reader", READERS)
def test_noise_under_any_reader_is_one_sentence_with_the_file(reader, tmp_path):
    path = tmp_path / "noise.bin"
    path.write_bytes(bytes(range(256)) * 8)
    with pytest.raises(ValueError, match=r"noise.bin") as caught:
        mc.read(path, reader=reader)
    assert "\n" not in str(caught.value)


def test_a_library_that_is_not_installed_is_named_with_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "neo", None)
    path = written.write_nex(written.small_recording(), tmp_path / "a.nex")
    with pytest.raises(ImportError, match=r"needs neo; install it with: pip install 'microcolumn"):
        mc.read(path)


def _npz(tmp_path, **arrays):
    path = tmp_path / "units.npz"
    spikes = {"spike_times": np.array([0.1, 0.2, 0.3]), "spike_units": np.arange(3)}
    np.savez(path, **spikes, unit_ids=np.arange(3), **arrays)
    return path


def test_noise_is_left_out_with_a_note_unless_it_is_asked_for(tmp_path):
    path = _npz(tmp_path, quality=np.array(["good", "Noise", "mua"]))
    assert mc.read(path).units.ids == ("0", "2")
    assert any("quality 'noise' left out: 1" in note for note in mc.read(path).notes)
    assert mc.read(path, quality=["good", "Noise"]).units.ids == ("0", "1")
    path = _npz(tmp_path, quality=np.array(["noise"] * 3))
    assert_refused(path, "all units are of quality 'noise'; pass quality=")


def test_multiunit_flags_are_true_or_false(tmp_path):
    path = _npz(tmp_path, multiunit=np.array(["yes", "False", "1"]))
    assert mc.read(path).units.multiunit.tolist() == [True, False, True]
    path = _npz(tmp_path, multiunit=np.array(["yes", "maybe", "1"]))
    assert_refused(path, "says 'maybe' of unit '1'")
