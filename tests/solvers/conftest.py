"""Words for tests of as many units as a module states as ``N_UNITS``."""

import numpy as np
import pytest

from microcolumn.words import Words


@pytest.fixture(scope="module")
def every(every_word, request):
    return every_word(request.module.N_UNITS)


@pytest.fixture(scope="module")
def quiet(request):
    """Words of independent units, of which 5 % are active."""
    rng = np.random.default_rng(0)
    return Words.from_array((rng.random((4000, request.module.N_UNITS)) < 0.05).astype(np.uint8))
