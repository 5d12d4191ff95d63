"""Kernels in checked mode, where an index outside an array is an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from microcolumn import kernels

pytestmark = pytest.mark.integration

# Compiled with few optimisations, which takes less time and changes no check.
CHECKED = {**os.environ, "MICROCOLUMN_CHECK": "1", "NUMBA_OPT": "1"}

#: Each is right for k = 0 and outside its array for the k that follows it.
ACCESSES = {
    "load(table, (7, k))": 1,
    "load(view, (1, k))": -1,
    "load_group(view, (k, 0))": 5,
    "store(table, (k, 0), load(view, (0, 0)))": 8,
    "load_rows(table, k, 0)": 5,
    "store_rows(view, k, 0, load_group(table, (0, 0)))": -1,
    "gather_rows(table, picks, k, 0)": 1,  # the fifth row picked does not exist
    "gather_rows(table, picks, k, 4, 1)": 3,  # the list of rows is too short
    "broadcast_rows(view, 0, k)": 8,
    "broadcast_group(view, (7, k))": 5,
    "view[k, 0]": 8,
    "table[0, k]": 8,
    "sub_views(table, 0, Pair((4, 1 + k), (0,)))": 2,
    "sub_views(table, k, Pair((4, 1), (0,)))": 8,
}
SCRIPT = """
import sys
from typing import NamedTuple
import numpy as np
from numba import njit
from microcolumn.kernels.simd.memory import *
from microcolumn.kernels.simd.views import sub_views, views

class Pair(NamedTuple):
    a: object
    b: object

table, picks = np.ones((8, 8)), np.array([0, 1, 2, 3, 8])
for line in sys.stdin:
    access, bad = line.rsplit(maxsplit=1)
    statement = f"def use(table, picks, k):\\n    view = views(Pair(table, table)).a\\n    {access}"
    exec(statement)
    compiled = njit(use, boundscheck=True)
    compiled(table, picks, 0)
    try:
        compiled(table, picks, int(bad))
    except IndexError as error:
        print(access, "raises", error)
    else:
        print(access, "is not checked")
"""


def run(*arguments, **options):
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=CHECKED, capture_output=True, text=True, **options)


def test_all_kernels_stay_within_their_arrays():
    # Plain loops are Numba's own business; only the SIMD language reads memory by itself.
    sources = Path(kernels.__file__).parent / "cpu"
    tests = [
        test
        for test in (Path(__file__).parent / "cpu").glob("test_*.py")
        if "simd.memory" in (sources / test.name.removeprefix("test_")).read_text()
    ]
    assert tests
    done = run("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *tests)
    assert done.returncode == 0, done.stdout


def test_every_way_to_reach_outside_an_array_raises_an_error_that_names_the_place():
    given = "\n".join(f"{access} {bad}" for access, bad in ACCESSES.items())
    done = run("-c", SCRIPT, input=given)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    for access, line in zip(ACCESSES, lines, strict=True):
        assert line.startswith(f"{access} raises")
    assert "(7, 1)" in lines[0]
    assert "(8, 8)" in lines[0]
