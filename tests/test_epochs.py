import numpy as np
from hypothesis import given, settings, strategies as st

from microcolumn.epochs import Epochs

EDGES = st.lists(st.integers(0, 40), min_size=0, max_size=10).map(
    lambda edges: np.sort(np.array(edges[: len(edges) // 2 * 2], dtype=float)).reshape(-1, 2)
)


def covers(epochs, time):
    """Whether an epoch holds this time, by the definition."""
    return any(start <= time < stop for start, stop in epochs)


@given(EDGES, EDGES)
@settings(deadline=None, max_examples=100)
def test_an_intersection_holds_exactly_the_times_that_both_hold(first, second):
    shared = Epochs(first).intersect(Epochs(second))
    for time in np.arange(0.0, 41.0, 0.5):
        assert covers(shared, time) == (
            covers(Epochs(first), time) and covers(Epochs(second), time)
        )


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 10)), max_size=8))
@settings(deadline=None, max_examples=100)
def test_joined_intervals_hold_the_times_that_any_of_them_holds(drawn):
    intervals = np.array([(start, start + length) for start, length in drawn], dtype=float)
    joined = Epochs.joined(intervals.reshape(-1, 2))
    for time in np.arange(0.0, 51.0, 0.5):
        assert covers(joined, time) == any(a <= time < b for a, b in intervals)


@given(EDGES, st.lists(st.integers(0, 82), max_size=20))
@settings(deadline=None, max_examples=100)
def test_times_are_located_in_the_epoch_that_holds_them(edges, halves):
    epochs, times = Epochs(edges), np.array(halves) / 2
    for time, place in zip(times, epochs.locate(times), strict=True):
        holding = [k for k, (start, stop) in enumerate(epochs) if start <= time <= stop > start]
        assert place == (holding[-1] if holding else -1)


def test_edges_are_compared_to_the_nanosecond():
    epochs = Epochs([[1.0, 2.0]])
    times = np.array([1 - 1e-9, 1 - 1e-10, 1.0, 2 - 1e-9, 2 - 1e-10, 2.0])
    assert epochs.locate(times).tolist() == [-1, 0, 0, 0, 0, 0]
    assert epochs.locate(np.array([2 + 1e-10, 2 + 1e-9])).tolist() == [0, -1]


def test_epochs_that_touch_stay_apart_and_keep_their_labels():
    epochs = Epochs([[0, 5], [5, 9]], labels=["movie", "dark"])
    assert len(epochs.intersect(Epochs([[2, 8]]))) == 2
    assert epochs.intersect(Epochs([[2, 8]])).labels == ("movie", "dark")
    assert Epochs([[2, 8]]).intersect(epochs).labels == ("movie", "dark")
    assert list(epochs.labelled("dark")) == [(5.0, 9.0)]
    assert repr(epochs) == "Epochs(2 of 9 s together)"
