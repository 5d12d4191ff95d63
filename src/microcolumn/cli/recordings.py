"""Commands that look at one recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..atomic import atomic_write
from ..errors import BadArgument
from ..study.progress import log_if_slow
from . import reading
from .commands import app, command
from .output import Json, folded, say, say_started, show

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@command(app, "info session.nwb --depth-reference surface")
def info(
    file: reading.RecordingFile,
    data: reading.Data,
    figure: Annotated[
        Path | None, typer.Option(help="Save the correlogram behind the bin width here.")
    ] = None,
    json: Json = False,
) -> None:
    """Print what is in a recording: units, depths, layers, rates, epochs, bin width, warnings."""
    say_started("coincidences")
    from .. import figures  # the numerical libraries load only when a command runs
    from ..survey import summarise

    summary = summarise(data.read(file), step=log_if_slow)
    if figure is not None:
        save(figures.correlogram(summary.bin_width), figure)
    show(json, summary.as_dict(), folded(str(summary)))


@command(app, "layers session.nwb --flashes flashes --depth-reference tip")
def layers(
    file: Annotated[Path, typer.Argument(help="NWB file with a field potential and flashes.")],
    flashes: Annotated[str, typer.Option(help="Table of intervals with the flashes.")],
    depth_reference: Annotated[
        str, typer.Option(help="What depths are measured from: surface, tip or 'layer IV'.")
    ],
    series: Annotated[str | None, typer.Option(help="Electrical series, if several.")] = None,
    group: Annotated[str | None, typer.Option(help="Electrode group, if several.")] = None,
    depth_column: Annotated[
        str | None, typer.Option(help="Column of the electrodes table with depths in µm.")
    ] = None,
    centre: Annotated[float | None, typer.Option(help="Put layer IV here instead, µm.")] = None,
    top: Annotated[float | None, typer.Option(help="Its upper limit, µm.")] = None,
    bottom: Annotated[float | None, typer.Option(help="Its lower limit, µm.")] = None,
    figure: Annotated[Path, typer.Option(help="Figure to judge it by.")] = Path("layers.png"),
    json: Json = False,
) -> None:
    """Find layer IV by the earliest large sink after flashes; look at the figure before you accept.

    Prints the boundaries as the --layers option of other commands takes them.
    """
    say_started()
    from .. import figures, io
    from ..survey import layers_from_flashes

    times = io.read_flashes(file, flashes)
    with io.read_lfp(
        file,
        depth_reference=depth_reference,
        series=series,
        depth_column=depth_column,
        group=group,
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
