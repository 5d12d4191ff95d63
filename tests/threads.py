"""The same computation on one thread and on all."""

import numba


def on_one_and_all(compute):
    """What a function returns on one thread, and on all that there are."""
    allowed, found = numba.get_num_threads(), []
    for n_threads in (1, numba.config.NUMBA_NUM_THREADS):
        numba.set_num_threads(n_threads)
        try:
            found.append(compute())
        finally:
            numba.set_num_threads(allowed)
    return found
