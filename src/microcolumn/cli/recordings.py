"""Commands that look at one recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..atomic import atomic_write
from ..errors import BadArgument
from ..study.progress import log_if_slow
from . import reading
from .commands import app, command
from .output import JSON, say, say_started, show

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@command(app, "info session.nwb --depth-reference surface")
def info(
    data: reading.Data,
    file: str = reading.RECORDING_FILE,
    figure: Path | None = typer.Option(
        None, help="Save the correlogram behind the bin width here."
    ),
    json: bool = JSON,
) -> None:
    """Print what is in a recording: units, depths, layers, rates, epochs, bin width, warnings."""
    say_started("coincidences")
    from .. import figures  # the numerical libraries load only when a command runs
    from ..survey import summarise

    summary = summarise(data.read(file), step=log_if_slow)
    if figure is not None:
        save(figures.correlogram(summary.bin_width), figure)
    show(json, summary.as_dict(), summary)


@command(app, "layers session.nwb --flashes flashes --depth-reference tip")
def layers(
    file: Path = typer.Argument(help="NWB file with a field potential and flashes."),
    flashes: str = typer.Option(help="Table of intervals with the flashes."),
    depth_reference: str = typer.Option(
        help="What depths are measured from: surface, tip or 'layer IV'."
    ),
    series: str | None = typer.Option(None, help="Electrical series, if several."),
    group: str | None = typer.Option(None, help="Electrode group, if several."),
    depth_column: str | None = typer.Option(
        None, help="Column of the electrodes table with depths in µm."
    ),
    centre: float | None = typer.Option(None, help="Put layer IV here instead, µm."),
    top: float | None = typer.Option(None, help="Its upper limit, µm."),
    bottom: float | None = typer.Option(None, help="Its lower limit, µm."),
    figure: Path = typer.Option(Path("layers.png"), help="Figure to judge it by."),
    json: bool = JSON,
) -> None:
    """Find layer IV by the earliest large sink after flashes; look at the figure before you accept.

    Prints the boundaries as the --layers option of other commands takes them.
    """
    say_started()
    from .. import figures, io
    from ..survey import layers_from_flashes

    times = io.read_flashes(file, flashes)
    with io.read_lfp(
        file, depth_reference=depth_reference, series=series, depth_column=depth_column, group=group
    ) as lfp:
        found = layers_from_flashes(lfp, times)
    if (centre, top, bottom) != (None, None, None):
        found = found.corrected(centre, top, bottom)
    save(figures.csd(found), figure)
    boundaries = f"II/III {found.top_um:.0f} IV {found.bottom_um:.0f} V/VI"
    result = {
        "depth_reference": depth_reference,
        "layers": boundaries,
        "boundaries_um": found.boundaries,
        "centre_um": found.centre_um,
        "sinks": found.sinks,
        "n_flashes": found.n_flashes,
        "notes": found.notes,
        "figure": figure,
    }
    options = f"--depth-reference '{depth_reference}' --layers '{boundaries}'"
    show(json, result, f"{found}\n\n{options}")


def save(figure: Figure, path: Path) -> None:
    """Write a figure completely or not at all."""
    ending = path.suffix.lower().lstrip(".")
    if ending not in figure.canvas.get_supported_filetypes():
        raise BadArgument("figure", f"{path} needs an ending such as .png, .pdf or .svg")
    with atomic_write(path) as file:
        figure.savefig(file, format=ending)
    say(f"figure: {path}", err=True)
