"""Examples in docstrings print what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import microcolumn

SOURCES = Path(microcolumn.__file__).parent
MODULES = [
    ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCES.rglob("*.py"))
    if ">>> " in path.read_text()
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name):
    module = importlib.import_module(name)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    found = doctest.testmod(module, optionflags=flags)
    assert found.attempted
    assert not found.failed
