"""Threads by amount of work."""

import numba
import numpy as np
import pytest

from microcolumn.kernels.loops.threads import OPERATIONS_PER_THREAD, in_threads, threads_for


@pytest.mark.parametrize("n_operations", [0.0, 1.0, OPERATIONS_PER_THREAD])
def test_little_work_gets_one_thread(n_operations):
    with threads_for(n_operations):
        assert numba.get_num_threads() == 1


def test_much_work_gets_all_threads():
    allowed = numba.get_num_threads()
    with threads_for(1e30):
        assert numba.get_num_threads() == allowed


def test_the_number_of_threads_is_restored_after_an_error():
    allowed = numba.get_num_threads()
    with pytest.raises(KeyError), threads_for(1.0):
        raise KeyError
    assert numba.get_num_threads() == allowed


@pytest.mark.parametrize("n_chunks", [0, 1, 2, 7])
def test_threads_do_each_chunk_once(n_chunks):
    done = np.zeros(n_chunks, dtype=int)

    def work(first, last, amount):
        done[first:last] += amount
        return last - first

    counts = in_threads(work, n_chunks, 3)
    assert (done == 3).all()
    assert sum(counts) == n_chunks
