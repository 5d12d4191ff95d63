"""The command that shows everything on simulated recordings."""

from __future__ import annotations

from pathlib import Path

import typer

from .commands import app, command
from .output import (
    JSON,
    OF_FITS,
    OPEN,
    make_folder,
    own_command,
    print_json,
    say,
    say_blocks,
    say_started,
    show_page,
    terminal_columns,
)


@command(app, "demo --out first-look --open")
def demo(
    full: bool = typer.Option(
        False,
        "--full/--quick",
        help="The paper's whole protocol, which takes hours, or a small version of minutes.",
    ),
    jobs: int | None = typer.Option(None, min=1, help="Jobs at once; one per core by default."),
    out: Path = typer.Option(Path("microcolumn-demo"), help="Folder for results."),
    open_page: bool = OPEN,
    json: bool = JSON,
) -> None:
    """Run the paper's comparison on three simulated microcolumns and write a page about it.

    Prints the answer with its cautions and where the page is. An interrupted demo continues where
    it stopped. The first run compiles the kernels, which takes a minute.
    """
    say_started(OF_FITS)
    from .. import report  # the numerical libraries load only when a command runs
    from ..report.text import answer_blocks
    from ..study import Plan, run

    make_folder(out)
    plan, store = Plan.paper(), out / ("paper.db" if full else "quick.db")
    page = store.with_suffix(".html")
    results = run(plan if full else plan.quick(), store, n_jobs=jobs, command=own_command())
    report.write(results, page)
    if json:
        whole = report.report_dict(results)
        shown = {name: whole[name] for name in ("answer", "cautions")}
        print_json(shown | {"results": results.file, "page": page})
    else:
        say_blocks(answer_blocks(results, terminal_columns()))
        say(f"\nresults: {results.file}")
    show_page(page, open_page, quiet=json)
