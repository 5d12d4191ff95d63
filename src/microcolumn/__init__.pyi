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
    Adequacy as Adequacy,
    Assemblies as Assemblies,
    BeyondStimulus as BeyondStimulus,
    Comparison as Comparison,
    Explainable as Explainable,
    Interactions as Interactions,
    Intervals as Intervals,
    LayerStatistics as LayerStatistics,
    Prediction as Prediction,
    Score as Score,
    adequacy as adequacy,
    assemblies as assemblies,
    beyond_stimulus as beyond_stimulus,
    calibration as calibration,
    choose as choose,
    choose_l1 as choose_l1,
    compare as compare,
    conditional_gain as conditional_gain,
    effective_interactions as effective_interactions,
    excess_log_likelihood as excess_log_likelihood,
    explainable as explainable,
    fit_best as fit_best,
    intervals as intervals,
    layer_statistics as layer_statistics,
    lift as lift,
    pattern_statistics as pattern_statistics,
    predict as predict,
    refits as refits,
    roc as roc,
    sequence_gain as sequence_gain,
    skill as skill,
    synchrony as synchrony,
)
from .io import read as read
from .layers import LayerBoundaries as LayerBoundaries
from .models import (
    RBM as RBM,
    BernoulliMixture as BernoulliMixture,
    CascadedLogistic as CascadedLogistic,
    DichotomizedGaussian as DichotomizedGaussian,
    Driven as Driven,
    GaussianRBM as GaussianRBM,
    GaussianSemiRBM as GaussianSemiRBM,
    HiddenMarkovModes as HiddenMarkovModes,
    HistoryGLM as HistoryGLM,
    Independent as Independent,
    Ising as Ising,
    KPairwise as KPairwise,
    PopulationTracking as PopulationTracking,
    RandomProjections as RandomProjections,
    SemiRBM as SemiRBM,
    Tree as Tree,
    TwoTree as TwoTree,
    Universal as Universal,
    load as load,
)
from .origin import Origin as Origin
from .parameters import Parameters as Parameters
from .partition import LogPartition as LogPartition, log_partition as log_partition
from .recording import Recording as Recording
from .repeats import Repeats as Repeats
from .stimulus import StimulusDrive as StimulusDrive
from .survey import (
    correlograms as correlograms,
    suggest_bin_width as suggest_bin_width,
    summarise as summarise,
    suspect_units as suspect_units,
)
from .units import Units as Units
from .words import Words as Words

__version__: str
