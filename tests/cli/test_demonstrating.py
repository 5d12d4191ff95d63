"""The demonstration as a command, on a plan small enough for tests."""

import os
import sys

import pytest
from small_study import when_finished
from typer.testing import CliRunner

from microcolumn.cli import app
from microcolumn.study import Experiment, Plan, Source

runner = CliRunner()

TINY = Plan(
    (Source("B4", preset="B4", minutes=0.7),),
    (Experiment("instantaneous", most_active=5, n_hidden=3, penalties=(1e-3, 4e-3), n_splits=1),),
)


def demo(*arguments):
    return runner.invoke(app, ["demo", "--jobs", "1", *map(str, arguments)])


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    monkeypatch.setattr(Plan, "paper", classmethod(lambda cls: TINY))


def test_the_demo_prints_its_report_and_keeps_results_and_figure(tmp_path):
    out = tmp_path / "a" / "first-look"
    result = demo("--out", out)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("B4: 23 units")
    assert "RBM 3 - Ising" in result.stdout
    assert result.stdout.endswith(
        f"results: {out / 'quick.db'}\nfigure: {out / 'comparison.png'}\n"
    )
    assert (out / "comparison.png").read_bytes().startswith(b"\x89PNG")
    assert (out / "comparison.pdf").read_bytes().startswith(b"%PDF")
    before = when_finished(out / "quick.db")
    assert len(before) == 3 + 6 + 1 + 3 + 3
    again = demo("--out", out)
    assert again.stdout == result.stdout
    assert when_finished(out / "quick.db") == before


def test_the_whole_protocol_has_a_store_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = demo("--full")
    assert result.exit_code == 0, result.output
    assert sorted(os.listdir("microcolumn-demo")) == [
        "comparison.pdf",
        "comparison.png",
        "paper.db",
        "paper.db.lock",
    ]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "folder"):
        result = demo("--out", out)
        assert result.exit_code == 2
        [said] = result.stderr.splitlines()
        assert said.startswith(f"microcolumn: cannot write to {out}: ")
        assert said.endswith("; choose another --out")


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="may write to every folder"
)
def test_a_folder_that_may_not_be_written_to_is_one_sentence(tmp_path):
    tmp_path.chmod(0o500)
    result = demo("--out", tmp_path)
    tmp_path.chmod(0o700)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
