"""The style of all plots: colours of models or as asked for, sizes for a journal, text as it is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, is_color_like, to_hex, to_rgb, to_rgba
from matplotlib.typing import ColorType

from ..errors import BadArgument, BadType
from ..models import ModelSpec, WordsEstimator
from ..models.spec import CLASSES, MODELS
from ..validation import described, kind_of
from ._inputs import named_models

#: The same in every plot.
MODEL_COLOURS = {name: MODELS[name].colour for name in CLASSES}
#: Data, and models of other classes.
DATA_COLOUR, OTHER_COLOUR = "#000000", "#CC79A7"
#: Models of one class share a colour and differ in these: points and lines.
_MARKERS = "osD^v<>"
#: The first marker of each class.
_FIRST_MARKERS = {name: MODELS[name].marker for name in CLASSES}
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (6, 1, 1, 1)))
#: Weights and couplings: blue is negative, white is zero, red is positive.
SIGNED = "RdBu_r"

#: Settings for `matplotlib.rc_context`, while drawing and while saving.
RC: dict[Any, Any] = {
    "font.size": 8,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "mathtext.default": "regular",  # powers in the font of all other numbers
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "pdf.fonttype": 42,  # TrueType, which journals ask for and editors can edit
    "ps.fonttype": 42,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "microcolumn",  # same figure, same bytes
    "figure.dpi": 150,
    "savefig.dpi": 300,
}
#: Keywords of legends inside the axes, of legends to their right, and of error bars.
LEGEND: dict[str, Any] = {"fontsize": 7, "frameon": False}
LEGEND_RIGHT: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), **LEGEND}
ERROR_BARS: dict[str, Any] = {"elinewidth": 0.8, "capsize": 1.5}
#: A colour as matplotlib knows them.
OneColour = ColorType
#: A colour for all, or one for each name.
Colour = OneColour | Mapping[str, Any]
#: Colours of a matrix: a name that matplotlib knows, or a map of one's own.
ColourMap = str | Colormap
#: Bits/s; an axis of scores spans at least this much.
_SAME_SCORE = 1e-3
#: Longest name from a recording that is not cut.
_LONGEST = 24


def _class_of(model: str | ModelSpec) -> str:
    """Class of a model or of its name; empty for other names."""
    try:
        return (ModelSpec.of(model) if isinstance(model, str) else model).model
    except ValueError:
        return ""


class Look(NamedTuple):
    """How a model is drawn among others."""

    colour: str
    marker: str
    dash: Any
    tint: str  # a lighter colour, for plots in which only colours differ between models


def looks(names: Iterable[str], color: Colour | None = None, models: Any = None) -> dict[str, Look]:
    """How each model is drawn: in the colour of its class, with a marker and dash of its own.

    ``models``, fitted ones, one or many, or specifications by name, say which they are, if that
    does not follow from their names; ``color`` is asked for all, or by name. Without a name, a
    model is black.
    """
    specs = _classes(models)
    by_name: dict[str, Look] = {}
    for name in names:
        model = _class_of(specs.get(name, name))
        colour = MODEL_COLOURS.get(model, OTHER_COLOUR) if name else DATA_COLOUR
        k = sum(each.colour == colour for each in by_name.values())
        kept = 0.65**k
        red, green, blue = (1.0 - kept + kept * part for part in to_rgb(colour))
        first = _MARKERS.index(_FIRST_MARKERS.get(model, "o"))
        marker, dash = _MARKERS[(first + k) % len(_MARKERS)], DASHES[k % len(DASHES)]
        by_name[name] = Look(colour, marker, dash, to_hex((red, green, blue)))
    for name, asked in _asked(by_name, color).items():
        by_name[name] = by_name[name]._replace(colour=asked, tint=asked)
    return by_name


def printable(text: str) -> str:
    """The text with spaces for control characters and lone surrogates."""
    return re.sub(r"[^\t\n\r -~\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", text)


def literal(text: str) -> str:
    """Text from a recording, escaped for matplotlib.

    Dollar signs do not begin a formula, line breaks and control characters are spaces, and long
    text keeps its ends: names of sessions often differ in the last letters only.
    """
    plain = re.sub(r"\s+", " ", printable(text)).strip()
    if len(plain) > _LONGEST:
        plain = f"{plain[: _LONGEST // 2]}…{plain[1 - _LONGEST // 2 :]}"
    return plain.replace("$", r"\$")


def legible(colour: str) -> str:
    """The colour as letters on white need it: darkened to a contrast of 4.5 (WCAG 2.2), no more."""
    levels = np.array(to_rgb(colour)) * np.linspace(1.0, 0.0, 101)[:, None]
    linear = np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)
    enough = 1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) >= 4.5
    return to_hex(levels[np.argmax(enough)])


def round_below(value: float) -> float:
    """The largest number of one digit that is not above a positive number: 4 for 4.7."""
    power = math.floor(math.log10(value))
    digit = math.floor(value / 10.0**power * (1.0 + 1e-12))
    return float(f"{digit}e{power}")


def leave_rounding_small(ax: Axes) -> None:
    """Widen an axis of scores that would only show rounding errors."""
    low, high = ax.get_ylim()
    if high - low < _SAME_SCORE:
        middle = (low + high) / 2
        ax.set_ylim(middle - _SAME_SCORE / 2, middle + _SAME_SCORE / 2)


def size_points(ax: Axes) -> tuple[float, float]:
    """Width and height of axes, points."""
    box = ax.get_window_extent()
    return box.width / ax.figure.dpi * 72.0, box.height / ax.figure.dpi * 72.0


def signed(text: str) -> str:
    """Text of a number with a true minus sign."""
    return text.replace("-", "\N{MINUS SIGN}")


def axes_or_new(ax: Axes | None, size: tuple[float, float] = (3.4, 2.6)) -> Axes:
    """The given axes, or those of a new pyplot figure of ``size`` inches, shown by notebooks.

    New axes have the style of all figures.
    """
    if isinstance(ax, Axes):
        return ax
    if ax is not None:
        raise BadType("ax", f"is {kind_of(ax)}", "pass one pair of axes, as plt.subplots()[1] is")
    from matplotlib import pyplot as plt  # opens a window system, which plots on `ax` do not need

    with rc_context(RC):
        return plt.subplots(figsize=size, layout="constrained")[1]


def one_colour(color: Any, default: OneColour) -> OneColour:
    """The colour that was asked for, or the default if none was."""
    return default if color is None else _checked("color", color)


def colour_map(cmap: ColourMap | None) -> Colormap:
    """The map of colours that was asked for; by default blue, white and red."""
    try:
        return colormaps.get_cmap(SIGNED if cmap is None else cmap)
    except (ValueError, TypeError):
        remedy = f"give a colour map that matplotlib knows, such as {SIGNED!r}"
        raise BadArgument("cmap", f"is {described(cmap)}", remedy) from None


def by_name(names: Sequence[str], palette: Sequence[str], color: Colour | None) -> dict[str, Any]:
    """A colour for each name: as asked for, else one of the palette after the other."""
    colours: dict[str, Any] = {name: palette[n % len(palette)] for n, name in enumerate(names)}
    return colours | _asked(names, color)


def _asked(names: Iterable[str], color: Colour | None) -> dict[str, Any]:
    """Colours that were asked for, by name; empty if none were."""
    known = list(names)
    if color is None:
        return {}
    if not isinstance(color, Mapping):
        return dict.fromkeys(known, _checked("color", color, ", or a dict of colours by name"))
    for name in color:
        if str(name) not in known:
            raise BadArgument("color", f"names {name!r}", f"name some of {', '.join(known)}")
    return {str(name): _checked(f"color[{name!r}]", each) for name, each in color.items()}


def _checked(argument: str, color: Any, or_else: str = "") -> OneColour:
    if not is_color_like(color) or np.isnan(to_rgba(color)).any():
        remedy = f"give a colour that matplotlib knows, such as 'red' or '#D55E00'{or_else}"
        raise BadArgument(argument, f"is {described(color)}", remedy)
    return color if isinstance(color, str) else to_rgba(color)


def _classes(models: Any) -> dict[str, ModelSpec]:
    """Classes of fitted models by name; none of what is no model."""
    listed = models.values() if isinstance(models, Mapping) else models
    if isinstance(models, Mapping) and all(isinstance(each, ModelSpec) for each in listed):
        return dict(models)
    many = isinstance(models, Mapping | Sequence) and not isinstance(models, str)
    if not all(isinstance(each, WordsEstimator) for each in (listed if many else [models])):
        return {}
    kinds = {name: type(model).__name__ for name, model in named_models(models).items()}
    return {name: ModelSpec(kind) for name, kind in kinds.items() if kind in CLASSES}
