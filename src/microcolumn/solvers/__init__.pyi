from ._l1 import FitResult as FitResult
from ._l1 import minimise_l1 as minimise_l1
from ._paths import Problem as Problem
from ._paths import fit_path as fit_path
