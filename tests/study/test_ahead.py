"""Kernels are compiled once, before jobs need them."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.integration

SCRIPT = """
import sys
from microcolumn.study._workers import compile_ahead
compile_ahead(print)
if len(sys.argv) > 1:
    import numpy as np
    import microcolumn as mc
    X = (np.random.default_rng(1).random((300, 7)) < 0.3).astype(np.uint8)
    for kind in (mc.Ising, mc.RBM, mc.SemiRBM):
        kind(objective="likelihood", max_iter=20).fit(X).log_partition(method="ais")
"""


def test_a_second_process_finds_what_the_first_has_compiled(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONWARNINGS": "ignore"}

    def printed(*arguments):
        command = [sys.executable, "-c", SCRIPT, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    assert printed().stdout.startswith("compiling kernels, once per installation")
    compiled = {path.name for path in tmp_path.rglob("*.nbi")}
    assert printed("fits").stdout == ""
    assert {path.name for path in tmp_path.rglob("*.nbi")} == compiled
