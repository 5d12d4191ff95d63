from ._maximum_likelihood import (
    NegativeLogLikelihood as NegativeLogLikelihood,
    negative_log_likelihood as negative_log_likelihood,
)
from ._mpf import MinimumProbabilityFlow as MinimumProbabilityFlow, mpf as mpf
from ._objective import FunctionObjective as FunctionObjective, Objective as Objective
from ._pseudolikelihood import (
    PseudoLikelihood as PseudoLikelihood,
    pseudolikelihood as pseudolikelihood,
)
from ._sampled_likelihood import (
    Draws as Draws,
    SampledLikelihood as SampledLikelihood,
    WordPool as WordPool,
)
