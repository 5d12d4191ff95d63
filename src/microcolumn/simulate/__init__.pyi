from ._column import Drive as Drive, Synapse as Synapse, Truth as Truth
from .microcolumns import (
    PRESETS as PRESETS,
    Microcolumn as Microcolumn,
    Preset as Preset,
    microcolumn as microcolumn,
    preset as preset,
)
