from ._bin_width import BinWidth as BinWidth
from ._bin_width import suggest_bin_width as suggest_bin_width
from ._correlations import pairwise_correlations as pairwise_correlations
from ._correlograms import Correlograms as Correlograms
from ._correlograms import correlograms as correlograms
from ._csd import (
    FlashResponse as FlashResponse,
)
from ._csd import (
    current_source_density as current_source_density,
)
from ._csd import (
    flash_response as flash_response,
)
from ._laminar import LaminarMap as LaminarMap
from ._laminar import layers_from_flashes as layers_from_flashes
from ._summary import Summary as Summary
from ._summary import summarise as summarise
from ._suspects import Suspect as Suspect
from ._suspects import suspect_units as suspect_units
