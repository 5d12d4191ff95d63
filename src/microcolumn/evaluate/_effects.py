"""Sizes of effects: one score as a share of another, with its error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ._significance import corrected_stderr


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two mean scores; printed, it is in per cent.

    Parameters
    ----------
    value, stderr : float
        The ratio and its standard error, paired by split; NaN where there is one split.

    Examples
    --------
    >>> print(Ratio(0.884, 0.021))
    88 ± 2 %
    """

    value: float
    stderr: float

    def __str__(self) -> str:
        return self._text(self.value, "")

    @property
    def gain(self) -> str:
        """By how many per cent the first is above the second: ``+14 ± 2 %``."""
        return self._text(self.value - 1.0, "+")

    def _text(self, value: float, sign: str) -> str:
        digits = 0 if math.isnan(self.stderr) or self.stderr >= 0.0095 else 1
        error = "" if math.isnan(self.stderr) else f" ± {100.0 * self.stderr:.{digits}f}"
        return f"{100.0 * value:{sign}z.{digits}f}{error} %"


def ratio(
    first: Mapping[int, float], second: Mapping[int, float], test_to_train: float
) -> Ratio | None:
    """Mean of the first scores over that of the second, by split; None unless that is positive.

    The error is that of the first minus the ratio times the second, whose mean is zero, over the
    mean of the second (to first order), corrected for splits that overlap.
    """
    splits = sorted(first.keys() & second.keys())
    above = np.array([first[split] for split in splits])
    below = np.array([second[split] for split in splits])
    if not splits or not below.mean() > 0.0:
        return None
    value = float(above.mean() / below.mean())
    error = corrected_stderr(above - value * below, test_to_train)
    return Ratio(value, error / float(below.mean()))
