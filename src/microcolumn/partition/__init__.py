"""Normalisation: exact sums, annealed importance sampling, and the choice between them."""

from .choose import log_partition
from .result import LogPartition

__all__ = ["LogPartition", "log_partition"]
