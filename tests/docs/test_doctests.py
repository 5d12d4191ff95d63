"""Examples in docstrings print what they say; they may use a session and a study in a folder."""

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot
from planted_lfp import write_flashes

import microcolumn as mc

SOURCES = Path(mc.__file__).parent
MODULES = [
    ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCES.rglob("*.py"))
    if ">>> " in path.read_text()
]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def _study(path):
    import planted_study

    planted_study.write(path)


#: Files that examples open.
_FILES = {
    "session.npz": lambda path: mc.simulate.microcolumn(n_units=6, minutes=1).save(path),
    "study.db": _study,
    "lfp.nwb": write_flashes,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where examples run, with the files that they open."""
    folder = tmp_path_factory.mktemp("examples")
    for file, write in _FILES.items():
        write(folder / file)
    return folder


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    module = importlib.import_module(name)
    found = doctest.testmod(module, optionflags=FLAGS, extraglobs={"mc": mc, "np": np})
    pyplot.close("all")
    assert not found.failed
