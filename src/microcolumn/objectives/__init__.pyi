from ._flips import (
    MinimumProbabilityFlow as MinimumProbabilityFlow,
    PseudoLikelihood as PseudoLikelihood,
    mpf as mpf,
    pseudolikelihood as pseudolikelihood,
)
from ._maximum_likelihood import (
    NegativeLogLikelihood as NegativeLogLikelihood,
    negative_log_likelihood as negative_log_likelihood,
)
from ._objective import FunctionObjective as FunctionObjective, Objective as Objective
from ._strengths import (
    further_l1 as further_l1,
    l1_grid as l1_grid,
    largest_l1 as largest_l1,
    pair_counts as pair_counts,
    pair_rates as pair_rates,
)
from .conditional import (
    ConditionalLikelihood as ConditionalLikelihood,
    negative_conditional_likelihood as negative_conditional_likelihood,
)
from .sampled_likelihood import (
    Draws as Draws,
    SampledLikelihood as SampledLikelihood,
    Spread as Spread,
    WordPool as WordPool,
)
