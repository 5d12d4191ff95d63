"""Words found among sorted words against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest

from microcolumn.kernels.loops.lookup import find_words
from microcolumn.packing import packed, unique_rows


@pytest.mark.parametrize("n_units", [3, 64, 65, 130])
def test_rows_are_those_of_a_dictionary(n_units):
    rng = np.random.default_rng(n_units)
    seen, _ = unique_rows((rng.random((200, n_units)) < 0.02).astype(np.uint8))
    asked = np.concatenate([seen[::-2], (rng.random((200, n_units)) < 0.02).astype(np.uint8)])
    rows = {word.tobytes(): row for row, word in enumerate(seen)}
    found = np.empty(len(asked), dtype=np.int64)
    find_words(*(np.ascontiguousarray(packed(words).T) for words in (seen, asked)), found)
    assert found.tolist() == [rows.get(word.tobytes(), -1) for word in asked]
    assert (found < 0).any() or n_units == 3
