from ._convergence import annealing_convergence as annealing_convergence
from ._expectations import exact_expectations as exact_expectations
from ._gibbs import gibbs_samples as gibbs_samples
from ._log_partition import log_partition as log_partition
from ._result import LogPartition as LogPartition
from ._samples import can_sample_exactly as can_sample_exactly, exact_samples as exact_samples
