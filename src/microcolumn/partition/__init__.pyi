from ._convergence import annealing_convergence as annealing_convergence
from ._exact import (
    can_sample_exactly as can_sample_exactly,
    exact_expectations as exact_expectations,
    exact_samples as exact_samples,
)
from ._gibbs import gibbs_samples as gibbs_samples
from ._log_partition import log_partition as log_partition
from ._result import LogPartition as LogPartition
