from ._log_partition import log_partition as log_partition
from ._samples import can_sample_exactly as can_sample_exactly, exact_samples as exact_samples
from .convergence import annealing_convergence as annealing_convergence
from .cost import PartitionSettings as PartitionSettings
from .exact import exact_expectations as exact_expectations
from .gibbs import gibbs_samples as gibbs_samples
from .result import LogPartition as LogPartition
