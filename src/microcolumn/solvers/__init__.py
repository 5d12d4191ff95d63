"""How objectives are minimised: L1 to exact zeros, starts, and paths of penalties."""

from .family import Problem, fit_path
from .l1 import FitResult, minimise_l1

__all__ = ["FitResult", "Problem", "fit_path", "minimise_l1"]
