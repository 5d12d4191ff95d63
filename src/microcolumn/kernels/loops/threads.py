"""Few threads for little work."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

import numba
from threadpoolctl import ThreadpoolController

from ..compile import CHECKED

#: Multiply-adds that are worth waking one more thread: about half a millisecond.
OPERATIONS_PER_THREAD = 2.0**24


@contextmanager
def threads_for(n_operations: float, per_thread: float = OPERATIONS_PER_THREAD) -> Iterator[None]:
    """Run the kernels within with as many threads as their work is worth.

    Waking a thread and waiting for it costs microseconds on an idle machine but many milliseconds
    on a busy one, more than a small sum takes. The kernels' results do not depend on it. The work
    is ``n_operations`` multiply-adds, of which ``per_thread`` are worth one more thread.
    """
    allowed = numba.get_num_threads()
    used = int(max(1.0, min(allowed, n_operations / per_thread)))
    if used == allowed:  # changing it takes as long as a small sum
        yield
        return
    numba.set_num_threads(used)
    try:
        yield
    finally:
        numba.set_num_threads(allowed)


def one_blas_thread() -> AbstractContextManager[object]:
    """Run the matrix products within in one thread, so that their results depend on no number."""
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> ThreadpoolController:
    """The loaded libraries that have threads; to look for them takes as long as a small fit."""
    return ThreadpoolController()


def in_threads(kernel: Callable[..., Any], n_chunks: int, *arguments: Any) -> list[Any]:
    """Call ``kernel(first, last, *arguments)`` on the chunks of some work, in threads.

    Returns what each call returned. The kernel releases Python's lock (``nogil=True``) and is not
    parallel itself, which takes Numba half as long to compile. Chunks must not depend on each
    other; how many a thread gets depends on the number of threads.
    """
    # Threads cannot raise, and checked kernels may.
    n_threads = 1 if CHECKED else max(1, min(numba.get_num_threads(), n_chunks))
    if n_threads == 1:
        return [kernel(0, n_chunks, *arguments)]
    results: list[Any] = [None] * n_threads

    def work(part: int) -> None:
        first, last = (n_chunks * k // n_threads for k in (part, part + 1))
        results[part] = kernel(first, last, *arguments)

    others = [threading.Thread(target=work, args=(part,)) for part in range(1, n_threads)]
    for thread in others:
        thread.start()
    work(0)
    for thread in others:
        thread.join()
    return results
