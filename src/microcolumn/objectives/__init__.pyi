from ._maximum_likelihood import (
    NegativeLogLikelihood as NegativeLogLikelihood,
)
from ._maximum_likelihood import (
    negative_log_likelihood as negative_log_likelihood,
)
from ._mpf import MinimumProbabilityFlow as MinimumProbabilityFlow
from ._mpf import mpf as mpf
