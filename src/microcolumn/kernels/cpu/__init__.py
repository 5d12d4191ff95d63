"""Kernels for the processor, in Numba: parallel, cached on disk, explicit SIMD."""
