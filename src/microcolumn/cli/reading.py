"""Options that say how a recording is read and which units are kept, shared by commands."""

from __future__ import annotations

import csv
import re
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import typer

from ..errors import BadArgument, Setting
from ..io import READERS

if TYPE_CHECKING:
    from ..recording import Recording

_option = partial(typer.Option, rich_help_panel="Which data")
#: What few recordings need is shown by ``--help-all``.
_rare = partial(_option, hidden=True)

#: Fields of :class:`Data` that choose units, by their names in ``Recording.select``.
_OF_SELECTION = ("ids", "layer", "area", "probe", "multiunit", "min_rate_hz", "max_rate_hz")

RECORDING_FILE = typer.Argument(help="Recording: a file or folder of any known format, or a URL.")


@dataclass(frozen=True)
class Source:
    """How a file is read."""

    reader: str | None = _rare(
        None, help=f"Format, if the file's content does not show it: {', '.join(READERS)}."
    )
    option: list[str] | None = _rare(
        None, help="Option of the format, name=value: sampling_rate=30000. Repeatable."
    )
    times: str | None = _rare(
        None,
        help="Column, variable or dataset with the times of all spikes, in a file of any "
        "layout; or a pattern such as 'unit_*' of one per unit.",
    )
    units: str | None = _rare(
        None, help="Column, variable or dataset with the unit of each spike; see also --ids."
    )
    time_unit: str | None = _rare(
        None,
        "--unit-of-time",
        help="Unit of the times: s, ms, us, ns, or samples (and sampling_rate).",
    )
    threshold: float | None = _rare(
        None,
        help="Imaging: noise levels that a deconvolved value of an active cell exceeds.",
    )
    start: float | None = _rare(
        None, help="When the recording began, seconds on its clock, if the file does not say."
    )
    epochs: list[str] | None = _option(
        None,
        help="Keep the epochs of this label or table, as info lists them, or a stretch in "
        "seconds: 0-3600. Repeatable.",
    )

    def reading(self) -> dict[str, Any]:
        """Keyword arguments of :func:`microcolumn.read`."""
        left_out = ("option", *_OF_SELECTION)
        own = {name: value for name, value in vars(self).items() if name not in left_out}
        return given(**own | {"epochs": stretches(self.epochs)}) | format_options(self.option)

    def read(self, file: str) -> Recording:
        """The recording; depths play no part here. Where it takes long, standard error says so."""
        from .. import io  # the numerical libraries load only when a command runs
        from ..io.failures import size_on_disk
        from ..study.progress import log_if_slow

        size = 0 if io.is_url(file) or not Path(file).exists() else size_on_disk(Path(file))
        with log_if_slow(f"reading {file}" + f" ({size / 1e6:.0f} MB)" * (size >= 1e6)):
            return io.read(file, **{"depth_reference": "unstated"} | self.reading())


@dataclass(frozen=True)
class Data(Source):
    """How a file is read, and which of its units are kept."""

    depth_reference: str = _option(
        "unstated", help="What depths are measured from: surface, tip, 'layer IV' or unstated."
    )
    layers: str | None = _option(
        None,
        help="Layers of the units: a CSV of unit,layer, a column of the file's table, or "
        "boundaries by depth such as 'II/III 650 IV 1000 V/VI'.",
    )
    group_by: list[str] | None = _option(
        None,
        help="Labels by which units are drawn and tested, instead of layers: area, probe, quality "
        "or a column of the file's table, such as cell_type. Repeatable.",
    )
    ids: list[str] | None = _option(
        None, help="Keep these units: ids separated by commas. Repeatable."
    )
    layer: list[str] | None = _rare(None, help="Keep this layer. Repeatable.")
    area: list[str] | None = _rare(None, help="Keep this brain area. Repeatable.")
    probe: list[str] | None = _rare(None, help="Keep this probe. Repeatable.")
    quality: list[str] | None = _rare(None, help="Keep units of this quality. Repeatable.")
    multiunit: bool | None = _rare(
        None, "--multiunits/--single-units", help="Keep multiunits, or single units, only."
    )
    min_rate_hz: float | None = _rare(
        None, "--min-rate", help="Keep units that fire at least this often, Hz."
    )
    max_rate_hz: float | None = _rare(
        None, "--max-rate", help="Keep units that fire at most this often, Hz."
    )

    def selection(self) -> dict[str, Any]:
        """Keyword arguments of ``Recording.select``."""
        chosen = {name: getattr(self, name) for name in _OF_SELECTION}
        return given(**chosen | {"ids": ids_of(self.ids)})

    def read(self, file: str) -> Recording:
        """The recording of the units that are kept."""
        return super().read(file).select(**self.selection())


def option_name(name: str, described: Any) -> str:
    """What a parameter is called at the command line, by its description for Typer."""
    return next(iter(described.param_decls or ()), "--" + name.replace("_", "-"))


#: Settings of reading that have a command-line option to themselves.
_OWN = {
    each.name: option_name(each.name, each.default)
    for each in fields(Data)
    if each.name not in ("option", *_OF_SELECTION)
}


def given(**settings: Any) -> dict[str, Any]:
    """Settings that were given; the others keep the API's own defaults."""
    return {name: value for name, value in settings.items() if value not in (None, [])}


def ids_of(values: list[str] | None) -> list[str] | None:
    """Unit ids of a repeatable option, several in each value; CSV quotes protect a comma."""
    rows = csv.reader(values or [], skipinitialspace=True)
    return [unit for row in rows for unit in row or [""]] or None


def numbers(argument: str, text: str | None) -> list[float]:
    """Numbers with commas between them; none where nothing is given."""
    try:
        return [float(each) for each in text.split(",")] if text is not None else []
    except ValueError:
        problem, remedy = f"is {text!r}", "give numbers with commas between them"
        raise BadArgument(argument, problem, remedy) from None


def format_options(pairs: list[str] | None) -> dict[str, Any]:
    """``name=value`` pairs as keyword arguments; true, false and numbers are not text."""
    options: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise BadArgument("option", f"{pair!r} is not of the form name=value")
        if name in _OWN:
            raise BadArgument("option", f"{pair!r} has an option of its own", f"use {_OWN[name]}")
        options[name] = _value(value)
    return options


def as_option(setting: Setting) -> str:
    """An argument of :func:`microcolumn.read`, with its value if it has one, as an option."""
    value = quote(str(setting.value)) if setting.value != "" else ""
    if setting.name in _OWN:
        return f"{_OWN[setting.name]} {value}".rstrip()
    return f"--option {setting.name}={value or '...'}"


def _value(text: str) -> bool | int | float | str:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        return float(text)
    return text


def stretches(epochs: list[str] | None, name: str = "epochs") -> Any:
    """Names as they are, one name as text, START-STOP as epochs."""
    found = [re.fullmatch(r"(\d+\.?\d*)-(\d+\.?\d*)", each) for each in epochs or []]
    edges = sorted([float(each[1]), float(each[2])] for each in found if each)
    if edges and len(edges) < len(found):
        raise BadArgument(name, "are names and stretches of time", "give one kind alone")
    return edges or (epochs[0] if epochs and len(epochs) == 1 else epochs)
