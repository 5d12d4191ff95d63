import json
import re

import numpy as np
import pytest
from commands import assert_option_refused, assert_refused, run
from planted_lfp import write_flashes

import microcolumn as mc


def test_info_prints_a_page(session):
    result = run("info", session, "--depth-reference", "surface")
    assert result.exit_code == 0, result.output
    assert "5 units, 230 spikes in 20.000 s of 1 epoch" in result.output
    assert "II/III" in result.output
    assert "suggested" in result.output


def test_info_prints_json_for_machines(session):
    result = run("info", session, "--json")
    assert result.exit_code == 0
    told = json.loads(result.output)
    assert told["n_units"] == 5
    assert told["depth_reference"] == "unstated"
    assert any("--depth-reference" in warning for warning in told["warnings"])


def test_info_keeps_what_it_is_told_to_keep(session):
    asked = ["--quality", "good", "--min-rate", "0.5", "--depth-reference", "surface"]
    result = run("info", session, *asked, "--layers", "up 500 down", "--json")
    told = json.loads(result.output)
    assert [(unit["id"], unit["layer"]) for unit in told["units"]] == [("10", "up"), ("12", "down")]
    result = run("info", session, "--ids", "11", "--multiunits", "--json")
    assert [unit["id"] for unit in json.loads(result.output)["units"]] == ["11"]


def test_a_damaged_file_is_one_sentence_and_exit_code_2(tmp_path):
    path = tmp_path / "session.nwb"
    path.write_bytes(b"\x89HDF\r\n\x1a\n\0\0")
    assert_refused(f"{path}: ", "info", path)


def test_sentences_name_options_of_the_command_line(tmp_path):
    table = tmp_path / "a.txt"
    table.write_text("spiketime;cell\n-250;4\n1500;3\n90;4\n")
    for arguments, sentence in {
        (): "for example --times spiketime --units cell (columns: spiketime, cell)",
        ("--times", "spiketime", "--units", "cell"): "began: --start -250",
        ("--option", "times=x"): "has an option of its own; use --times",
        ("--option", "sampling_rate=3", "--times", "spiketime", "--units", "cell"): (
            "pass --unit-of-time samples or leave"
        ),
    }.items():
        assert_refused(sentence, "info", table, "--reader", "csv", *arguments)
    stated = ("--times", "spiketime", "--units", "cell", "--unit-of-time", "ms", "--start", "-0.5")
    counts = ("--option", "bin_width=1", *stated[:2])
    assert_refused("a.txt: --times does not apply", "info", table, *counts)
    told = json.loads(run("info", str(table), *stated, "--json").output)
    assert told["epochs"] == [{"start_s": -0.5, "stop_s": 1.5, "label": None}]


def test_traces_and_plates_are_read_by_options_that_the_refusals_name(tmp_path):
    traces, plate = tmp_path / "S.npy", tmp_path / "plate.csv"
    np.save(traces, np.tile([0.0, 0.1, 0.2, 8.0], (2, 25)))
    frames = ("--option", "bin_width=0.05")
    assert_refused("for deconvolved values pass --threshold 3", "info", traces, *frames)
    told = json.loads(run("info", str(traces), *frames, "--threshold", "3", "--json").output)
    assert [unit["n_spikes_in_epochs"] for unit in told["units"]] == [25, 25]
    plate.write_text("unit,well,time\n1,A1,0.1\n1,A2,0.2\n")
    assert_refused("own: A1, A2; choose one with --option well=A1", "info", plate)
    told = json.loads(run("info", str(plate), "--option", "well=A2", "--json").output)
    assert [unit["n_spikes_in_epochs"] for unit in told["units"]] == [1]


def test_info_of_nothing_and_bad_options_are_one_sentence(session, tmp_path):
    for arguments, sentence in {
        (str(tmp_path / "nothing.nwb"),): "does not exist; check the path",
        (session, "--option", "sheet=2"): "is no option of reading",
        (session, "--figure", str(tmp_path / "no" / "a.png")): "No such file or directory; choose",
        (session, "--epochs", "rest"): "no epoch is labelled 'rest'",
    }.items():
        assert_refused(sentence, "info", *arguments)
    assert_option_refused("option", "info", session, "--option", "oops")
    for figure in (tmp_path / "a.exe", tmp_path):
        assert_option_refused("figure", "info", session, "--figure", figure)


@pytest.fixture(scope="module")
def flashed(tmp_path_factory):
    """An NWB file with the field potential of a sink at 730 µm, 40 ms after each flash."""
    return str(write_flashes(tmp_path_factory.mktemp("flashed") / "flashed.nwb"))


FLASHES = ("--flashes", "flashes", "--depth-reference", "surface")


def test_layers_prints_boundaries_that_other_commands_take(flashed, tmp_path):
    figure = tmp_path / "layers.png"
    result = run("layers", flashed, *FLASHES, "--figure", str(figure))
    assert result.exit_code == 0, result.output
    assert figure.read_bytes().startswith(b"\x89PNG")
    boundaries = re.search(r"--layers '(II/III (\d+) IV (\d+) V/VI)'", result.output)
    assert float(boundaries[2]) < 730.0 < float(boundaries[3])
    units = mc.Units("ab", [200.0, 730.0])
    assert mc.LayerBoundaries.parse(boundaries[1]).label(units.depth_um) == ("II/III", "IV")
