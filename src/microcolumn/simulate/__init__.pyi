from ._column import Drive as Drive, Synapse as Synapse, Truth as Truth
from ._microcolumn import (
    PRESETS as PRESETS,
    Microcolumn as Microcolumn,
    Preset as Preset,
    microcolumn as microcolumn,
    preset as preset,
)
