"""How sure a mean over splits is.

Random splits of one recording share most of their words, so the plain standard error over splits
is too small for a claim. The corrected resampled t-test (Nadeau & Bengio 2003, Inference for the
generalization error) widens it by the share of words that any two splits have in common.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

#: Fewer splits say too little about their own variance.
_FEWEST_SPLITS = 3
#: Two models differ where chance would make such a difference less often than this.
LEVEL = 0.05

Values = Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]]


def split_stderr(values: Values) -> float:
    """Standard deviation over splits over the root of their number; NaN for one split."""
    if len(values) < 2:
        return math.nan
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))


def corrected_stderr(values: Values, test_to_train: float) -> float:
    """Standard error of a mean over splits that overlap.

    ``test_to_train`` is words of the test part over words that fit and choice of l1 have seen.
    """
    return split_stderr(values) * math.sqrt(1.0 + len(values) * test_to_train)


def claimed_stderr(corrected: float, block: float, n_splits: int) -> float:
    """The error to judge a mean by: of few splits the larger one, of many that of the splits.

    The error from blocks of one test part does not see that splits may disagree.
    """
    return corrected if n_splits >= _FEWEST_SPLITS else float(np.fmax(corrected, block))


def with_error(value: float, stderr: float) -> str:
    """A score and its error, with as many digits as the error needs to be other than zero."""
    digits = next((n for n in (2, 3, 4) if round(stderr, n) > 0.0), 2)
    error = "-" if math.isnan(stderr) else f"{stderr:.{digits}f}"
    return f"{value:z.{digits}f} ± {error}"


def p_text(p_value: float) -> str:
    """A p-value with the digits that matter: ``p = 0.012``, ``p = 3e-6``.

    Beyond that the distribution of a mean over blocks or splits is not known well enough.
    """
    if math.isnan(p_value):
        return "p unknown"
    if p_value < 1e-8:
        return "p < 1e-8"
    if p_value < 1e-3:
        mantissa, exponent = f"{p_value:.0e}".split("e")
        return f"p = {mantissa}e{int(exponent)}"
    return f"p = {p_value:.2g}"


def p_value(mean: float, stderr: float, n_splits: int) -> float:
    """Two-sided p-value: t over splits, or normal for a few."""
    if math.isnan(stderr):
        return math.nan
    if stderr == 0.0:
        return 1.0 if mean == 0.0 else 0.0
    null = stats.t(n_splits - 1) if n_splits >= _FEWEST_SPLITS else stats.norm()
    return float(2.0 * null.sf(abs(mean) / stderr))
