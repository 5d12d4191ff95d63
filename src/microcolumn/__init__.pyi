from . import (
    evaluate as evaluate,
    figures as figures,
    io as io,
    models as models,
    objectives as objectives,
    partition as partition,
    penalties as penalties,
    plot as plot,
    report as report,
    simulate as simulate,
    solvers as solvers,
    study as study,
    survey as survey,
)
from .epochs import Epochs as Epochs
from .evaluate import (
    BlockSplit as BlockSplit,
    Estimate as Estimate,
    compare as compare,
    score as score,
    tune as tune,
)
from .incomplete import IncompleteWords as IncompleteWords
from .io import read as read
from .layers import LayerBoundaries as LayerBoundaries
from .models import (
    RBM as RBM,
    Independent as Independent,
    Ising as Ising,
    SemiRBM as SemiRBM,
    load as load,
)
from .parameters import Parameters as Parameters
from .partition import log_partition as log_partition
from .recording import Recording as Recording
from .repeats import Repeats as Repeats
from .stimulus import StimulusDrive as StimulusDrive
from .units import Units as Units
from .words import Words as Words

__version__: str
