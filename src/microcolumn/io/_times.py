"""Units of time in which files state spike times."""

from __future__ import annotations

from numbers import Real
from typing import TypeGuard

import numpy as np

from ._failures import BadFileError

_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6}


def ticks_per_second(time_unit: str, sampling_rate: float | None) -> float:
    """How many units of time make a second; only times in samples need a sampling rate."""
    if time_unit not in (*_PER_SECOND, "samples"):
        raise BadFileError(f"time_unit is {time_unit!r}; choose one of 's', 'ms', 'us', 'samples'")
    if time_unit != "samples":
        if sampling_rate is not None:
            raise BadFileError(
                f"sampling_rate is {sampling_rate!r} but times are in {time_unit}; "
                "pass time_unit='samples' or leave it out"
            )
        return _PER_SECOND[time_unit]
    if not is_rate(sampling_rate):
        raise BadFileError(
            f"its times are in samples and sampling_rate is {sampling_rate!r}; pass it in Hz"
        )
    return float(sampling_rate)


def is_rate(value: object) -> TypeGuard[Real]:
    """Whether a value is a positive and finite number."""
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < np.inf
