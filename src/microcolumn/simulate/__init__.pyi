from ._microcolumn import Microcolumn as Microcolumn, microcolumn as microcolumn
from ._presets import PRESETS as PRESETS, Preset as Preset, preset as preset
from ._truth import Drive as Drive, Synapse as Synapse, Truth as Truth
