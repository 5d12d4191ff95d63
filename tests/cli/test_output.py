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
from microcolumn.cli.output import (
    OF_FITS,
    folded,
    print_table,
    say_blocks,
    say_started,
    text_width,
    warnings_as_lines,
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


def test_what_a_library_adds_to_its_warning_in_further_lines_is_left_out(capsys):
    with warnings_as_lines():
        warnings.warn("the value could not be read.\nTraceback:\n ...", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "microcolumn: warning: the value could not be read.\n"


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


def test_lines_are_as_long_as_a_terminal_is_wide_up_to_a_hundred_letters(monkeypatch):
    seen(monkeypatch)
    for columns, letters in ((80, 80), (200, 100), (12, 40)):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert text_width() == letters
    seen(monkeypatch, io.StringIO)
    assert text_width() == 100


def test_long_lines_are_broken_between_words_in_a_terminal_alone(monkeypatch):
    text = "unit   Hz\n\n  - " + "word " * 12
    monkeypatch.setenv("COLUMNS", "40")
    seen(monkeypatch)
    assert folded(text).splitlines() == [
        "unit   Hz",
        "",
        "  - word word word word word word word",
        "    word word word word word",
    ]
    seen(monkeypatch, io.StringIO)
    assert folded(text) == text


def test_tables_break_their_text_to_fit_a_terminal_alone(monkeypatch):
    row = ("words", "of " + "many " * 20)
    monkeypatch.setenv("COLUMNS", "60")
    out, _ = seen(monkeypatch)
    print_table([row])
    assert max(map(len, out.getvalue().splitlines())) <= 60
    out, _ = seen(monkeypatch, io.StringIO)
    print_table([row])
    assert len(out.getvalue().splitlines()) == 1


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
