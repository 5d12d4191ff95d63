"""The demonstration as a command, on a plan small enough for tests."""

import json
import shutil

import pytest
from small_study import when_finished
from typer.testing import CliRunner

from microcolumn import report
from microcolumn.cli import app, output
from microcolumn.report import report_dict
from microcolumn.report._cautions import cautions
from microcolumn.report.scoreboard import scoreboard
from microcolumn.study import Experiment, Plan, Results, Source, run

runner = CliRunner()

TINY = Plan(
    (Source("B4", preset="B4", minutes=0.7),),
    (Experiment("instantaneous", most_active=5, n_hidden=3, l1=(1e-3, 4e-3), n_splits=1),),
)


def demo(*arguments):
    return runner.invoke(app, ["demo", "--jobs", "1", *map(str, arguments)])


@pytest.fixture(scope="module", autouse=True)
def tiny():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Plan, "paper", classmethod(lambda cls: TINY))
        yield


@pytest.fixture
def blank(monkeypatch):
    """A page without content: it takes seconds to draw, and is not what these tests are about."""

    def write(results, page):
        page.write_text(f"of {results.file.name}")

    monkeypatch.setattr(report, "write", write)


@pytest.fixture(scope="module")
def finished(tiny, tmp_path_factory):
    """The store of a finished demonstration."""
    file = tmp_path_factory.mktemp("finished") / "quick.db"
    run(TINY.quick(), file, n_jobs=1)
    return file


@pytest.fixture
def folder(blank, finished, tmp_path):
    """A folder in which the demonstration has run, up to its page."""
    shutil.copy(finished, tmp_path)
    return tmp_path


@pytest.mark.integration
def test_the_demo_prints_the_answer_and_where_results_and_page_are(tmp_path):
    out = tmp_path / "a" / "first-look"
    result = demo("--out", out)
    assert result.exit_code == 0, result.output
    results = Results(out / "quick.db")
    store, page = out / "quick.db", out / "quick.html"
    board = "\n".join(line.text for line in scoreboard(results))
    assert result.stdout == f"{board}\n\nresults: {store}\npage: {page}\n"
    written = page.read_text(encoding="utf-8")
    before = when_finished(store)
    # Data; fits with alternatives; test; patterns, annealing; predictions; structures; assemblies.
    assert len(before) == 1 + 9 + 1 + 2 + 9 + 3 + 2
    again = demo("--out", out)
    assert again.stdout == result.stdout
    assert when_finished(store) == before
    assert page.read_text(encoding="utf-8") == written


def test_programs_are_told_the_same_as_readers(folder):
    store, page = folder / "quick.db", folder / "quick.html"
    told = json.loads(demo("--out", folder, "--json").stdout)
    results = Results(store)
    assert told["answer"] == report_dict(results)["answer"]
    assert told["answer"]["findings"][0]["recording"] == "B4"
    assert (told["results"], told["page"]) == (str(store), str(page))
    assert told["cautions"] == cautions(results)
    assert set(told["answer"]["quick_look"]) == {"small", "remedy"}


def test_the_page_is_opened_when_asked(folder, monkeypatch):
    opened = []
    monkeypatch.setattr(output.webbrowser, "open", lambda address: opened.append(address) or True)
    assert demo("--out", folder, "--open").exit_code == 0
    assert opened == [(folder / "quick.html").as_uri()]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "folder"):
        result = demo("--out", out)
        assert result.exit_code == 2
        [said] = result.stderr.splitlines()
        assert said.startswith(f"microcolumn: cannot write to {out}: ")
        assert said.endswith("; choose another place")
