"""The command that contrasts two conditions of a recording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import BadArgument
from ..models.spec import FAMILY
from ..study.progress import log_if_slow
from . import output, reading
from .commands import app, command
from .models import estimator_of
from .recordings import save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_OF_CONDITION = "labels or tables of epochs, as info lists them, or stretches in seconds: 0-600."


@command(app, "contrast session.nwb --a spontaneous --b flashes")
def contrast(
    data: reading.Data,
    file: str = reading.RECORDING_FILE,
    a: list[str] = typer.Option(help=f"One condition: {_OF_CONDITION} Repeatable."),
    b: list[str] = typer.Option(help="The other condition, likewise."),
    model: str = typer.Option("Ising", help=f"{', '.join(FAMILY)}."),
    bin_width: float = typer.Option(0.020, help="Width of a bin, seconds."),
    most_active: int | None = typer.Option(None, help="Keep this many most active units."),
    l1: float | None = typer.Option(
        None, help="L1 strength; by default chosen on a fifth of the words of both conditions."
    ),
    seed: int = typer.Option(0, min=0, help="Same seed, same numbers."),
    figure: Path | None = typer.Option(
        None, help="Save a figure here: couplings in both conditions, changes on the probe."
    ),
    json: bool = output.JSON,
) -> None:
    """Say whether two conditions of a recording differ: in rates, couplings, groups and entropy.

    Conditions should alternate, with seven visits to each or more. With fewer, a slow drift looks
    like a difference, and the answer says so.
    """
    output.say_started(output.OF_FITS)
    from ..evaluate import contrast as contrasted, tune
    from ..recording import most_active as most_active_units
    from ..words import Words

    settings = reading.given(l1=l1)
    recording = data.read(file)
    if most_active is not None:
        recording = recording.take(most_active_units(recording, most_active))
    parts = [recording.restrict(reading.stretches(*each)) for each in ((a, "a"), (b, "b"))]
    if shared := parts[0].epochs.intersect(parts[1].epochs).duration_s:
        problem = f"shares {shared:g} s with --a"
        raise BadArgument("b", problem, "give stretches that do not overlap")
    words = [part.bin(bin_width) for part in parts]
    names = [" ".join(each[:3]) + " ..." * (len(each) > 3) for each in (a, b)]
    with output.warnings_as_lines(), log_if_slow("contrasting the conditions"):
        estimator: Any = estimator_of(model, seed, settings)
        if "l1" in estimator.get_params() and l1 is None:
            estimator = tune(estimator, Words.concatenate(words), random_state=seed).best
        result = contrasted(words[0], words[1], estimator, names=names, random_state=seed)
    if figure is not None:
        save(_figure(result), figure)
    output.show(json, result.as_dict(), result)


def _figure(result: Any) -> Figure:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from .. import plot
    from ..plot.style import RC

    with rc_context(RC):
        drawn = Figure(figsize=(5.4, 3.2), layout="constrained")
        couplings, probe = drawn.subplots(1, 2, width_ratios=(3, 1.4))
        plot.contrast(result, ax=couplings)
        plot.contrast(result, of="rates", ax=probe)
    return drawn
