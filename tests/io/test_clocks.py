from itertools import pairwise

import numpy as np
from hypothesis import given, settings, strategies as st

from microcolumn.io._clocks import align_segments


@given(
    st.lists(
        st.tuples(st.integers(-20, 20), st.integers(1, 20)).map(lambda s: (s[0], s[0] + s[1])),
        min_size=2,
        max_size=6,
    )
)
@settings(deadline=None, max_examples=60)
def test_segments_that_overlap_are_a_second_apart_in_the_same_order(stretches):
    overlap = any(later < stop for (_, stop), (later, _) in pairwise(stretches))
    shifts, epochs, notes = align_segments(stretches)
    assert len(notes) == overlap
    placed = np.array(stretches) + shifts[:, None]
    np.testing.assert_allclose(list(epochs), placed, atol=1e-9)
    if overlap:
        assert placed[0, 0] == max(stretches[0][0], 0)
        np.testing.assert_allclose(placed[1:, 0] - placed[:-1, 1], 1.0)
    else:
        np.testing.assert_array_equal(placed, stretches)
