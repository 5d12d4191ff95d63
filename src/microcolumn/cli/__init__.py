"""The command line: thin commands over the API."""

from __future__ import annotations

import typer

from . import demonstrating, models, recordings, studies

app = typer.Typer(
    help="How a recorded population of neurons works together.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def main() -> None:
    """Models of spike words: fitted, normalised and compared in bits per second."""


for commands in (demonstrating, recordings, models, studies):
    commands.add_to(app)
