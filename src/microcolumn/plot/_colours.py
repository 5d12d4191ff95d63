"""Colours that plots may be asked for: one for all, one by name, or a map of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Colormap, is_color_like, to_rgba
from matplotlib.typing import ColorType

from ..models import ModelSpec, WordsEstimator
from ..models._spec import CLASSES
from ..validation import shown
from ._inputs import named_models
from .style import DATA_COLOUR, SIGNED, ColourMap, Look, looks

#: A colour as matplotlib knows them.
OneColour = ColorType
#: A colour for all, or one for each name.
Colour = OneColour | Mapping[str, Any]


def one_colour(color: Any, default: OneColour) -> OneColour:
    """The colour that was asked for, or the default if none was."""
    return default if color is None else _checked("color", color)


def colour_map(cmap: ColourMap | None) -> Colormap:
    """The map of colours that was asked for; by default blue, white and red."""
    try:
        return colormaps.get_cmap(SIGNED if cmap is None else cmap)
    except (ValueError, TypeError):
        pass
    raise ValueError(
        f"cmap is {shown(cmap)}; give a colour map that matplotlib knows, such as {SIGNED!r}"
    )


def coloured(styles: dict[str, Look], color: Colour | None) -> dict[str, Look]:
    """Looks of models in colours that were asked for: one for all, or by name."""
    asked = _asked(styles, color)
    return {
        name: look._replace(colour=asked[name], tint=asked[name]) if name in asked else look
        for name, look in styles.items()
    }


def looks_of(
    names: Sequence[str], color: Colour | None = None, models: Any = None
) -> dict[str, Look]:
    """How each model is drawn, by its name, in colours that were asked for; black without one.

    Fitted ``models``, one or many, have the colours of their classes, whatever they are called.
    """
    styles = looks(names, _classes(models))
    if "" in styles:
        styles[""] = styles[""]._replace(colour=DATA_COLOUR, tint=DATA_COLOUR)
    return coloured(styles, color)


def by_name(names: Sequence[str], palette: Sequence[str], color: Colour | None) -> dict[str, Any]:
    """A colour for each name: as asked for, else one of the palette after the other."""
    found: dict[str, Any] = {name: palette[n % len(palette)] for n, name in enumerate(names)}
    return found | _asked(names, color)


def _asked(names: Iterable[str], color: Colour | None) -> dict[str, Any]:
    """Colours that were asked for, by name; empty if none were."""
    known = list(names)
    if color is None:
        return {}
    if not isinstance(color, Mapping):
        return dict.fromkeys(known, _checked("color", color, ", or a dict of colours by name"))
    for name in color:
        if str(name) not in known:
            raise ValueError(f"color names {name!r}; name some of {', '.join(known)}")
    return {str(name): _checked(f"color[{name!r}]", each) for name, each in color.items()}


def _checked(argument: str, color: Any, or_else: str = "") -> OneColour:
    if not is_color_like(color) or np.isnan(to_rgba(color)).any():
        raise ValueError(
            f"{argument} is {shown(color)}; give a colour that matplotlib knows, such as 'red' or "
            f"'#D55E00'{or_else}"
        )
    return color if isinstance(color, str) else to_rgba(color)


def _classes(models: Any) -> dict[str, ModelSpec]:
    """Classes of fitted models by name; none of what is no model."""
    listed = models.values() if isinstance(models, Mapping) else models
    many = isinstance(models, Mapping | Sequence) and not isinstance(models, str)
    if not all(isinstance(each, WordsEstimator) for each in (listed if many else [models])):
        return {}
    kinds = {name: type(model).__name__ for name, model in named_models(models).items()}
    return {name: ModelSpec(kind) for name, kind in kinds.items() if kind in CLASSES}
