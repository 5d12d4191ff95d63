"""How functions become commands, and dataclasses groups of options that commands share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

import typer

from .failures import one_sentence


def add_command(app: typer.Typer, command: Callable[..., None], example: str) -> None:
    """Make a function a command: its docstring is the help, and a line of use ends it."""
    text = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.getdoc(command) or "")
    app.command(help=text, epilog=f"Example: microcolumn {example}")(_with_options(command))


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

    options = [each.name for each in parameters if each.default is not each.empty]

    @wraps(command)
    def run(**values: Any) -> None:
        with one_sentence(options):
            for name, group in groups.items():
                chosen = {each.name: values.pop(each.name) for each in fields(group)}
                values[name] = group(**chosen)
            command(**values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run
