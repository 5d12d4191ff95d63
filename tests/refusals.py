"""How a file that cannot be read is refused."""

from __future__ import annotations

import pytest

import microcolumn as mc


def assert_refused(path, match=None, **options):
    """The sentence of the error: one line that begins with the path and holds ``match``."""
    with pytest.raises(ValueError, match=match) as caught:
        mc.read(path, **options)
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    return sentence
