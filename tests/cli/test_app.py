"""All commands together: what a newcomer sees first, and how soon."""

import shlex
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

import microcolumn as mc
from microcolumn.cli import app


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


def test_the_version_is_printed():
    assert microcolumn("--version").stdout == f"microcolumn {mc.__version__}\n"


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
