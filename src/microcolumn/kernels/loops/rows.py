"""Arrays in whole rows of lanes."""

import numpy as np

from ...validation import Floats
from ..simd.lanes import WIDTH


def whole_rows(values: Floats, filling: float = 0.0) -> Floats:
    """Fill the last axis up to whole rows of lanes, as kernels take it."""
    widths = [(0, 0)] * (values.ndim - 1) + [(0, -values.shape[-1] % WIDTH)]
    return np.pad(values, widths, constant_values=filling)
