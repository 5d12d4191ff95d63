import gc
import weakref

import pytest

from microcolumn.garbage import MANY, collected_by_hand


class Knot:
    """Something that knows itself, so that it is freed as garbage alone."""

    def __init__(self):
        self.itself = self


def test_garbage_is_freed_when_told_and_there_is_much_of_it_and_not_before():
    with collected_by_hand() as collect:
        knot = weakref.ref(Knot())
        many = [[] for _ in range(10_000)]  # which would have Python look for garbage
        collect()
        assert knot() is not None
        many += [[] for _ in range(MANY)]
        assert knot() is not None
        collect()
        assert knot() is None
    assert len(many) == 10_000 + MANY


def test_python_collects_again_after_a_block_and_a_failure():
    assert gc.isenabled()
    with collected_by_hand():
        assert not gc.isenabled()
        with collected_by_hand():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), collected_by_hand():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_what_was_there_before_a_block_is_not_looked_through():
    gc.disable()
    try:
        many = [[] for _ in range(100_000)]
        with collected_by_hand():
            assert gc.get_count()[0] < len(many) / 100
    finally:
        gc.enable()


def test_what_a_block_leaves_is_not_looked_through_at_its_end():
    runs = []
    with collected_by_hand():
        many = [[] for _ in range(100_000)]
        gc.callbacks.append(lambda *run: runs.append(run))
    few = [[] for _ in range(100)]
    gc.callbacks.pop()
    assert len(many) + len(few) == 100_100
    assert not runs


def test_what_others_froze_stays_frozen():
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with collected_by_hand() as collect:
            collect()
        assert gc.get_freeze_count() == frozen
    finally:
        gc.unfreeze()
