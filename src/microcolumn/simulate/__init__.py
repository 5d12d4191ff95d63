"""Simulated recordings whose mechanism is known and lies outside the fitted model family."""

from .microcolumn import Microcolumn, microcolumn
from .presets import PRESETS, Preset, preset
from .truth import Drive, Synapse, Truth

__all__ = [
    "PRESETS",
    "Drive",
    "Microcolumn",
    "Preset",
    "Synapse",
    "Truth",
    "microcolumn",
    "preset",
]
