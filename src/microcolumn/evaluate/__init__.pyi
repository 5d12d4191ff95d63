from ._basins import Basins as Basins, basins as basins
from ._beyond_stimulus import (
    BeyondStimulus as BeyondStimulus,
    GainBeyond as GainBeyond,
    beyond_stimulus as beyond_stimulus,
)
from ._block_split import BlockSplit as BlockSplit
from ._communities import Communities as Communities, communities as communities
from ._contrast import contrast as contrast
from ._contrast_results import Contrast as Contrast, Differences as Differences
from ._coupling_factors import (
    CouplingFactor as CouplingFactor,
    CouplingFactors as CouplingFactors,
    coupling_factors as coupling_factors,
)
from ._explainable import Explainable as Explainable, explainable as explainable
from ._heat_capacity import HeatCapacity as HeatCapacity, heat_capacity as heat_capacity
from ._information import Information as Information, information as information
from ._intervals import intervals as intervals
from ._layer_results import (
    CouplingContrast as CouplingContrast,
    HiddenUnitLayer as HiddenUnitLayer,
    LayerStatistics as LayerStatistics,
)
from ._layers import layer_statistics as layer_statistics
from ._matched import (
    MatchedCouplings as MatchedCouplings,
    MatchedGroup as MatchedGroup,
    matched_couplings as matched_couplings,
    matched_groups as matched_groups,
)
from ._model_score import ModelScore as ModelScore, SplitScore as SplitScore
from ._population_coupling import (
    PopulationCoupling as PopulationCoupling,
    population_coupling as population_coupling,
)
from ._prediction import (
    Prediction as Prediction,
    conditional_gain as conditional_gain,
    predict as predict,
)
from ._prediction_scores import (
    Calibration as Calibration,
    PatternStatistics as PatternStatistics,
    PredictionGain as PredictionGain,
    Roc as Roc,
    calibration as calibration,
    counting_bounds as counting_bounds,
    pattern_statistics as pattern_statistics,
    prediction_gain as prediction_gain,
    roc as roc,
)
from ._score import (
    Score as Score,
    score as score,
    sequence_gain as sequence_gain,
)
from ._synchrony import Synchrony as Synchrony, synchrony as synchrony
from ._tune import (
    TuneResult as TuneResult,
    choose_n_hidden as choose_n_hidden,
    tune as tune,
)
from .activation import HiddenActivation as HiddenActivation
from .assembly import (
    Assemblies as Assemblies,
    Assembly as Assembly,
    assemblies as assemblies,
    refits as refits,
)
from .choice import Choice as Choice, choose as choose, choose_l1 as choose_l1
from .comparison import Comparison as Comparison
from .estimates import Estimates as Estimates, Intervals as Intervals
from .interactions import (
    Explained as Explained,
    Interactions as Interactions,
    effective_interactions as effective_interactions,
)
from .model_adequacy import (
    Adequacy as Adequacy,
    MomentFit as MomentFit,
    Moments as Moments,
    adequacy as adequacy,
)
from .paired import PairedDifference as PairedDifference
from .planted import PlantedGroup as PlantedGroup, match_groups as match_groups
from .pooling import (
    Pooled as Pooled,
    PooledRecording as PooledRecording,
    pool as pool,
    pool_contrasts as pool_contrasts,
)
from .significance import Estimate as Estimate
from .splits import compare as compare
from .summaries import (
    LayersResult as LayersResult,
    PredictionResult as PredictionResult,
    UnitPrediction as UnitPrediction,
    WindowResult as WindowResult,
)
