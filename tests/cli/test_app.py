"""All commands together: what a newcomer sees first."""

import shlex

import typer
from typer.testing import CliRunner

from microcolumn.cli import app


def microcolumn(*arguments):
    return CliRunner().invoke(app, arguments)


def commands(group, name="microcolumn"):
    """Every command with its whole name."""
    for word, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{name} {word}")
        else:
            yield f"{name} {word}", command


def test_every_command_has_help_that_ends_with_an_example_that_parses():
    found = dict(commands(typer.main.get_command(app)))
    assert {"microcolumn demo", "microcolumn compare", "microcolumn study run"} <= set(found)
    for name, command in found.items():
        assert command.help, name
        example = command.epilog.removeprefix("Example: ")
        assert example.startswith(f"{name} "), example
        command.make_context(name, shlex.split(example.removeprefix(name)))
        told = microcolumn(*name.split()[1:], "--help")
        assert told.exit_code == 0
        assert "Example: " in told.stdout


def test_commands_are_listed_where_none_is_given():
    assert "compare" in microcolumn().output
    assert "status" in microcolumn("study").output
