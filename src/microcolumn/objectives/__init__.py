"""What is minimised: each objective maps (parameters, words) to a value and its gradient."""

from .maximum_likelihood import NegativeLogLikelihood, negative_log_likelihood
from .mpf import MinimumProbabilityFlow, mpf

__all__ = [
    "MinimumProbabilityFlow",
    "NegativeLogLikelihood",
    "mpf",
    "negative_log_likelihood",
]
