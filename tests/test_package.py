"""Importing is quick because nothing heavy comes along; names arrive when asked for."""

import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import microcolumn as mc


def _fresh(code):
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()


def test_importing_brings_no_heavy_package_along():
    code = "import sys, microcolumn; print(*(m.split('.')[0] for m in sys.modules))"
    loaded = set(_fresh(code).split())
    assert "microcolumn" in loaded
    assert not loaded & {"numpy", "scipy", "sklearn", "numba", "llvmlite", "matplotlib", "typer"}


def test_words_come_without_the_kernels():
    code = "import sys, microcolumn as mc; mc.Words, mc.Parameters; print(*sys.modules)"
    loaded = set(_fresh(code).split())
    assert "microcolumn.words" in loaded
    assert not loaded & {"sklearn", "numba", "matplotlib"}


def test_every_public_name_can_be_imported_at_once():
    space = {}
    exec("from microcolumn import *", space)
    assert set(mc.__all__) <= set(space)
    assert set(mc.__all__) <= set(dir(mc))


def test_the_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert mc.__version__ == version("microcolumn")


def test_the_citation_names_this_version():
    citation = (Path(__file__).parents[1] / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.*)$", citation, flags=re.MULTILINE) == [mc.__version__]


def test_the_lock_file_has_a_version_of_every_dependency_that_is_allowed():
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    versions = {}
    for each in map(Requirement, (root / "requirements" / "ci.txt").read_text().splitlines()):
        [exact] = each.specifier
        versions.setdefault(canonicalize_name(each.name), []).append(exact.version)
    asked = chain(project["dependencies"], *project["optional-dependencies"].values())
    for requirement in map(Requirement, asked):
        if requirement.name != "microcolumn":
            found = versions[canonicalize_name(requirement.name)]
            assert all(map(requirement.specifier.contains, found)), requirement
