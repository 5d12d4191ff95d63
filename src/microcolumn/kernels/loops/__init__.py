"""Kernels of rivals, surveys and simulations: plain loops in Numba, cached on disk."""
