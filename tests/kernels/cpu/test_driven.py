"""Changes of log p~ along flips against the energy of both words."""

import numpy as np
import pytest
from flips import KINDS, random_model

from microcolumn.energy import log_weight
from microcolumn.kernels.cpu.driven import changes_along_flips


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [0.5, 30.0])
def test_changes_are_those_of_the_energy_along_each_flip(kind, scale):
    rng = np.random.default_rng(3)
    theta = random_model(rng, kind, 7, 20, scale)
    words = (rng.random((15, 7)) < 0.4).astype(np.uint8)
    W = np.zeros((7, 0)) if theta.W is None else theta.W
    c = np.zeros(0) if theta.c is None else theta.c
    J = np.zeros((0, 0)) if theta.J is None else theta.J
    found = np.empty((7, 15))
    changes_along_flips(words, theta.b, J, W, c, np.exp(W), np.exp(-W), found)
    here = log_weight(theta, words)
    for n, flip in enumerate(np.eye(7, dtype=np.uint8)):
        expected = log_weight(theta, words ^ flip) - here
        np.testing.assert_allclose(found[n], expected, rtol=1e-11, atol=1e-11 * scale)
