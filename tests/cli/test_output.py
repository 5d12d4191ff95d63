"""Whatever a file holds, a terminal shows it and does not obey it."""

import csv
import io
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import microcolumn
from microcolumn.cli import app
from microcolumn.cli.failures import one_sentence
from microcolumn.cli.output import say_blocks, say_started, steps

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


def test_a_whole_command_ends_in_one_sentence(capsys):
    with pytest.raises(Exception, match="2"), one_sentence():
        raise ImportError("x" * 2000 + "; install it")
    assert len(capsys.readouterr().err) < 620


def test_commands_print_by_one_function_alone():
    folder = Path(microcolumn.__file__).parent / "cli"
    users = [file.name for file in folder.glob("*.py") if ".echo(" in file.read_text()]
    assert users == ["output.py"]


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


BLOCKS = [("Title\x1b", "text"), ("", "more"), ("Question?", "")]


def test_headings_are_bold_in_a_terminal_and_obey_nothing(monkeypatch):
    out, _ = seen(monkeypatch)
    say_blocks(BLOCKS)
    bold = "\x1b[1mTitle\\x1b\x1b[0m\ntext\n\nmore\n\n\x1b[1mQuestion?\x1b[0m\n"
    assert out.getvalue() == bold


def test_headings_are_plain_elsewhere(monkeypatch):
    plain = "Title\\x1b\ntext\n\nmore\n\nQuestion?\n"
    out, _ = seen(monkeypatch, io.StringIO)
    say_blocks(BLOCKS)
    assert out.getvalue() == plain
    out, _ = seen(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    say_blocks(BLOCKS)
    assert out.getvalue() == plain


def test_a_run_says_in_a_terminal_that_it_starts_and_what_takes_long(monkeypatch, tmp_path):
    _, err = seen(monkeypatch)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    say_started()
    assert err.getvalue() == "starting: kernels are compiled once, a minute\n"
    (tmp_path / "kernel.nbi").touch()
    say_started()
    assert err.getvalue().splitlines()[1] == "starting ..."
    _, log = seen(monkeypatch, io.StringIO)
    say_started()
    assert log.getvalue() == ""


def test_steps_are_shown_in_a_terminal_alone(monkeypatch):
    def three(**options):
        with steps(3, **options) as begin:
            for step in ("reading", "fitting", "saving"):
                begin(step)

    _, err = seen(monkeypatch)
    three()
    shown = err.getvalue()
    told = ("reading, step 1 of 3: |", "fitting, step 2 of 3: |", "saving, step 3 of 3: |")
    places = [shown.index(each) for each in told]
    assert places == sorted(places)
    _, err = seen(monkeypatch)
    three(printing=True)
    assert err.getvalue() == ""
    _, log = seen(monkeypatch, io.StringIO)
    three()
    assert log.getvalue() == ""
