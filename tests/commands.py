"""The command line in tests: what a command prints, and how it refuses."""

from typer.testing import CliRunner

from microcolumn.cli import app
from microcolumn.errors import BadInput


def run(*arguments, **environment):
    """The result of a command."""
    return CliRunner(env=environment).invoke(app, [str(argument) for argument in arguments])


def done(*arguments):
    """The result of a command that succeeds."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def one_sentence(result, code=2):
    """What a command that ends early says: one line, on the error stream, not a traceback."""
    assert result.exit_code == code, result.output
    assert isinstance(result.exception, SystemExit)
    [line] = result.output.splitlines()
    assert line.startswith("microcolumn: ")
    assert line in result.stderr
    return line


def assert_refused(sentence, *arguments):
    """A command says this in one sentence, with exit code 2 and no result."""
    assert sentence in one_sentence(run(*arguments))


def assert_option_refused(argument, *arguments):
    """A command refuses this argument of the API and calls it by the name of its option."""
    result = run(*arguments)
    assert one_sentence(result).startswith("microcolumn: --")
    error = result.exception
    while not isinstance(error, BadInput):  # what click made of it says where it came from
        error = error.__context__
    assert error.argument == argument
