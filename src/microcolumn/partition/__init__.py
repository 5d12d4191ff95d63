"""Normalisation: exact sums, annealed importance sampling, and the choice between them."""

from .choose import log_partition
from .exact import can_sample_exactly, exact_expectations, exact_samples
from .result import LogPartition

__all__ = [
    "LogPartition",
    "can_sample_exactly",
    "exact_expectations",
    "exact_samples",
    "log_partition",
]
