from ._microcolumn import (
    PRESETS as PRESETS,
    Microcolumn as Microcolumn,
    Preset as Preset,
    microcolumn as microcolumn,
    preset as preset,
)
from ._truth import Drive as Drive, Synapse as Synapse, Truth as Truth
