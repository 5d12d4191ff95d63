from typer.testing import CliRunner

from microcolumn import demonstration
from microcolumn.cli import app

runner = CliRunner()
SMALL = ["demo", "--units", "6", "--minutes", "2"]


def test_the_demo_prints_the_table_and_saves_the_figure(tmp_path):
    result = runner.invoke(app, [*SMALL, "--out", str(tmp_path / "new")])
    assert result.exit_code == 0
    for name in ("bits/s", "Independent", "Ising", "RBM", "SemiRBM"):
        assert name in result.output
    assert (tmp_path / "new" / "comparison.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "new" / "comparison.pdf").read_bytes().startswith(b"%PDF")


def test_the_demo_gives_the_same_numbers_twice():
    _, first, _ = demonstration.run(n_units=6, minutes=2.0)
    _, second, _ = demonstration.run(n_units=6, minutes=2.0)
    assert str(first) == str(second)


def test_an_unwritable_folder_is_one_sentence_and_exit_code_2(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    result = runner.invoke(app, [*SMALL, "--out", str(tmp_path / "file")])
    assert result.exit_code == 2
    assert "cannot write to" in result.output
    assert "--out" in result.output


def test_bad_options_end_with_exit_code_2_and_help_shows_an_example():
    assert runner.invoke(app, ["demo", "--l1", "-1"]).exit_code == 2
    assert runner.invoke(app, ["demo", "--units", "two"]).exit_code == 2
    assert "Example: microcolumn demo" in runner.invoke(app, ["demo", "--help"]).output
