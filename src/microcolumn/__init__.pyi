from . import (
    evaluate as evaluate,
)
from . import (
    figures as figures,
)
from . import (
    io as io,
)
from . import (
    models as models,
)
from . import (
    objectives as objectives,
)
from . import (
    partition as partition,
)
from . import (
    plot as plot,
)
from . import (
    report as report,
)
from . import (
    simulate as simulate,
)
from . import (
    solvers as solvers,
)
from . import (
    study as study,
)
from . import (
    survey as survey,
)
from .epochs import Epochs as Epochs
from .evaluate import (
    Comparison as Comparison,
)
from .evaluate import (
    Interactions as Interactions,
)
from .evaluate import (
    LayerStatistics as LayerStatistics,
)
from .evaluate import (
    Prediction as Prediction,
)
from .evaluate import (
    Score as Score,
)
from .evaluate import (
    calibration as calibration,
)
from .evaluate import (
    compare as compare,
)
from .evaluate import (
    conditional_gain as conditional_gain,
)
from .evaluate import (
    effective_interactions as effective_interactions,
)
from .evaluate import (
    excess_log_likelihood as excess_log_likelihood,
)
from .evaluate import (
    layer_statistics as layer_statistics,
)
from .evaluate import (
    pattern_statistics as pattern_statistics,
)
from .evaluate import (
    predict as predict,
)
from .evaluate import (
    roc as roc,
)
from .evaluate import (
    skill as skill,
)
from .evaluate import (
    synchrony as synchrony,
)
from .io import read as read
from .layers import LayerBoundaries as LayerBoundaries
from .models import (
    RBM as RBM,
)
from .models import (
    Independent as Independent,
)
from .models import (
    Ising as Ising,
)
from .models import (
    SemiRBM as SemiRBM,
)
from .models import (
    load as load,
)
from .parameters import Parameters as Parameters
from .partition import LogPartition as LogPartition
from .partition import log_partition as log_partition
from .recording import Recording as Recording
from .survey import (
    correlograms as correlograms,
)
from .survey import (
    suggest_bin_width as suggest_bin_width,
)
from .survey import (
    summarise as summarise,
)
from .survey import (
    suspect_units as suspect_units,
)
from .units import Units as Units
from .words import Words as Words

__version__: str
