from .arrays import ModelArrays as ModelArrays
from .cpu.exact import (
    ExactSums as ExactSums,
    exact_log_z as exact_log_z,
    exact_moments as exact_moments,
    exact_samples as exact_samples,
)
from .cpu.threads import one_blas_thread as one_blas_thread
