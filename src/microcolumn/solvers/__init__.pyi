from ._certificate import Certificate as Certificate
from ._likelihood_paths import (
    walk_likelihood_path as walk_likelihood_path,
)
from ._minimise import FitResult as FitResult, minimise as minimise
from ._paths import (
    LEAST_DECREASE as LEAST_DECREASE,
    NestedStarts as NestedStarts,
    Problem as Problem,
    fit_path as fit_path,
)
from ._sampler_settings import SamplerSettings as SamplerSettings
