"""The command that shows everything on simulated recordings."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from .failures import one_sentence
from .pages import Open, tell_page
from .writing import made_folder


def add_to(app: typer.Typer) -> None:
    """Make this command known to ``microcolumn``."""
    app.command(epilog="Example: microcolumn demo --out first-look --open")(demo)


def demo(
    full: Annotated[
        bool,
        typer.Option(
            "--full/--quick",
            help="The paper's whole protocol, which takes hours, or a small version of minutes.",
        ),
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Jobs at once; one per core by default.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for results.")] = Path("microcolumn-demo"),
    open_page: Open = False,
) -> None:
    """Run the paper's comparison on three simulated microcolumns and write a page about it.

    Prints which model is best on each and where the page is. An interrupted demo goes on where it
    was. The first run compiles the kernels.
    """
    from .. import demonstration  # the numerical libraries load only when a command runs

    with one_sentence():
        made_folder(out)
        command = shlex.join(["microcolumn", *sys.argv[1:]])
        results, page = demonstration.run(out, full=full, n_jobs=jobs, command=command)
        for name in results.recordings:
            typer.echo(f"{name}: {results.comparison(name).answer}")
    typer.echo(f"results: {results.file}")
    tell_page(page, open_page)
