"""Errors of means over splits, p-values, and how both are printed.

Splits of one recording share most of their words, so that the plain error over splits is for what
is known by split alone; scores of models have the errors of :mod:`.time_errors`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ..notebook import AsText

#: Fewer splits say too little about their own variance for a verdict.
FEWEST_SPLITS = 3
#: Two models differ where chance would make such a difference less often than this.
LEVEL = 0.05
#: p-values in text stop here: how a mean over splits is distributed is not known any further.
_SMALLEST_P = 1e-3

Values = Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]]


def split_stderr(values: Values) -> float:
    """Standard deviation over splits over the root of their number; NaN for one split."""
    if len(values) < 2:
        return math.nan
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))


def degrees_of_freedom(n_splits: int, n_blocks: int | None = None) -> float:
    """Degrees of freedom of the corrected error over splits.

    Splits deal the same ``n_blocks`` blocks of time again and again, so the variance over splits
    is as uncertain as a variance over ``n_splits`` draws of one over ``n_blocks`` blocks: relative
    variances, 2 / (degrees of freedom), add up. Single words are too many to matter: None.
    """
    if n_splits < 2:
        return math.nan
    of_blocks = 0.0 if n_blocks is None else 1.0 / max(n_blocks - 1, 1)
    return 1.0 / (1.0 / (n_splits - 1) + of_blocks)


def p_value(mean: float, stderr: float, df: float) -> float:
    """Two-sided p-value of Student's t with ``df`` degrees of freedom; NaN without an error."""
    if math.isnan(stderr) or math.isnan(df):
        return math.nan
    if stderr == 0.0:
        return 1.0 if mean == 0.0 else 0.0
    return float(2.0 * special.stdtr(df, -abs(mean) / stderr))


def with_error(value: float, stderr: float) -> str:
    """A score and its error, with as many digits as the error needs to be other than zero."""
    digits = next((n for n in (2, 3, 4) if round(stderr, n) > 0.0), 2)
    error = "-" if math.isnan(stderr) else f"{stderr:.{digits}f}"
    return f"{value:z.{digits}f} ± {error}"


def bootstrap_p_text(p_value: float) -> str:
    """A multiple of 1/200 with all its digits, two at least: ``"0.005"``, ``"0.31"``."""
    return f"{p_value:.3f}".removesuffix("0")


def p_text(p_value: float) -> str:
    """A p-value with the digits that matter, as ``p = 0.012``; never rounded up to the level."""
    if math.isnan(p_value):
        return "p unknown"
    if p_value < _SMALLEST_P:
        return f"p < {_SMALLEST_P:g}"
    rounded = (f"{p_value:.{digits}g}" for digits in range(2, 18))
    shortest = next(text for text in rounded if (float(text) < LEVEL) == (p_value < LEVEL))
    return f"p = {shortest}"


@dataclass(frozen=True, slots=True, repr=False)
class Estimate(AsText):
    """A number with its standard error; printed, both with their unit.

    Parameters
    ----------
    value, stderr : float
        The error is NaN where it is not known.
    unit : str
        What they are in. With ``"%"`` they are shares, which are printed in per cent.
    n : int
        Bins or splits that the value is a mean over; 0 where that is not said.
    method : str
        What the error comes from: ``"time"`` (:mod:`.time_errors`), or ``"splits"``.

    Examples
    --------
    >>> print(Estimate(3.8, 0.12))
    3.80 ± 0.12 bits/s
    >>> print(Estimate(0.884, 0.021, "%"))
    88 ± 2 %
    """

    value: float
    stderr: float
    unit: str = "bits/s"
    n: int = 0
    method: str = ""

    def __str__(self) -> str:
        return f"{self.text()} {self.unit}"

    @property
    def gain(self) -> str:
        """Of a ratio: by how many per cent the first is above the second, ``+14 ± 2 %``."""
        return f"{replace(self, value=self.value - 1.0).text('+')} {self.unit}"

    def text(self, sign: str = "") -> str:
        """Both numbers without their unit; shares have a ``sign`` if it is ``"+"``."""
        if self.unit != "%":
            return with_error(self.value, self.stderr)
        digits = 0 if math.isnan(self.stderr) or self.stderr >= 0.0095 else 1
        error = "" if math.isnan(self.stderr) else f" ± {100.0 * self.stderr:.{digits}f}"
        return f"{100.0 * self.value:{sign}z.{digits}f}{error}"
