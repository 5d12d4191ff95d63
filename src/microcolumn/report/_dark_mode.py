"""Colours of figures on dark paper: the same hues, with light and dark exchanged in greys."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

#: Dark paper, and the ink on it, as in page.css: lightness (OKLab) that white and black become.
_PAPER, _INK = 0.205, 0.91
_EXTREMES = {"#ffffff": "var(--paper)", "#000000": "var(--ink)"}
#: Colours are at least this light, and colours of this chroma or more keep their lightness.
_LEAST, _VIVID = 0.64, 0.09
#: OKLab (Ottosson 2020): linear sRGB to cone responses, and their cube roots to L, a, b.
_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_COLOUR = re.compile(r"(fill|stroke): (#[0-9a-f]{6})")


def dark_mode_rules(markup: Iterable[str]) -> str:
    """CSS rules that give every colour of some SVG elements its counterpart on dark paper.

    They look for the colour in the elements' own style, so that the elements stay as they are, and
    for nothing around it, so that marks find it too that are drawn by reference.
    """
    found = sorted({pair for each in markup for pair in _COLOUR.findall(each)})
    return "\n".join(
        f'[style*="{what}: {colour}"] {{ {what}: {dark_counterpart(colour)} !important }}'
        for what, colour in found
    )


def dark_counterpart(colour: str) -> str:
    """The counterpart of a colour, given as ``#rrggbb``, as CSS.

    Greys keep their contrast: white becomes the dark paper and black its light ink. Vivid colours
    stay, or become as light as it takes to be seen.
    """
    if colour in _EXTREMES:
        return _EXTREMES[colour]
    lightness, *hue = _lab(colour)
    vivid = min(1.0, float(np.hypot(*hue)) / _VIVID)
    luminance = 1.05 / (lightness**3 + 0.05) * (_PAPER**3 + 0.05) - 0.05
    exchanged = min(_INK, float(np.cbrt(luminance)))
    return _hex(np.array([vivid * max(lightness, _LEAST) + (1.0 - vivid) * exchanged, *hue]))


def _lab(colour: str) -> NDArray[np.float64]:
    share = np.array([int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    lab: NDArray[np.float64] = _LAB @ np.cbrt(_CONES @ linear)
    return lab


def _hex(lab: NDArray[np.float64]) -> str:
    linear = np.clip(np.linalg.solve(_CONES, np.linalg.solve(_LAB, lab) ** 3), 0.0, 1.0)
    share = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255.0 * part):02x}" for part in share)
