"""Plates: each well is a recording of its own; spike lists of Axion's AxIS."""

import gzip

import numpy as np
import pytest
import written
from planted_plates import ABOUT, spike_list, write_spike_list
from refusals import assert_refused

import microcolumn as mc

SPIKES = [(0.1, "A1_11"), (0.2, "A2_11"), (0.25, "A1_12"), (0.5, "A1_11"), (61.0, "A2_34")]
ROWS = [(0.1, "A1", 5), (0.2, "B1", 5), (0.3, "A1", 6), (0.4, "A1", 5)]


@pytest.fixture
def plate(tmp_path):
    def write(text, name="a.csv"):
        (tmp_path / name).write_text(text, newline="")
        return tmp_path / name

    return write


def test_electrodes_of_the_chosen_well_are_multiunits(tmp_path):
    original = written.small_recording()
    recording = mc.read(write_spike_list(original, tmp_path / "a.csv"), well="A1")
    assert recording.units.ids == ("A1_11", "A1_12", "A1_13", "A1_14")
    for train, exact in zip(recording.trains, original.trains, strict=False):
        np.testing.assert_allclose(train, exact, rtol=0, atol=0.5e-5 + 1e-12)
    assert recording.units.multiunit.all()
    assert "well A1 alone; left out: A2" in recording.notes


def test_several_wells_are_refused_in_one_sentence_that_lists_them(plate):
    path = plate(spike_list(SPIKES))
    sentence = r"it holds 2 wells, each a recording of its own: A1, A2; choose one with well='A1'$"
    assert_refused(path, sentence)
    assert_refused(path, r"there is no well 'C3'; choose from A1, A2", well="C3")


def test_one_well_needs_no_choice(plate):
    path = plate(spike_list([spike for spike in SPIKES if spike[1].startswith("A2")]))
    assert mc.read(path).units.ids == ("A2_11", "A2_34")


@pytest.mark.parametrize("footer", [[], ["Well Information", "Well,A1"]])
@pytest.mark.parametrize("about", [ABOUT, [("", "")]])
def test_what_stands_beside_and_below_the_spikes_is_no_spike(about, footer, plate):
    recording = mc.read(plate(spike_list(SPIKES, about, footer)), well="A1")
    assert [train.tolist() for train in recording.trains] == [[0.1, 0.5], [0.25]]
    few = mc.read(plate(spike_list(SPIKES[:1], about, footer), "few.csv"))
    assert few.n_spikes == 1


def test_the_section_that_was_run_is_what_was_recorded(plate):
    assert mc.read(plate(spike_list(SPIKES)), well="A1").duration_s == 62.0
    for section in ("3s to 1m2s", "all of it"):
        about = [("", ""), ("Actual File Section Run", section)]
        recording = mc.read(plate(spike_list(SPIKES, about)), well="A2")
        assert recording.epochs.stops[0] == 61.0


def test_a_compressed_list_is_read(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(spike_list(SPIKES).encode()))
    assert mc.read(tmp_path / "a.csv.gz", well="A2").n_spikes == 2


@pytest.mark.parametrize("names", ["unit,Well,time", "Channel Label,Well Label,Timestamp (ms)"])
def test_a_column_of_wells_keeps_wells_apart_in_any_table(names, plate):
    rows = [f"{unit},{well},{time}" for time, well, unit in ROWS]
    path = plate("\n".join([names, *rows, ""]))
    scale = 1e-3 if "ms" in names else 1.0
    recording = mc.read(path, well="A1")
    assert recording.units.ids == ("5", "6")
    np.testing.assert_allclose(recording.trains[0], scale * np.array([0.1, 0.4]))
    assert_refused(path, "it holds 2 wells, each a recording of its own: A1, B1; choose one")


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_wells_of_parquet_and_feather_are_kept_apart(suffix, tmp_path):
    import pandas

    path = tmp_path / f"a.{suffix}"
    table = pandas.DataFrame(ROWS, columns=["time", "well", "unit"])
    (table.to_parquet if suffix == "parquet" else table.to_feather)(path)
    assert mc.read(path, well="A1").n_spikes == 3
    assert_refused(path, "it holds 2 wells")


def test_units_of_two_wells_may_share_names_and_differ_in_depth(plate):
    path = plate("unit,well,time,depth_um\n1,A1,0.1,100\n1,A2,0.2,300\n1,A2,0.3,300\n")
    recording = mc.read(path, well="A2", depth_reference="tip")
    assert recording.units.depth_um.tolist() == [300.0]
    assert_refused(path, "it holds 2 wells")


def test_times_and_units_that_are_named_do_not_join_wells(plate):
    path = plate("t,k,well\n0.1,1,A\n0.2,1,B\n")
    assert_refused(path, "it holds 2 wells", times="t", units="k")
    assert mc.read(path, times="t", units="k", well="B").n_spikes == 1


def test_options_that_do_not_apply_are_refused(plate):
    path = plate("unit,time\n1,0.5\n")
    assert_refused(path, "no column or electrode names a well; leave well= out", well="A1")
    path = plate(spike_list(SPIKES))
    assert_refused(path, "times does not apply to a spike list of AxIS", times="Time (s)")


def test_a_line_that_is_cut_off_is_one_sentence(plate):
    path = plate(spike_list(SPIKES, footer=[]).rstrip()[:-7])
    assert_refused(path, r"line 6 has 4 fields, the first 5; export it again", well="A1")


def test_a_spike_without_a_time_is_one_sentence(plate):
    path = plate(spike_list(SPIKES).replace("0.25000", "soon"))
    assert_refused(path, r"line 4: time 'soon' is not a number; correct or remove it")
