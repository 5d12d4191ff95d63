"""Kernels of alternatives, surveys and simulations: plain loops in Numba, cached on disk."""
