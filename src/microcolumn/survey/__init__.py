"""A first look at a recording: who fires with whom, how wide to bin, and which units to check."""

from .bin_width import BinWidth, suggest_bin_width
from .correlograms import Correlograms, correlograms
from .summary import Summary, summarise
from .suspects import Suspect, suspect_units

__all__ = [
    "BinWidth",
    "Correlograms",
    "Summary",
    "Suspect",
    "correlograms",
    "suggest_bin_width",
    "summarise",
    "suspect_units",
]
