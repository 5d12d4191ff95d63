"""The command that shows everything on simulated recordings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .failures import one_sentence


def add_to(app: typer.Typer) -> None:
    """Make this command known to ``microcolumn``."""
    app.command(epilog="Example: microcolumn demo --out first-look")(demo)


def demo(
    full: Annotated[
        bool,
        typer.Option("--full/--quick", help="The paper's whole protocol, or a small version."),
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Jobs at once; one per core by default.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for results.")] = Path("microcolumn-demo"),
) -> None:
    """Run the paper's comparison on three simulated microcolumns and print the report.

    Keeps the results and one figure; an interrupted demo goes on where it was. The first run
    compiles the kernels.
    """
    from .. import demonstration  # the numerical libraries load only when a command runs
    from ..study import report_text

    with one_sentence():
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OSError(
                f"cannot write to {out}: {error.strerror}; choose another --out"
            ) from None
        command = " ".join(["microcolumn", *sys.argv[1:]])
        results, figure = demonstration.run(out, full=full, n_jobs=jobs, command=command)
        typer.echo(report_text(results))
        for suffix in ("png", "pdf"):
            figure.savefig(out / f"comparison.{suffix}")
    typer.echo(f"\nresults: {results.file}\nfigure: {out / 'comparison.png'}")
