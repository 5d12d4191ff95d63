"""The command line: thin commands over the API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

app = typer.Typer(
    help="How a recorded population of neurons works together.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@contextmanager
def _bad_input_is_one_sentence() -> Iterator[None]:
    """Turn what the API raises over bad input into its sentence and exit code 2."""
    try:
        yield
    except (ValueError, OSError, ImportError) as error:
        typer.echo(f"microcolumn: {error}", err=True)
        raise typer.Exit(2) from None


@app.callback()
def main() -> None:
    """Models of spike words: fitted, normalised and compared in bits per second."""


@app.command(epilog="Example: microcolumn demo --units 15 --out first-look")
def demo(
    units: Annotated[int, typer.Option(min=3, help="Cells in the simulated column.")] = 20,
    minutes: Annotated[float, typer.Option(min=1.0, help="Length of the recording.")] = 30.0,
    l1: Annotated[float, typer.Option(min=0.0, help="L1 penalty of the fits.")] = 1e-3,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same numbers.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the figure.")] = Path("microcolumn-demo"),
) -> None:
    """Simulate a microcolumn, fit four models, compare them on held-out words.

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


@app.command(epilog="Example: microcolumn info session.nwb --depth-reference surface --json")
def info(
    file: Annotated[Path, typer.Argument(help="Recording: a file or folder of any known format.")],
    reader: Annotated[
        str | None, typer.Option(help="Format, where the content does not tell.")
    ] = None,
    depth_reference: Annotated[
        str,
        typer.Option(help="What depths are measured from: surface, tip, 'layer IV' or unstated."),
    ] = "unstated",
    layers: Annotated[
        str | None,
        typer.Option(
            help="Layers of the units: a CSV of unit,layer, a column of the file's table, or "
            "boundaries by depth such as 'II/III 650 IV 1000 V/VI'."
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="Option of the format as name=value, for example time_unit=ms."),
    ] = None,
    epochs: Annotated[
        str | None,
        typer.Option(help="Keep the epochs of this label, or this stretch in seconds: 0-3600."),
    ] = None,
    unit: Annotated[list[str] | None, typer.Option(help="Keep this unit; repeatable.")] = None,
    layer: Annotated[list[str] | None, typer.Option(help="Keep this layer; repeatable.")] = None,
    quality: Annotated[
        list[str] | None, typer.Option(help="Keep units of this quality; repeatable.")
    ] = None,
    multiunit: Annotated[
        bool | None, typer.Option("--multiunits/--single-units", help="Keep these alone.")
    ] = None,
    min_rate: Annotated[float | None, typer.Option(help="Keep units from this rate, Hz.")] = None,
    max_rate: Annotated[float | None, typer.Option(help="Keep units up to this rate, Hz.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    figure: Annotated[
        Path | None, typer.Option(help="Save the correlogram behind the bin width here.")
    ] = None,
) -> None:
    """Print what is in a recording: units, depths, layers, rates, epochs, bin width, warnings."""
    from json import dumps

    from . import figures, io
    from .survey.summary import summarise

    with _bad_input_is_one_sentence():
        recording = io.read(
            file,
            reader=reader,
            depth_reference=depth_reference,
            layers=layers,
            quality=quality or None,
            epochs=_stretch(epochs),
            **_options(option or []),
        ).select(
            ids=unit or None,
            layer=layer or None,
            multiunit=multiunit,
            min_rate_hz=min_rate,
            max_rate_hz=max_rate,
        )
        summary = summarise(recording)
        if figure is not None:
            _save(figures.correlogram(summary.bin_width), figure)
    typer.echo(dumps(summary.as_dict(), indent=2, allow_nan=False) if json else summary)


@app.command(
    epilog="Example: microcolumn layers session.nwb --flashes flashes --depth-reference tip"
)
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
    from . import figures, io
    from .survey import layers_from_flashes

    with _bad_input_is_one_sentence():
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
        _save(figures.csd(found), figure)
    typer.echo(f"{found}\n\n--depth-reference '{depth_reference}' --layers ", nl=False)
    typer.echo(f"'II/III {found.top_um:.0f} IV {found.bottom_um:.0f} V/VI'")


def _options(pairs: list[str]) -> dict[str, Any]:
    """``name=value`` pairs as keyword arguments; true, false and numbers are not text."""
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise ValueError(f"--option {pair!r} is not of the form name=value")
        options[name] = _value(value)
    return options


def _value(text: str) -> bool | int | float | str:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _stretch(epochs: str | None) -> Any:
    """A label as it is, START-STOP as one epoch."""
    found = re.fullmatch(r"([\d.]+)-([\d.]+)", epochs or "")
    return epochs if found is None else [[float(found[1]), float(found[2])]]


def _save(figure: Figure, path: Path) -> None:
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
