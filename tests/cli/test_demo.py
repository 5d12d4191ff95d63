"""The demonstration as a command, on a plan small enough for tests."""

import json
import re
import shutil

import pytest
from small_study import when_finished
from typer.testing import CliRunner

from microcolumn import report
from microcolumn.cli import app, output
from microcolumn.report import report_dict
from microcolumn.report.scoreboard import scoreboard
from microcolumn.study import Experiment, Plan, Results, Source, run

runner = CliRunner()

FEW = {"models": ("Ising", "RBM"), "n_hidden": 3, "l1": (1e-4, 1e-3), "n_splits": 2}
TINY = Plan(
    (Source("B4", preset="B4", minutes=2.0),), (Experiment("instantaneous", most_active=8, **FEW),)
)


def demo(*arguments):
    return runner.invoke(app, ["demo", "--jobs", "1", *map(str, arguments)])


@pytest.fixture(scope="module", autouse=True)
def tiny():
    """Small plans for both demonstrations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Plan, "paper", classmethod(lambda cls: TINY))
        patch.setattr(Plan, "of", classmethod(lambda cls, *_, **__: TINY))
        yield


@pytest.fixture
def folder(monkeypatch, tmp_path_factory, finished, tmp_path):
    """A folder in which the demonstration has run, up to its page.

    The page takes seconds to draw, and is not what these tests are about.
    """
    monkeypatch.setattr(report, "write", lambda results, page: page.write_text("a page"))
    shutil.copy(finished, tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def finished(tiny, tmp_path_factory):
    """The store of a finished demonstration."""
    file = tmp_path_factory.mktemp("finished") / "demo.db"
    run(TINY.quick(), file, n_jobs=1)
    return file


@pytest.mark.integration
def test_the_demo_ends_with_a_page_and_goes_on_where_it_was(tmp_path):
    out = tmp_path / "a" / "first-look"
    result = demo("--out", out)
    assert result.exit_code == 0, result.output
    store, page = out / "demo.db", out / "demo.html"
    written, before = page.read_text(encoding="utf-8"), when_finished(store)
    assert "Planted and found" in written
    again = demo("--out", out)
    assert again.stdout == result.stdout
    assert when_finished(store) == before
    assert page.read_text(encoding="utf-8") == written


def test_it_says_what_was_planted_how_models_score_and_what_they_found(folder):
    recording, results = TINY.sources[0].load(), Results(folder / "demo.db")
    lines = demo("--out", folder).stdout.splitlines()
    assert len(lines) <= 15
    assert f"{recording.n_units} units" in lines[0]
    assert f"{recording.n_spikes:,} spikes" in lines[0]
    sizes = [len(units) for units in recording.groups.values()]
    assert [int(n) for n in re.findall(r"(\d+)(?: units)? in ", lines[1])] == sizes
    ranked = [line.text for line in scoreboard(results, brief=True)]
    assert lines[3 : 3 + len(ranked)] == ranked
    found = results.planted("B4")
    said = [re.match(r"(\S+) +(\d+) of (\d+) units found", line) for line in lines]
    assert [match.groups() for match in said if match] == [
        (each.name, str(len(each.right)), str(len(each.units))) for each in found
    ]
    next_command = "next: microcolumn compare YOUR_FILE --quick"
    assert lines[-2:] == [f"page: {folder / 'demo.html'}", next_command]


def test_programs_are_told_the_same_as_readers(folder):
    told = json.loads(demo("--out", folder, "--json").stdout)
    results = Results(folder / "demo.db")
    assert told["answer"] == report_dict(results)["answer"]
    assert told["cautions"] == report_dict(results)["cautions"]
    found = results.planted("B4")
    assert [each["units"] for each in told["planted"]["B4"]] == [[*each.units] for each in found]
    assert told["results"] == str(folder / "demo.db")
    assert told["page"] == str(folder / "demo.html")


def test_the_papers_demonstration_has_a_store_of_its_own(folder, finished):
    shutil.copy(finished, folder / "paper.db")
    run(TINY, folder / "paper.db", n_jobs=1)
    assert demo("--out", folder, "--paper").stdout.endswith(
        f"page: {folder / 'paper.html'}\nnext: microcolumn compare YOUR_FILE --quick\n"
    )


def test_the_page_is_opened_when_asked(folder, monkeypatch):
    opened = []
    monkeypatch.setattr(output.webbrowser, "open", lambda address: opened.append(address) or True)
    assert demo("--out", folder, "--open").exit_code == 0
    assert opened == [(folder / "demo.html").as_uri()]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "folder"):
        result = demo("--out", out)
        assert result.exit_code == 2
        [said] = result.stderr.splitlines()
        assert said.startswith(f"microcolumn: cannot write to {out}: ")
        assert said.endswith("; choose another place")
