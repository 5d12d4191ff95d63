from ._l1 import FitResult as FitResult, minimise_l1 as minimise_l1
from ._paths import Problem as Problem, fit_path as fit_path
