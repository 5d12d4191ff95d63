from itertools import permutations

import numpy as np

from microcolumn.evaluate._layers import relabelled

CODES = np.array([0, 0, 1, 2, 2])
SEVEN_AT_A_TIME = (1 << 20) // 7


def test_few_arrangements_are_all_made_once_but_the_given_one():
    n, exact, chunks = relabelled(CODES, 100, np.random.default_rng(0), SEVEN_AT_A_TIME)
    made = [tuple(row) for chunk in chunks for row in chunk.tolist()]
    assert exact
    assert len(made) == n == 5 * 4 * 3 * 2 // 4 - 1
    assert set(made) == set(permutations(CODES.tolist())) - {tuple(CODES.tolist())}


def test_many_are_drawn_and_keep_the_labels():
    n, exact, chunks = relabelled(CODES, 20, np.random.default_rng(0), SEVEN_AT_A_TIME)
    sizes, rows = zip(*((len(chunk), chunk) for chunk in chunks), strict=True)
    assert not exact
    assert sum(sizes) == n == 20
    assert max(sizes) == 7
    for row in np.concatenate(rows):
        assert sorted(row) == CODES.tolist()
