"""Whatever a file holds, a terminal shows it and does not obey it."""

import csv
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

from microcolumn.cli import app

HOSTILE = "=1\x1b]0;owned\x07\u202e"


@pytest.fixture
def hostile(tmp_path):
    """A recording whose unit and layer have names that terminals and spreadsheets would obey."""
    path = tmp_path / "a.npz"
    times = np.sort(np.random.default_rng(0).uniform(0, 20, 400))
    units = np.arange(400) % 2
    order = np.lexsort((times, units))
    ids, layers = np.array([HOSTILE, "b"]), np.array(["IV", f"V{HOSTILE}"])
    np.savez(path, spike_times=times[order], spike_units=units[order], unit_ids=ids, layer=layers)
    return path


def shown(*arguments):
    result = CliRunner().invoke(app, list(map(str, arguments)))
    text = result.stdout + result.stderr
    assert text.replace("\n", "").isprintable(), ascii(text)
    return result, text


def test_names_in_a_file_reach_neither_terminal_nor_spreadsheet(hostile, tmp_path):
    result, text = shown("info", hostile)
    assert result.exit_code == 0
    assert r"\x1b]0;owned\x07\u202e" in text
    model = tmp_path / "m.safetensors"
    assert shown("fit", hostile, "--model", "Independent", "--out", model)[0].exit_code == 0
    result, text = shown("sample", model, "--n", "2")
    [header, *_] = csv.reader(text.splitlines())
    assert header[0].startswith("'=1\\x1b")


def test_names_in_a_sentence_about_a_bad_file_are_shown_and_short(hostile, tmp_path):
    bad = tmp_path / "b.csv"
    bad.write_text(f"unit,{HOSTILE}{'x' * 3000}\n1,2\n")
    result, text = shown("info", bad)
    assert result.exit_code == 2
    assert len(text) < 620


def test_warnings_are_sentences_and_are_shown(capsys):
    with warnings.catch_warnings():
        CliRunner().invoke(app, ["study", "status", "nowhere.db"])
        warnings.simplefilter("always")
        warnings.warn(f"unit {HOSTILE}", UserWarning, stacklevel=1)
    printed = capsys.readouterr().err
    assert printed == "microcolumn: warning: unit =1\\x1b]0;owned\\x07\\u202e\n"
