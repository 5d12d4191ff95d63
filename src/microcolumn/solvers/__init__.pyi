from ._minimise import FitResult as FitResult, minimise as minimise
from ._paths import NestedStarts as NestedStarts, Problem as Problem, fit_path as fit_path
