"""The command line: thin commands over the API."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="How a recorded population of neurons works together.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback()
def main() -> None:
    """Models of spike words: fitted, normalised and compared in bits per second."""


@app.command(epilog="Example: microcolumn demo --units 15 --out first-look")
def demo(
    units: Annotated[int, typer.Option(min=3, help="Cells in the simulated column.")] = 20,
    minutes: Annotated[float, typer.Option(min=1.0, help="Length of the recording.")] = 30.0,
    l1: Annotated[float, typer.Option(min=0.0, help="L1 penalty of the fits.")] = 2e-3,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same numbers.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the figure.")] = Path("microcolumn-demo"),
) -> None:
    """Simulate a laminar population, fit four models, compare them on held-out words.

    Prints a table in bits per second and saves one figure; the first run compiles the kernels.
    """
    from . import demonstration  # the numerical libraries load only when a command runs

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        typer.echo(f"cannot write to {out}: {error.strerror}; choose another --out", err=True)
        raise typer.Exit(2) from None
    words, comparison, figure = demonstration.run(units, minutes, l1, seed)
    typer.echo(f"{words}, half of them held out\n\n{comparison}")
    for suffix in ("png", "pdf"):
        figure.savefig(out / f"comparison.{suffix}")
    typer.echo(f"\nfigure: {out / 'comparison.png'}")
