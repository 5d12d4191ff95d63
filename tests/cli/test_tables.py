"""The command that writes CSV files."""

import json

import planted_study as planted
import pytest
from typer.testing import CliRunner

from microcolumn.cli import app


def microcolumn(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return planted.write(tmp_path_factory.mktemp("study") / "study.db")


def test_tables_are_written_and_named(store, tmp_path):
    result = microcolumn("study", "tables", store, "--out", tmp_path / "new" / "tables")
    assert result.exit_code == 0, result.output
    files = sorted(path.name for path in (tmp_path / "new" / "tables").iterdir())
    names = ("adequacy", "assemblies", "differences", "scores", "units")
    assert files == [f"{name}.csv" for name in names]
    told = microcolumn("study", "tables", store, "--out", tmp_path, "--json").stdout
    assert len(json.loads(told)["tables"]) == 5


def test_a_folder_that_cannot_be_made_is_one_sentence(store, tmp_path):
    (tmp_path / "file").write_text("")
    result = microcolumn("study", "tables", store, "--out", tmp_path / "file")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
