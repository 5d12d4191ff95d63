"""All commands together: what a newcomer sees first, and how soon."""

import shlex
import subprocess
import sys

import planted_study
import pytest
import typer
from commands import refused_option
from typer.testing import CliRunner

import microcolumn as mc
from microcolumn.cli import app
from microcolumn.io import READERS


def microcolumn(*arguments, **options):
    return CliRunner().invoke(app, arguments, **options)


def commands(group, name="microcolumn"):
    """Every command with its whole name."""
    for word, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{name} {word}")
        else:
            yield f"{name} {word}", command


COMMANDS = dict(commands(typer.main.get_command(app)))


def test_every_command_has_help_that_ends_with_an_example_that_parses():
    assert {"microcolumn demo", "microcolumn compare", "microcolumn study run"} <= set(COMMANDS)
    for name, command in COMMANDS.items():
        assert command.help, name
        example = command.epilog.removeprefix("Example: ")
        assert example.startswith(f"{name} "), example
        command.make_context(name, shlex.split(example.removeprefix(name)))
        told = microcolumn(*name.split()[1:], "-h")
        assert told.exit_code == 0
        assert "Example: " in told.stdout
        assert told.stdout == microcolumn(*name.split()[1:], "--help").stdout


def options():
    """Names of options, each with the commands that have it."""
    found = {}
    for name, command in COMMANDS.items():
        for parameter in command.params:
            for option in parameter.opts:
                found.setdefault(option, set()).add(name.removeprefix("microcolumn "))
    return found


def test_every_command_prints_json():
    assert options()["--json"] == {name.removeprefix("microcolumn ") for name in COMMANDS}


def test_an_option_has_one_name():
    found = options()
    assert found["--units"] == found["--ids"] == {"info", "fit", "compare", "predict"}
    assert found["--l1"] == {"fit", "compare"}
    assert found["--open"] == {"compare", "demo", "study page"}
    assert found["--predict"] == {"predict"}
    assert not {"--unit", "--keep", "--penalty", "--variant"} & set(found)


def test_the_formats_are_listed_in_the_help_and_where_the_name_of_one_is_wrong(tmp_path):
    (tmp_path / "a.csv").write_text("unit,time\n1,0.5\n")
    for command in ("info", "fit", "compare", "predict"):
        told = microcolumn(command, "--help", env={"COLUMNS": "300"}).output
        assert f"show it: {', '.join(READERS)}." in told
    refused_option("reader", "info", tmp_path / "a.csv", "--reader", "excel")


def test_the_version_is_printed():
    assert microcolumn("--version").stdout == f"microcolumn {mc.__version__}\n"


def test_shells_complete_names_of_commands():
    asked = {
        "_MICROCOLUMN_COMPLETE": "complete_bash",
        "COMP_WORDS": "microcolumn s",
        "COMP_CWORD": "1",
    }
    told = microcolumn(env=asked, prog_name="microcolumn").stdout.split()
    assert set(told) == {"sample", "study"}


HEAVY = {"numba", "llvmlite", "scipy", "sklearn", "matplotlib", "pandas", "joblib"}


def loaded_by(*arguments):
    """Modules that a command loads in an interpreter of its own."""
    code = (
        "import sys\n"
        "from microcolumn.cli import app\n"
        "try:\n    app(sys.argv[1:])\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        "print('loaded:', *sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return {name.partition(".")[0] for name in result.stdout.rpartition("loaded:")[2].split()}


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("fit", "--help")])
def test_the_first_word_comes_without_numerical_libraries(arguments):
    assert not loaded_by(*arguments) & {"numpy", *HEAVY}


def test_the_status_of_a_study_comes_without_numerical_libraries(tmp_path):
    plan = tmp_path / "study.toml"
    plan.write_text("[recordings.cells]\npreset = 'B4'\n")
    store = planted_study.write(tmp_path / "study.db")
    for study in (store, plan):
        assert not loaded_by("study", "status", study) & HEAVY
