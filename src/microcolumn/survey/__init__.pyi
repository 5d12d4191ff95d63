from ._csd import (
    FlashResponse as FlashResponse,
    current_source_density as current_source_density,
    flash_response as flash_response,
)
from ._summary import Summary as Summary, summarise as summarise
from .bin_width import BinWidth as BinWidth, suggest_bin_width as suggest_bin_width
from .cross_correlation import (
    Correlograms as Correlograms,
    correlograms as correlograms,
    pairwise_correlations as pairwise_correlations,
)
from .laminar import LaminarMap as LaminarMap, layers_from_flashes as layers_from_flashes
from .suspects import Suspect as Suspect, suspect_units as suspect_units
