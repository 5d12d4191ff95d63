"""Normalisation: exact sums, annealed importance sampling, and the choice between them."""

from .choose import log_partition
from .expectations import exact_expectations
from .result import LogPartition

__all__ = ["LogPartition", "exact_expectations", "log_partition"]
