from ._comparison import (
    Comparison as Comparison,
)
from ._comparison import (
    ModelComparison as ModelComparison,
)
from ._comparison import (
    compare as compare,
)
from ._conditional import conditional_gain as conditional_gain
from ._interactions import (
    Explained as Explained,
)
from ._interactions import (
    Interactions as Interactions,
)
from ._interactions import (
    effective_interactions as effective_interactions,
)
from ._layers import (
    CouplingContrast as CouplingContrast,
)
from ._layers import (
    HiddenUnitLayer as HiddenUnitLayer,
)
from ._layers import (
    LayerStatistics as LayerStatistics,
)
from ._layers import (
    layer_statistics as layer_statistics,
)
from ._past import probability_given_past as probability_given_past
from ._patterns import (
    PatternStatistics as PatternStatistics,
)
from ._patterns import (
    counting_bounds as counting_bounds,
)
from ._patterns import (
    pattern_statistics as pattern_statistics,
)
from ._prediction import Prediction as Prediction
from ._prediction import predict as predict
from ._prediction_scores import (
    Calibration as Calibration,
)
from ._prediction_scores import (
    Roc as Roc,
)
from ._prediction_scores import (
    Skill as Skill,
)
from ._prediction_scores import (
    calibration as calibration,
)
from ._prediction_scores import (
    roc as roc,
)
from ._prediction_scores import (
    skill as skill,
)
from ._score import Score as Score
from ._score import excess_log_likelihood as excess_log_likelihood
from ._synchrony import Synchrony as Synchrony
from ._synchrony import synchrony as synchrony
