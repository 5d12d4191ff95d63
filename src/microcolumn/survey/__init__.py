"""A first look at a recording: how wide to bin it, which units to check, where the layers are."""

from .bin_width import BinWidth, suggest_bin_width
from .correlations import pairwise_correlations
from .correlograms import Correlograms, correlograms
from .csd import FlashResponse, current_source_density, flash_response
from .laminar import LaminarMap, layers_from_flashes
from .summary import Summary, summarise
from .suspects import Suspect, suspect_units

__all__ = [
    "BinWidth",
    "Correlograms",
    "FlashResponse",
    "LaminarMap",
    "Summary",
    "Suspect",
    "correlograms",
    "current_source_density",
    "flash_response",
    "layers_from_flashes",
    "pairwise_correlations",
    "suggest_bin_width",
    "summarise",
    "suspect_units",
]
