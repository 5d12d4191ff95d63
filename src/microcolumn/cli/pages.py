"""Commands that show a study: its page, its figures and its tables as files."""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..atomic import atomic_write
from ..errors import BadInput
from .commands import command, study
from .output import JSON, OPEN, make_folder, print_json, say, show, show_page
from .stores import MOST_LETTERS, PLAN_OR_STORE, results_of

if TYPE_CHECKING:
    from ..figures import FigureRequest


class Format(StrEnum):
    """Of figures as files."""

    pdf = "pdf"
    svg = "svg"
    png = "png"


@command(study, "study page plan.toml --open")
def page(
    study: Path = PLAN_OR_STORE,
    out: Path | None = typer.Option(None, help="The HTML file; next to the store by default."),
    open_page: bool = OPEN,
    json: bool = JSON,
) -> None:
    """Write what a study has found so far as one HTML page that needs no network."""
    results = results_of(study)
    from .. import report

    file = results.file.with_suffix(".html") if out is None else out
    report.write(results, file)
    if json:
        print_json({"page": file})
    show_page(file, open_page, quiet=json)


@command(study, "study figures plan.toml --figure ranking --width single")
def figures(
    study: Path = PLAN_OR_STORE,
    out: Path | None = typer.Option(
        None, help="Folder for the files; next to the store by default."
    ),
    format: Format = typer.Option(Format.pdf, help="PDF and SVG for papers, PNG for slides."),
    figure: list[str] | None = typer.Option(
        None, help="Name of a figure, or its number in the paper: 3, S1; repeatable."
    ),
    paper: bool = typer.Option(
        False, "--paper", help="Figures 1 to 6 and S1 of the paper, also where they show nothing."
    ),
    recording: list[str] | None = typer.Option(None, help="Name of a recording; repeatable."),
    width: str | None = typer.Option(
        None, help="single (89 mm), double (183 mm) or a number of mm.", metavar="WIDTH"
    ),
    font: str | None = typer.Option(
        None, help="An installed family; Arial or the like by default."
    ),
    dpi: int = typer.Option(
        300, help="Of PNG files, and of pictures in PDF and SVG.", min=50, max=2400
    ),
    json: bool = JSON,
) -> None:
    """Write the figures of a study as files, with their captions in captions.txt."""
    results = results_of(study)
    from ..figures import PAPER, draw_all, preset

    store = results.file
    folder = store.with_name(f"{store.stem}-figures") if out is None else out
    with preset(width, font):
        named = [*(figure or ()), *PAPER * paper]
        chosen = draw_all(results, figures=named, recordings=recording or ())
        make_folder(folder)
        captions: dict[str, str] = {}
        taken: set[str] = set()
        for request, drawn in chosen:
            name = _file_name(request, taken)
            if isinstance(drawn, str):
                say(drawn, err=True)
                continue
            with atomic_write(folder / f"{name}.{format}") as file:
                drawn.savefig(file, format=format, dpi=dpi)
            captions[name] = f"{drawn.title}. {drawn.caption}"
        if not captions:
            raise BadInput(f"{store} has nothing to draw yet", "run the study further")
        with atomic_write(folder / "captions.txt") as file:
            file.write("\n".join(f"{name}: {text}\n" for name, text in captions.items()).encode())
    done = {"folder": folder, "format": format, "captions": captions}
    show(json, done, f"figures: {folder}")


@command(study, "study tables plan.toml --out tables")
def tables(
    study: Path = PLAN_OR_STORE,
    out: Path = typer.Option(help="Folder for the files; made if it is not there."),
    json: bool = JSON,
) -> None:
    """Write what a study has found so far as CSV files: scores, differences, assemblies, units, ...

    Also parameters with their intervals, and the adequacy of each model.
    """
    results = results_of(study)
    from ..report import write_tables

    make_folder(out)
    written = write_tables(results, out)
    show(json, {"tables": written}, "\n".join(map(str, written)))


def _file_name(request: FigureRequest, taken: set[str]) -> str:
    """A name such as ``parameters-B4``, fit for all file systems, that is not ``taken`` yet."""
    parts = [request.name, (request.recording or "")[:MOST_LETTERS]]
    name = re.sub(r"[^\w.-]+", "_", "-".join(filter(None, parts)))
    names = chain([name], (f"{name}-{k}" for k in count(2)))
    free = next(each for each in names if each.casefold() not in taken)
    taken.add(free.casefold())
    return free
