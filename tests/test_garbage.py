import gc
import weakref

import pytest

from microcolumn.garbage import collected_by_hand


class Knot:
    """Something that knows itself, so that it is freed as garbage alone."""

    def __init__(self):
        self.itself = self


def test_garbage_is_freed_when_told_and_not_before():
    with collected_by_hand() as collect:
        knot = weakref.ref(Knot())
        many = [[] for _ in range(10_000)]  # which would have Python look for garbage
        assert len(many) == 10_000
        assert knot() is not None
        collect()
        assert knot() is None


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
