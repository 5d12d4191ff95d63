"""Options that say how a recording is read and which units are kept, shared by commands."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Any

import typer

_option = partial(typer.Option, rich_help_panel="Which data")

Reader = Annotated[
    str | None,
    _option(help="Format, where the content does not tell."),
]
DepthReference = Annotated[
    str,
    _option(help="What depths are measured from: surface, tip, 'layer IV' or unstated."),
]
Layers = Annotated[
    str | None,
    _option(
        help="Layers of the units: a CSV of unit,layer, a column of the file's table, or "
        "boundaries by depth such as 'II/III 650 IV 1000 V/VI'."
    ),
]
Option = Annotated[
    list[str] | None,
    _option(help="Option of the format as name=value, for example time_unit=ms."),
]
Epochs = Annotated[
    str | None,
    _option(help="Keep the epochs of this label, or this stretch in seconds: 0-3600."),
]
Unit = Annotated[list[str] | None, _option(help="Keep this unit; repeatable.")]
Layer = Annotated[list[str] | None, _option(help="Keep this layer; repeatable.")]
Quality = Annotated[
    list[str] | None,
    _option(help="Keep units of this quality; repeatable."),
]
Multiunit = Annotated[
    bool | None,
    _option("--multiunits/--single-units", help="Keep these alone."),
]
MinRate = Annotated[float | None, _option(help="Keep units from this rate, Hz.")]
MaxRate = Annotated[float | None, _option(help="Keep units up to this rate, Hz.")]

#: Settings of reading that have a command-line option to themselves.
_OWN = ("reader", "depth_reference", "layers", "quality", "epochs")


def given(**settings: Any) -> dict[str, Any]:
    """Settings that were given; those left out keep the API's own defaults."""
    return {name: value for name, value in settings.items() if value not in (None, [])}


def format_options(pairs: list[str] | None) -> dict[str, Any]:
    """``name=value`` pairs as keyword arguments; true, false and numbers are not text."""
    options: dict[str, Any] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise ValueError(f"--option {pair!r} is not of the form name=value")
        if name in _OWN:
            own = "--" + name.replace("_", "-")
            raise ValueError(f"--option {pair!r} has an option of its own; use {own}")
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


def stretch(epochs: str | None) -> Any:
    """A label as it is, START-STOP as one epoch."""
    found = re.fullmatch(r"([\d.]+)-([\d.]+)", epochs or "")
    return epochs if found is None else [[float(found[1]), float(found[2])]]
