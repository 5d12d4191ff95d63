"""Whatever a file holds, a terminal shows it and does not obey it."""

import csv
import io
import sys
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

from microcolumn.cli import app
from microcolumn.cli.output import (
    OF_FITS,
    say_started,
)

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


class Terminal(io.StringIO):
    """A file that says that somebody looks at it."""

    def isatty(self):
        return True


def seen(monkeypatch, kind=Terminal):
    """Files in place of standard output and standard error; NO_COLOR is not set."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    out, err = kind(), kind()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    return out, err


def test_a_run_says_in_a_terminal_that_it_starts_and_what_takes_long(monkeypatch, tmp_path):
    _, err = seen(monkeypatch)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    say_started()
    assert err.getvalue() == "starting: compiling the kernels, once; this takes a minute ...\n"
    (tmp_path / "coincidences.pooled-60.py311.nbi").touch()  # as info leaves it
    say_started()
    assert err.getvalue().splitlines()[1] == "starting ..."
    say_started(OF_FITS)  # fits need others
    assert err.getvalue().splitlines()[2].startswith("starting: compiling")
    (tmp_path / "quasi_newton.move-60.py311.nbi").touch()
    say_started(OF_FITS)
    assert err.getvalue().splitlines()[3] == "starting ..."
    _, log = seen(monkeypatch, io.StringIO)
    say_started()
    assert log.getvalue() == ""


@pytest.mark.parametrize(
    "command",
    [
        "info a.npz",
        "layers a.nwb --flashes f --depth-reference tip",
        "fit a.npz --model Ising --out m",
        "predict a.npz --model m",
        "sample m",
        "compare a.npz",
        "demo --out a.npz",
        "study run a.toml",
        "study report a.db",
        "study page a.db",
        "study figures a.db",
        "study tables a.db --out t",
    ],
)
def test_whatever_takes_seconds_to_load_says_first_that_it_starts(command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.npz").touch()
    _, err = seen(monkeypatch)
    with pytest.raises(SystemExit):
        app(command.split())
    assert err.getvalue().startswith("starting")
