"""Normalisation: exact sums, annealed importance sampling, and the choice between them."""

from .choose import log_partition
from .convergence import annealing_convergence
from .exact import can_sample_exactly, exact_expectations, exact_samples
from .result import LogPartition

__all__ = [
    "LogPartition",
    "annealing_convergence",
    "can_sample_exactly",
    "exact_expectations",
    "exact_samples",
    "log_partition",
]
