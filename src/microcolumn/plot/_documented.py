"""Parameters that most plots share, documented once."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc, signature
from typing import Any, TypeVar

Plot = TypeVar("Plot", bound=Callable[..., Any])

_SHARED = {
    "words": """words : Words or array_like, shape (n_words, n_units), optional
    Held-out words.""",
    "units": """units : Units, Words or Recording, optional
    The recorded units, drawn from superficial to deep with lines between layers; by default those
    that the model, or else the words, remember. For words of several bins each lag is a block, the
    oldest first.""",
    "color": """color : colour, or mapping of str to colour, optional
    One for all models, or by name; by default that of each model's class.""",
    "cmap": """cmap : str or Colormap, optional
    Colours, whose middle is zero; blue, white and red by default.""",
    "title": """title : str, optional
    Of the axes.""",
    "ax": """ax : matplotlib.axes.Axes, optional
    Where to draw; by default the axes of a new figure.

Returns
-------
matplotlib.axes.Axes
    The axes drawn on.""",
}
_EXAMPLES = "\n\nExamples\n--------\n"


def documented(plot: Plot) -> Plot:
    """Decorator: add the shared parameters that a plot does not document itself."""
    text, examples, code = cleandoc(plot.__doc__ or "").partition(_EXAMPLES)
    names = [
        line.partition(" :")[0].split(", ") for line in text.splitlines() if line[:1].isalpha()
    ]
    own = {name for line in names for name in line}
    added = [_SHARED[name] for name in signature(plot).parameters if name in {*_SHARED} - own]
    plot.__doc__ = "\n".join([text, *added]) + examples + code
    return plot
