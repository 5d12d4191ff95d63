"""Commands that write a study's page and its figures."""

import json
import os

import planted_study
import pytest
from typer.testing import CliRunner

from microcolumn import figures
from microcolumn.cli import app
from microcolumn.figures import _all
from microcolumn.figures.conditions import SEVERAL_BINS
from microcolumn.study import NotComputedError
from microcolumn.study.plan import Plan

runner = CliRunner()


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A study of single bins alone, whose figures are quickly drawn."""
    plan = Plan((planted_study.SOURCE,), planted_study.PLAN.experiments[:1])
    return planted_study.write(tmp_path_factory.mktemp("study") / "plan.db", plan)


def study(*arguments):
    return runner.invoke(app, ["study", *map(str, arguments)])


def test_the_page_lies_beside_the_store(store):
    result = study("page", store)
    assert result.exit_code == 0, result.output
    page = store.with_suffix(".html")
    assert result.stdout == f"page: {page}\n"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("command", ["page", "figures", "tables"])
def test_a_place_that_cannot_be_written_to_is_one_sentence(store, tmp_path, command):
    (tmp_path / "file").write_text("")
    result = study(command, store, "--out", tmp_path / "file" / "x")
    assert result.exit_code == 2
    [said] = result.stderr.splitlines()
    assert said.startswith("microcolumn: cannot write ")
    assert said.endswith("; choose another place")


def test_figures_are_files_with_their_captions(store, tmp_path):
    result = study("figures", store, "--out", tmp_path / "f")
    assert result.exit_code == 0, result.output
    left_out = {n for n, each in figures.FIGURES.items() if each.draw.need is SEVERAL_BINS}
    rare = {"patterns", "forest", "bin_widths"}
    drawn = {n: figures.FIGURES[n] for n in {*figures.FIGURES} - left_out - rare}
    names = [name + "-cells" * each.per_recording for name, each in drawn.items()]
    assert set(os.listdir(tmp_path / "f")) == {"captions.txt", *(f"{n}.pdf" for n in names)}
    captions = (tmp_path / "f" / "captions.txt").read_text(encoding="utf-8")
    assert all(f"{name}: " in captions for name in names)
    assert result.stdout == f"figures: {tmp_path / 'f'}\n"


def test_the_papers_figures_are_drawn_also_where_they_show_nothing(store, tmp_path):
    result = study("figures", store, "--out", tmp_path / "f", "--paper", "--figure", "opening")
    found = {name.partition("-")[0].partition(".")[0] for name in os.listdir(tmp_path / "f")}
    paper = {"data", "parameters", "ranking", "patterns", "annealing"}  # of single bins
    assert found == {"captions", "opening", *paper}
    assert result.stderr.count("is left out") == 2  # the figures of words of several bins


def test_a_figure_that_cannot_be_drawn_is_told_and_the_others_are_written(
    store, tmp_path, monkeypatch
):
    def not_yet(results, recording=None, **where):
        raise NotComputedError("the data are not stored yet")

    drawn = {"data": _all.Figures(not_yet), "ranking": figures.FIGURES["ranking"]}
    monkeypatch.setattr(_all, "FIGURES", drawn)
    result = study("figures", store, "--out", tmp_path, "--format", "svg", "--json")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert (told["folder"], told["format"]) == (str(tmp_path), "svg")
    assert list(told["captions"]) == ["ranking"]
    assert told["captions"]["ranking"] in (tmp_path / "captions.txt").read_text(encoding="utf-8")
    assert result.stderr == "The figure data of cells is left out: the data are not stored yet\n"
    assert sorted(os.listdir(tmp_path)) == ["captions.txt", "ranking.svg"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--figure", "9"), "there is no figure '9'; choose from opening, planted, ranking (3), "),
        (("--recording", "X"), "the study has no recording 'X'; it has cells"),
        (("--width", "wide"), "--width is 'wide'; choose 'single' (89 mm), 'double' (183 mm)"),
        (("--font", "Nonesuch"), "--font 'Nonesuch' is not installed here; install it"),
    ],
)
def test_what_there_is_not_is_one_sentence_and_leaves_no_folder(store, tmp_path, asked, said):
    result = study("figures", store, "--out", tmp_path / "f", *asked)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"microcolumn: {said}")
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "f").exists()


def test_tables_are_written_and_named(store, tmp_path):
    result = study("tables", store, "--out", tmp_path / "new" / "tables")
    assert result.exit_code == 0, result.output
    files = sorted(path.name for path in (tmp_path / "new" / "tables").iterdir())
    names = ("adequacy", "assemblies", "differences", "scores", "units")
    assert files == [f"{name}.csv" for name in names]
    told = study("tables", store, "--out", tmp_path, "--json").stdout
    assert len(json.loads(told)["tables"]) == 5
