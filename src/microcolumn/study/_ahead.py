"""Kernels that nearly every job needs, compiled before many processes need them at once.

Of processes that meet the same new kernel one compiles it and the others wait
(``kernels/compile.py``), so that jobs would be right without this, but late.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from ..kernels.compile import announced
from ..models import SemiRBM
from ..partition import log_partition

_SENTENCE = "compiling kernels, once per installation: about ten seconds"


def compile_ahead(tell: Callable[[str], None]) -> None:
    """Fit, sample and evaluate a tiny model; if that compiles anything, ``tell`` says so first."""
    rng = np.random.default_rng(0)
    X = (rng.random((50, 4)) < 0.3 + 0.4 * rng.integers(0, 2, (50, 1))).astype(np.uint8)
    with announced(lambda: tell(_SENTENCE)), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # so short a run may well be inexact
        model = SemiRBM(2, objective="likelihood", random_state=0).fit(X)
        log_partition(model.parameters_, "ais", n_chains=8, n_steps=8, max_steps=8, random_state=0)
        model.conditional(X, unit=0)
