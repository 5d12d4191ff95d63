"""Log Z of a model as an array of its file, and back."""

from __future__ import annotations

import numpy as np

from ..partition import LogPartition
from ..validation import Floats
from ._saving import Arrays, floats


def normaliser_array(log_z: LogPartition) -> Floats:
    """Value, error, cost and convergence, with what annealing says of itself.

    Seconds are left out, so that the same fit gives the same file.
    """
    numbers = [log_z.value, log_z.stderr, log_z.n_operations, float(log_z.converged)]
    annealed = [
        log_z.effective_sample_size,
        log_z.reverse,
        log_z.reverse_stderr,
        log_z.n_steps,
        log_z.lower_bound,
    ]
    if log_z.method == "ais":
        numbers += [0.0 if number is None else float(number) for number in annealed]
    return np.array(numbers)


def normaliser_of(arrays: Arrays) -> LogPartition:
    """Log Z of a file, or a ValueError that says what is wrong with it."""
    numbers = floats(arrays, "log_z").tolist()
    if len(numbers) not in (4, 9) or numbers[1] < 0.0 or numbers[3] not in (0.0, 1.0):
        raise ValueError(f"log_z is {numbers}")
    value, stderr, n_operations, converged, *annealed = numbers
    first = (n_operations, 0.0, bool(converged))
    if not annealed:
        return LogPartition(value, stderr, "exact", *first, side="visible")
    size, reverse, reverse_stderr, n_steps, lower_bound = annealed
    return LogPartition(
        value,
        stderr,
        "ais",
        *first,
        effective_sample_size=size,
        reverse=reverse,
        reverse_stderr=reverse_stderr,
        n_steps=int(n_steps),
        lower_bound=lower_bound,
    )
