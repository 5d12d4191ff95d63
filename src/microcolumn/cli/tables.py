"""The command that writes the tables of a study as CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .commands import add_command
from .output import Json, make_folder, print_json, say, say_started
from .stores import PlanOrStore, store_of


def add_to(study: typer.Typer) -> None:
    """Make this command known to ``microcolumn study``."""
    add_command(study, tables, "study tables plan.toml --out tables")


def tables(
    study: PlanOrStore,
    out: Annotated[Path, typer.Option(help="Folder for the files; made if it is not there.")],
    json: Json = False,
) -> None:
    """Write what a study has found so far as CSV files: scores, differences, assemblies, units, ...

    Also parameters with their intervals, and the adequacy of each model.
    """
    say_started()
    from ..report import write_tables
    from ..study import Results

    results = Results(store_of(study))
    make_folder(out)
    written = write_tables(results, out)
    if json:
        print_json({"tables": written})
    else:
        for path in written:
            say(path)
