from ._activation import HiddenActivation as HiddenActivation
from ._adequacy import Adequacy as Adequacy, MomentFit as MomentFit, adequacy as adequacy
from ._assemblies import (
    Assemblies as Assemblies,
    Assembly as Assembly,
    assemblies as assemblies,
    refits as refits,
)
from ._beyond_stimulus import (
    BeyondStimulus as BeyondStimulus,
    GainBeyond as GainBeyond,
    beyond_stimulus as beyond_stimulus,
)
from ._block_split import BlockSplit as BlockSplit
from ._choice import choose_l1 as choose_l1
from ._comparison import Comparison as Comparison
from ._estimates import Estimates as Estimates, Intervals as Intervals
from ._explainable import Explainable as Explainable, explainable as explainable
from ._interactions import (
    Explained as Explained,
    Interactions as Interactions,
    effective_interactions as effective_interactions,
)
from ._intervals import intervals as intervals
from ._layer_results import (
    CouplingContrast as CouplingContrast,
    HiddenUnitLayer as HiddenUnitLayer,
    LayerStatistics as LayerStatistics,
)
from ._layers import layer_statistics as layer_statistics
from ._model_score import ModelScore as ModelScore, SplitScore as SplitScore
from ._paired import PairedDifference as PairedDifference
from ._patterns import (
    PatternStatistics as PatternStatistics,
    counting_bounds as counting_bounds,
    pattern_statistics as pattern_statistics,
)
from ._prediction import (
    Prediction as Prediction,
    conditional_gain as conditional_gain,
    predict as predict,
)
from ._prediction_scores import (
    Calibration as Calibration,
    Roc as Roc,
    Skill as Skill,
    calibration as calibration,
    roc as roc,
    skill as skill,
)
from ._rival_choice import Choice as Choice, choose as choose
from ._score import (
    Score as Score,
    score as score,
    sequence_gain as sequence_gain,
)
from ._significance import Estimate as Estimate
from ._splits import compare as compare
from ._summaries import (
    LayersResult as LayersResult,
    PredictionResult as PredictionResult,
    UnitPrediction as UnitPrediction,
    WindowResult as WindowResult,
)
from ._synchrony import Synchrony as Synchrony, synchrony as synchrony
from ._tune import TuneResult as TuneResult, tune as tune
