"""How functions become commands, dataclasses groups of options, and errors one sentence.

Exit codes: 1 if the work failed, 2 for bad input, 130 if it was interrupted (128 and the signal's
number).
"""

import inspect
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import wraps
from signal import SIGINT
from traceback import format_exception
from typing import Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

from ..errors import BadInput
from .output import complain, say
from .reading import as_option, option_name

#: All commands in the order in which they are needed, as help lists them.
_BY_USE = (
    *("demo", "info", "compare", "contrast", "fit", "predict", "sample", "information", "layers"),
    *("study", "run", "status", "report", "page", "figures", "tables", "submit", "collect", "work"),
)


def _shown(options: list[Any]) -> list[Any]:
    """Options for help: flags take no value, and shell completion comes last."""
    for option in options:
        if getattr(option, "is_flag", False):
            option.metavar = ""
    return sorted(options, key=lambda option: "completion" in (option.name or ""))


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _shown(super().get_params(ctx))


class _Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return _shown(super().get_params(ctx))

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(super().list_commands(ctx), key=_BY_USE.index)


app = typer.Typer(
    help="How a recorded population of neurons works together.",
    cls=_Group,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
study = typer.Typer(
    help="A whole experiment from a plan: run it, watch it, print and draw its results.",
    cls=_Group,
    no_args_is_help=True,
)
app.add_typer(study, name="study")

Command = TypeVar("Command", bound=Callable[..., None])


def command(group: typer.Typer, example: str) -> Callable[[Command], Command]:
    """Make a function a command: its docstring is the help, and a line of use ends it."""

    def add(function: Command) -> Command:
        text = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(function) or "")
        epilog = f"Example: microcolumn {example}"
        added = group.command(cls=_Command, help=text, epilog=epilog)
        added(_with_options(function))
        return function

    return add


def _print_all(ctx: typer.Context, asked: bool) -> None:
    if asked:
        for option in ctx.command.params:
            option.hidden = False  # type: ignore[attr-defined]
        typer.echo(ctx.get_help())
        raise typer.Exit


_HELP_ALL = inspect.Parameter(
    "help_all",
    inspect.Parameter.KEYWORD_ONLY,
    default=typer.Option(
        False,
        "--help-all",
        callback=_print_all,
        is_eager=True,
        help="Show all options, also those that few need.",
    ),
    annotation=bool,
)


def _with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with a parameter for each field of a parameter that is a dataclass."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: each for name, each in hints.items() if is_dataclass(each)}
    parameters = []
    for name, parameter in inspect.signature(command).parameters.items():
        found = [(name, parameter.default, hints[name])]
        if name in groups:
            of_fields = get_type_hints(groups[name], include_extras=True)
            own = fields(groups[name])
            found = [(each.name, each.default, of_fields[each.name]) for each in own]
        parameters += [  # by name, since those without a default need not come first then
            inspect.Parameter(each, parameter.KEYWORD_ONLY, default=default, annotation=hint)
            for each, default, hint in found
        ]

    if any(getattr(each.default, "hidden", False) for each in parameters):
        parameters.append(_HELP_ALL)
    options = {
        each.name: option_name(each.name, each.default)
        for each in parameters
        if isinstance(each.default, OptionInfo)
    }

    @wraps(command)
    def run(**values: Any) -> None:
        values.pop(_HELP_ALL.name, None)
        with one_sentence(options):
            for name, group in groups.items():
                chosen = {each.name: values.pop(each.name) for each in fields(group)}
                values[name] = group(**chosen)
            command(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


@contextmanager
def one_sentence(options: Mapping[str, str]) -> Iterator[None]:
    """Turn what is raised into a sentence, with names of ``options``, and an exit code."""
    try:
        yield
    except (BrokenPipeError, typer.Exit):  # the output's reader has seen enough; ended already
        raise
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get("MICROCOLUMN_DEBUG", "0") not in ("", "0"):
            say("".join(format_exception(error)), err=True)
        sentence, code = _outcome(error, options)
        complain(sentence)
        raise typer.Exit(code) from None


def _outcome(error: BaseException, options: Mapping[str, str]) -> tuple[str, int]:
    """What to say of an error, and the exit code."""
    if isinstance(error, KeyboardInterrupt):
        number, *_ = error.args or [SIGINT]
        return "interrupted; run the same command again to go on", 128 + number
    if isinstance(error, MemoryError):
        reason = f" ({error})" if str(error) else ""
        remedy = "use fewer units, wider bins or a shorter part of the recording"
        return f"the memory of this machine is too small{reason}; {remedy}", 1
    if isinstance(error, BadInput):
        return error.sentence(options, as_option), 2
    if isinstance(error, OSError | ImportError):
        return str(error), 2
    if isinstance(error, RuntimeError):
        from ..study import StudyError

        if isinstance(error, StudyError):
            return str(error), 1
    remedy = "set MICROCOLUMN_DEBUG=1 to see the traceback, and please report it"
    return f"internal error: {type(error).__name__}: {error}; {remedy}", 1
