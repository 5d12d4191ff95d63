from ._microcolumn import Microcolumn as Microcolumn
from ._microcolumn import microcolumn as microcolumn
from ._presets import PRESETS as PRESETS
from ._presets import Preset as Preset
from ._presets import preset as preset
from ._truth import Drive as Drive
from ._truth import Synapse as Synapse
from ._truth import Truth as Truth
