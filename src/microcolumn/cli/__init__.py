"""The command line: thin commands over the API."""

from __future__ import annotations

import sys
import warnings

import typer

from . import demonstrating, models, recordings, studies

app = typer.Typer(
    help="How a recorded population of neurons works together.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

_TRACKED = "ignore:resource_tracker:UserWarning"


@app.callback()
def main() -> None:
    """Models of spike words: fitted, normalised and compared in bits per second."""
    # What joblib and Python's tracker of semaphores say of jobs cut short by Ctrl-C: no news.
    warnings.filterwarnings("ignore", r"\d+ tasks have been successfully executed", UserWarning)
    if _TRACKED not in sys.warnoptions:  # the tracker is a process that inherits these
        sys.warnoptions.append(_TRACKED)


for commands in (demonstrating, recordings, models, studies):
    commands.add_to(app)
