"""Explicit SIMD for Numba: the language of the kernels. README.md explains it."""
