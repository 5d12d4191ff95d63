from ._annealing import annealing as annealing
from ._annealing import annealing_error as annealing_error
from ._couplings import couplings as couplings
from ._hidden import hidden_units as hidden_units
from ._patterns import patterns as patterns
from ._patterns import synchrony as synchrony
from ._predictions import (
    calibration as calibration,
)
from ._predictions import (
    gain as gain,
)
from ._predictions import (
    prediction as prediction,
)
from ._predictions import (
    roc as roc,
)
from ._raster import raster as raster
from ._recorded import (
    correlations as correlations,
)
from ._recorded import (
    correlogram as correlogram,
)
from ._recorded import (
    probe as probe,
)
from ._recorded import (
    rates as rates,
)
from ._scores import differences as differences
from ._scores import lags as lags
from ._scores import scores as scores
from ._windows import hidden_map as hidden_map
