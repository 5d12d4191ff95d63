from ._annealing import annealing as annealing, annealing_error as annealing_error
from ._comparisons import ranking as ranking, window_gains as window_gains, windows as windows
from ._gain import gain as gain
from ._hidden import hidden_units as hidden_units, modes as modes
from ._layers import layers as layers
from ._maps import couplings as couplings, hidden_map as hidden_map
from ._patterns import (
    pattern_ratios as pattern_ratios,
    patterns as patterns,
    synchrony as synchrony,
)
from ._penalties import penalties as penalties
from ._predictions import (
    calibration as calibration,
    prediction as prediction,
    roc as roc,
)
from ._probe import assembly as assembly, probe as probe
from ._recorded import (
    correlations as correlations,
    correlogram as correlogram,
    rates as rates,
)
from ._scores import differences as differences, scores as scores
from ._time import activation as activation, raster as raster
