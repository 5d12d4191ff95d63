"""Commands that look at one recording."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import reading
from .failures import one_sentence

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def add_to(app: typer.Typer) -> None:
    """Make these commands known to ``microcolumn``."""
    example = "microcolumn info session.nwb --depth-reference surface --json"
    app.command(epilog=f"Example: {example}")(info)
    example = "microcolumn layers session.nwb --flashes flashes --depth-reference tip"
    app.command(epilog=f"Example: {example}")(layers)


def info(
    file: Annotated[Path, typer.Argument(help="Recording: a file or folder of any known format.")],
    reader: reading.Reader = None,
    depth_reference: reading.DepthReference = "unstated",
    layers: reading.Layers = None,
    option: reading.Option = None,
    epochs: reading.Epochs = None,
    unit: reading.Unit = None,
    layer: reading.Layer = None,
    quality: reading.Quality = None,
    multiunit: reading.Multiunit = None,
    min_rate: reading.MinRate = None,
    max_rate: reading.MaxRate = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    figure: Annotated[
        Path | None, typer.Option(help="Save the correlogram behind the bin width here.")
    ] = None,
) -> None:
    """Print what is in a recording: units, depths, layers, rates, epochs, bin width, warnings."""
    from json import dumps

    from .. import figures, io  # the numerical libraries load only when a command runs
    from ..survey import summarise

    with one_sentence():
        recording = io.read(
            file,
            reader=reader,
            depth_reference=depth_reference,
            layers=layers,
            quality=quality or None,
            epochs=reading.stretch(epochs),
            **reading.format_options(option),
        ).select(
            ids=unit or None,
            layer=layer or None,
            multiunit=multiunit,
            min_rate_hz=min_rate,
            max_rate_hz=max_rate,
        )
        summary = summarise(recording)
        if figure is not None:
            save(figures.correlogram(summary.bin_width), figure)
    typer.echo(dumps(summary.as_dict(), indent=2, allow_nan=False) if json else summary)


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
) -> None:
    """Find layer IV by the earliest large sink after flashes; look at the figure before you accept.

    Prints the boundaries as the --layers option of other commands takes them.
    """
    from .. import figures, io
    from ..survey import layers_from_flashes

    with one_sentence():
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
    typer.echo(f"{found}\n\n--depth-reference '{depth_reference}' --layers ", nl=False)
    typer.echo(f"'II/III {found.top_um:.0f} IV {found.bottom_um:.0f} V/VI'")


def save(figure: Figure, path: Path) -> None:
    """Write a figure whole or not at all."""
    known = figure.canvas.get_supported_filetypes()
    if path.suffix.lower().lstrip(".") not in known:
        raise ValueError(f"--figure {path} needs an ending such as .png, .pdf or .svg")
    content = BytesIO()
    figure.savefig(content, format=path.suffix.lower().lstrip("."))
    try:
        path.write_bytes(content.getvalue())
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror}; choose another --figure") from None
    typer.echo(f"figure: {path}", err=True)
